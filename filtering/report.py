"""The filter's report: one self-contained HTML page, without scripts and without any request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from nextset.bootstrap_intervals import FEW
from nextset.counted import per_cent_text
from nextset.filtering.balance import BalanceRow
from nextset.filtering.conclusions import ConclusionRow
from nextset.filtering.controls import ControlRow
from nextset.filtering.forms.filter_form import FILTERING_FORMS
from nextset.filtering.mark_counts import MarkRow
from nextset.filtering.plots import Ends, gap_plot, overlap_plot, shift_plot, survival_plot
from nextset.filtering.survival import ANY, OverlapRow
from nextset.filtering.unanswered import UnansweredRow
from nextset.forms import FormName
from nextset.html.page import page
from nextset.records.filter_tables import AccuracyRow, BiasRow, GapRow, SurvivalRow

__all__ = ["MOST", "FilterReport", "SampledRow", "render"]

MOST = 40
"""The maximum number of rows of a table on the page; the Parquet file has all of them."""


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A kept candidate on the page."""

    part: str
    """Its stereotype, or its class."""
    texts: tuple[str, ...]
    """Its columns that the page shows."""
    answers: Mapping[str, Sequence[tuple[str, str]]]
    """The models that gave each answer, each with its role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterReport:
    """The data of the filter's report."""

    study: str
    """The study's name."""
    form: FormName
    """The form of the candidates."""
    rule: str
    """The rule as text."""
    pairs: str
    """whole or apart."""
    scored: str
    """The computation of the scores, as text."""
    balanced: str
    """The steps taken for balance, as text."""
    cascade: bool
    """True if later models were asked only about undecided items."""
    candidates: int
    kept: int
    with_pair: int
    """The number of candidates that are kept only because of their pair."""
    reasons: tuple[tuple[str, int], ...]
    """The reasons for rejection, each with its number of candidates."""
    survival: tuple[SurvivalRow, ...]
    """The numbers of candidates that are kept or hard, by part and model."""
    overlap: tuple[OverlapRow, ...]
    """The numbers of candidates, by the combination of models that find them hard."""
    models: tuple[str, ...]
    """The filter models, then the held-out models; only those that were asked about every candidate."""
    shifts: tuple[AccuracyRow | BiasRow, ...]
    """The values of each model before and after the filter."""
    gap: tuple[GapRow, ...]
    """Filter models and held-out models compared; empty if no model is held out."""
    balance: tuple[BalanceRow, ...]
    """The shares of stances or groups."""
    marks: tuple[MarkRow, ...] = ()
    """The marks of fills; empty if the study did not mark fills."""
    conclusions: tuple[ConclusionRow, ...] = ()
    """The sentences at the top of the page, and warnings."""
    controls: tuple[ControlRow, ...] = ()
    """Each model's answers to the test items."""
    unanswered: Mapping[tuple[str, str], UnansweredRow] = field(default_factory=dict)
    """The models that left candidates or test items unanswered, by name and role."""
    sample: tuple[SampledRow, ...] = ()
    """Some of the kept candidates, by part; empty if nothing is kept."""


_GAP = {
    "filter_shift": "Filter models, after − before",
    "held_out_shift": "Held-out models, after − before",
    "gap_of_shifts": "Difference of the two shifts",
    "gap_after": "Held-out − filter, on kept items",
}


def render(data: FilterReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    return page(
        Path(__file__).parent / "report.html.j2",
        per_cent_text,
        data=data,
        form=FILTERING_FORMS[data.form],
        sentences=[row.text for row in data.conclusions if not row.warning],
        warnings=[f"{row.text[:1].upper()}{row.text[1:]}." for row in data.conclusions if row.warning],
        builtin=[row.model for row in data.shifts if row.model.startswith("builtin:")],
        plots=[markupsafe.Markup(svg) for svg in _plots(data)],
        # parts with a warning first, then the largest: all pairs of clusters would not fit on a page
        balance=sorted(data.balance, key=lambda r: (r.warning is None, -r.candidates, r.part)),
        parts=[(by, *_grid([r for r in data.survival if r.by == by])) for by in _kinds(data.survival)],
        most=MOST,
        needed=FEW,
        sample=[(part, list(rows)) for part, rows in groupby(data.sample, key=lambda row: row.part)],
    )


def _plots(data: FilterReport) -> list[str]:
    first = next(iter(_kinds(data.survival)), "domain")
    kept = [(r.part, r.candidates, r.survived) for r in data.survival if (r.by, r.model) == (first, ANY)]
    form = FILTERING_FORMS[data.form]
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
        shift_plot(ends, form.shift_title, data.candidates, data.kept),
    ]
    if data.gap:
        drawn.append(gap_plot(data.gap, _GAP, form.gap_title))
    return drawn


def _kinds(rows: Sequence[SurvivalRow]) -> list[str]:
    return list(dict.fromkeys(r.by for r in rows))


Line = tuple[str, int, list[tuple[int, int]]]


def _grid(rows: Sequence[SurvivalRow]) -> tuple[list[str], list[Line], int]:
    """Return the models, the largest parts with their counts by model, and the number of parts not shown."""
    models = list(dict.fromkeys("kept" if r.model == ANY else r.model for r in rows))
    parts: dict[str, Line] = {}
    for row in rows:
        parts.setdefault(row.part, (row.part, row.candidates, []))[2].append((row.survived, row.candidates))
    largest = sorted(parts.values(), key=lambda line: (-line[1], line[0]))
    return models, largest[:MOST], max(0, len(largest) - MOST)
