"""The report on a validation: one self-contained HTML page, without script and without any request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nextset.page import page
from validation.agreement.by_part import AgreementRow
from validation.report.plots import (
    confusion_plot,
    coverage_plot,
    domain_plot,
    drift_plot,
    gold_plot,
    speed_plot,
)
from validation.report.records import Exposed, ValidationReport

__all__ = ["render"]


def render(data: ValidationReport) -> str:
    """The report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    def drawn(svgs: Sequence[str]) -> list[markupsafe.Markup]:
        return [markupsafe.Markup(svg) for svg in svgs]

    return page(
        Path(__file__).parent / "report.html.j2",
        _per_cent,
        data=data,
        units=sum(row.units for row in data.domains),
        enough=sum(row.enough for row in data.domains),
        things={"nli": "hypotheses", "question": "questions", "statement": "statements"}[data.form],
        names=_NAMES,
        of=list(dict.fromkeys(row.of for row in data.agreement)),
        overall=[r for r in data.agreement if r.by == "all" and r.judge1 is None],
        pairs=[r for r in data.agreement if r.by == "all" and r.judge1 is not None],
        parts=[(by, _grid(data.agreement, by)) for by in ("domain", "stereotype")],
        exposed=_exposure(data.exposed),
        progress_plots=drawn(_progress_plots(data)),
        confusion_plots=drawn([confusion_plot(found) for found in data.confusion]),
        people_plots=drawn(_people_plots(data)),
        coefficient=_coefficient,
    )


_NAMES = {"per_cent": "Agreement", "alpha": "Krippendorff's α", "fleiss": "Fleiss' κ", "cohen": "Cohen's κ"}

_OVERALL = ("per_cent", "alpha", "fleiss")


def _progress_plots(data: ValidationReport) -> list[str]:
    return [coverage_plot(data.units_with), domain_plot(data.domains)] if data.domains else []


def _people_plots(data: ValidationReport) -> list[str]:
    drawn = []
    if data.drift:
        drawn.append(drift_plot(data.drift, data.stretch))
    if data.speed:
        drawn.append(speed_plot(data.speed, data.stretch))
    if data.gold:
        drawn.append(gold_plot(data.gold))
    return drawn


def _grid(rows: Sequence[AgreementRow], by: str) -> list[tuple[str, str, list[AgreementRow]]]:
    """What was rated, the part, and its coefficients in the order of _OVERALL."""
    found: dict[tuple[str, str], dict[str, AgreementRow]] = {}
    for row in rows:
        if row.by == by and row.judge1 is None:
            found.setdefault((row.of, row.part), {})[row.name] = row
    return [(of, part, [by_name[name] for name in _OVERALL]) for (of, part), by_name in found.items()]


def _exposure(rows: Sequence[Exposed]) -> tuple[list[str], list[tuple[str, list[int], int]], list[int]]:
    """The domains, a line a person with counts and their sum, and the sums by domain."""
    domains = sorted({domain for row in rows for domain, _ in row.domains})
    lines = []
    for row in rows:
        counts = [dict(row.domains).get(domain, 0) for domain in domains]
        lines.append((row.person, counts, sum(counts)))
    return domains, lines, [sum(column) for column in zip(*(c for _, c, _ in lines), strict=True)]


def _coefficient(row: AgreementRow, value: float | None) -> str:
    """A coefficient as it is written: per cent with one decimal, the others with two."""
    if value is None:
        return "–"
    return (f"{value:.1f} %" if row.name == "per_cent" else f"{value:.2f}").replace("-", "−")


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}".replace("-", "−")
