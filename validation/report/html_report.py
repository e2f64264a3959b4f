"""The validation report as a self-contained HTML page, without scripts or requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nextset.counted import counted, per_cent_text
from nextset.html.page import page
from nextset.interval import Interval
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.agreement.premise_dependence import TOLERATED
from nextset.validation.forms.validated_form import judged_form
from nextset.validation.plan.exposure import Exposure
from nextset.validation.report.plots import (
    confusion_plot,
    coverage_plot,
    domain_plot,
    drift_plot,
    gold_plot,
    speed_plot,
)
from nextset.validation.report.report_records import ValidationReport

__all__ = ["render"]

MOST = 40
"""The most disagreements, and the most templates, on the page; the Parquet files have all of them."""


def render(data: ValidationReport) -> str:
    """Return the report as HTML. The same data give the same bytes; every text from data is escaped."""
    import markupsafe

    def drawn(svgs: Sequence[str]) -> list[markupsafe.Markup]:
        return [markupsafe.Markup(svg) for svg in svgs]

    return page(
        Path(__file__).parent / "report.html.j2",
        per_cent_text,
        data=data,
        divided=data.disagreements[:MOST],
        more=max(0, len(data.disagreements) - MOST),
        templates=data.templates[:MOST],
        more_templates=max(0, len(data.templates) - MOST),
        waiting=sum(row.waiting for row in data.templates),
        units=sum(row.units for row in data.domains),
        enough=sum(row.enough for row in data.domains),
        few=sum(row.judged - row.enough for row in data.domains),
        things=judged_form(data.form, data.unit).noun,
        thing=judged_form(data.form, data.unit).singular,
        counted=counted,
        names=_NAMES,
        overall=[r for r in data.agreement if r.by == "all" and r.judge1 is None],
        pairs=[r for r in data.agreement if r.by == "all" and r.judge1 is not None],
        parts=[(by, _grid(data.agreement, by)) for by in ("domain", "stereotype")],
        read=_read(data.exposure),
        progress_plots=drawn(_progress_plots(data)),
        confusion_plots=drawn(_confusion_plots(data.confusion)),
        people_plots=drawn(_people_plots(data)),
        coefficient=_coefficient,
        explained=_explained,
        compared=_COMPARED,
        tolerated=TOLERATED,
        interval=_interval,
    )


_NAMES = {"per_cent": "Agreement", "alpha": "Krippendorff's α", "fleiss": "Fleiss' κ", "cohen": "Cohen's κ"}

_COMPARED = {
    "same premise": "one premise, two annotators",
    "same annotator": "two premises, one annotator",
    "neither": "two premises, two annotators",
}

_OVERALL = ("per_cent", "alpha", "fleiss")


def _progress_plots(data: ValidationReport) -> list[str]:
    return [coverage_plot(data.units_with), domain_plot(data.domains)] if data.domains else []


def _confusion_plots(rows: Sequence[ConfusionRow]) -> list[str]:
    """Return the plot of all people together, then one plot per person."""
    against_others = [row for row in rows if row.against == "others"]
    people = sorted({row.judge for row in against_others})
    return [
        confusion_plot([row for row in against_others if who in ("", row.judge)], who)
        for who in (["", *people] if people else [])
    ]


def _people_plots(data: ValidationReport) -> list[str]:
    drawn = []
    if any(row.first is not None for row in data.judges):
        drawn.append(drift_plot(data.judges))
    if data.speed:
        drawn.append(speed_plot(data.speed))
    if any(row.gold is not None for row in data.judges):
        drawn.append(gold_plot(data.judges))
    return drawn


def _grid(rows: Sequence[AgreementRow], by: str) -> list[tuple[str, str, list[AgreementRow]]]:
    """Return the rated label, the part, and its coefficients in the order of _OVERALL."""
    grid: dict[tuple[str, str], dict[str, AgreementRow]] = {}
    for row in rows:
        if row.by == by and row.judge1 is None:
            grid.setdefault((row.of, row.part), {})[row.name] = row
    return [(label, part, [by_name[name] for name in _OVERALL]) for (label, part), by_name in grid.items()]


def _read(rows: Sequence[Exposure]) -> tuple[list[str], list[tuple[Exposure, list[int]]]]:
    """Return the domains, and each person with the number of items read in each domain."""
    domains = sorted({domain for row in rows for domain in row.by_domain})
    return domains, [(row, [row.by_domain.get(domain, 0) for domain in domains]) for row in rows]


def _coefficient(row: AgreementRow, value: float | None) -> str:
    """Return a coefficient as text: percentages have one decimal, other values two."""
    if value is None:
        return "–"
    return (f"{value:.1f} %" if row.name == "per_cent" else f"{value:.2f}").replace("-", "−")


def _explained(rows: Sequence[AgreementRow]) -> list[str]:
    """Return the reasons for undefined coefficients, and the notes on units that others exclude, as text."""
    names_by_text: dict[str, list[str]] = {}
    for row in rows:
        for text in (row.why_undefined and f"undefined (–), since {row.why_undefined}", row.note):
            names = names_by_text.setdefault(text, []) if text else []
            if _NAMES[row.name] not in names:
                names.append(_NAMES[row.name])
    return [f"{', '.join(names)}: {text}." for text, names in names_by_text.items()]


def _interval(value: Interval | None) -> str:
    """Return a share with its interval, as percentages."""
    if value is None:
        return "–"
    point, low, high = (f"{100 * x:.0f}".replace("-", "−") for x in (value.point, value.low, value.high))
    return f"{point} ({low} to {high})"
