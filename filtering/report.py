"""The filter's report: one self-contained HTML page, without script and without any request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.filtering.balance import BalanceRow
from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.controls import ControlRow
from nextset.filtering.held_out_gap import AccuracyRow, BiasRow, GapRow
from nextset.filtering.mark_counts import MarkRow
from nextset.filtering.plots import Ends, gap_plot, overlap_plot, shift_plot, survival_plot
from nextset.filtering.survival import ANY, OverlapRow, SurvivalRow
from nextset.html.page import page
from nextset.study.filter_rule_settings import Form

__all__ = ["FilterReport", "render"]

MOST = 40
"""The most rows of a table on the page; the Parquet file has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterReport:
    """The data of the filter's report."""

    study: str
    """The study's name."""
    form: Form
    """The form of the candidates."""
    rule: str
    """The rule as text."""
    pairs: str
    """whole or apart."""
    scored: str
    """How the scores were computed, as text."""
    balanced: str
    """What was done for the balance, as text."""
    cascade: bool
    """Whether later models were asked about undecided items only."""
    candidates: int
    """The number of candidates."""
    kept: int
    """The number of them that are kept."""
    with_pair: int
    """The number that are kept only because of their pair."""
    reasons: tuple[tuple[str, int], ...]
    """The reasons for rejecting the others, with their numbers."""
    survival: tuple[SurvivalRow, ...]
    """By part and model."""
    overlap: tuple[OverlapRow, ...]
    """By combination of models."""
    models: tuple[str, ...]
    """The filter's models, then those held out; those that were asked about every candidate."""
    shifts: tuple[AccuracyRow, ...] | tuple[BiasRow, ...]
    """Each model before and after."""
    gap: tuple[GapRow, ...]
    """Filter models and held-out models compared; empty if no model is held out."""
    balance: tuple[BalanceRow, ...]
    """Shares of stances or groups."""
    marks: tuple[MarkRow, ...] = ()
    """Marks of fills; empty if the study marked none."""
    conclusions: tuple[ConclusionRow, ...] = ()
    """The sentences that the page begins with, and warnings."""
    controls: tuple[ControlRow, ...] = ()
    """Each model's answers to the test items."""


_GAP = {
    "filter_shift": "Filter models, after − before",
    "held_out_shift": "Held-out models, after − before",
    "gap_of_shifts": "Difference of the two shifts",
    "gap_after": "Held-out − filter, on kept items",
}


def render(data: FilterReport) -> str:
    """The report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    return page(
        Path(__file__).parent / "report.html.j2",
        _per_cent,
        data=data,
        sentences=[row.text for row in data.conclusions if not row.warning],
        warnings=[f"{row.text[:1].upper()}{row.text[1:]}." for row in data.conclusions if row.warning],
        builtin=[row.model for row in data.shifts if row.model.startswith("builtin:")],
        plots=[markupsafe.Markup(svg) for svg in _plots(data)],
        # parts with a warning, then the largest: a page has no room for all pairs of clusters
        balance=sorted(data.balance, key=lambda r: (r.warning is None, -r.candidates, r.part)),
        parts=[(by, *_grid([r for r in data.survival if r.by == by])) for by in _kinds(data.survival)],
        most=MOST,
    )


def _plots(data: FilterReport) -> list[str]:
    first = next(iter(_kinds(data.survival)), "domain")
    kept = [(r.part, r.candidates, r.survived) for r in data.survival if (r.by, r.model) == (first, ANY)]
    nli = data.form == "nli"
    ends = [
        Ends(
            f"{row.model} (held out)" if row.role == "held_out" else row.model,
            row.before if isinstance(row, AccuracyRow) else row.c_before,
            row.after if isinstance(row, AccuracyRow) else row.c_after,
        )
        for row in data.shifts
    ]
    held_out = {row.model for row in data.shifts if row.role == "held_out"}
    overlap = (
        [overlap_plot(data.overlap, data.models, held_out)] if any(r.models for r in data.overlap) else []
    )
    drawn = [
        *overlap,
        survival_plot(kept, first),
        shift_plot(
            ends, "Accuracy before and after the filter" if nli else "Mean |C| before and after the filter"
        ),
    ]
    if data.gap:
        drawn.append(gap_plot(data.gap, _GAP, "Held-out gap" if nli else "Held-out gap in mean |C|"))
    return drawn


def _kinds(rows: Sequence[SurvivalRow]) -> list[str]:
    return list(dict.fromkeys(r.by for r in rows))


Line = tuple[str, int, list[int]]


def _grid(rows: Sequence[SurvivalRow]) -> tuple[list[str], list[Line], int]:
    """The models, the largest parts with their counts by model, and how many parts are not shown."""
    models = list(dict.fromkeys("kept" if r.model == ANY else r.model for r in rows))
    parts: dict[str, Line] = {}
    for row in rows:
        parts.setdefault(row.part, (row.part, row.candidates, []))[2].append(row.survived)
    largest = sorted(parts.values(), key=lambda line: (-line[1], line[0]))
    return models, largest[:MOST], max(0, len(largest) - MOST)


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}".replace("-", "−")
