"""The figures of questions and masked statements (UnQover, Li et al. 2020): μ, the errors, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, pstdev

from nextset.auditing.audit_records import MeasureRow, PreferenceRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.figure import Figure
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot, side_colour
from nextset.auditing.report.item_figures import estimate, measured_set, model_label
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.folded_names import ascii_name
from nextset.forms import FormName
from nextset.html.svg import ANTI, ERROR, PRO

__all__ = ["quad_figures", "shown_preferences"]

_RANKED = 12
"""The number of subjects at each end of a figure of ranks."""
_ERRORS = (
    ("μ", "mu", PRO),
    ("mean |C|", "mean_c", PRO),
    ("position δ", "positional_error", ANTI),
    ("attribute ε", "attribute_error", ERROR),
)


def quad_figures(audit: AuditTables, form: FormName) -> list[Figure]:
    """Return the figures of quads asked in ``form``, except those of subjects with attributes."""
    rows = [r for r in audit.measures if r.form == form and r.selection == "all" and r.by == "all"]
    rows = [r for r in rows if r.items == measured_set(rows)]
    figures = [_mu(rows, form), _errors(rows, form)]
    for subject_class in dict.fromkeys(r.subject_class for r in rows):
        figures.append(_ranks(shown_preferences(audit, form, subject_class), form, subject_class))
    return [figure for figure in figures if figure]


def shown_preferences(audit: AuditTables, form: FormName, subject_class: str) -> list[PreferenceRow]:
    """Return the preferences of subjects of a class on the set that the report is about."""
    main = measured_set([r for r in audit.measures if r.form == form])
    return [
        row
        for row in audit.preferences
        if (row.form, row.items, row.subject_class) == (form, main, subject_class)
        and row.selection == "all"
        and row.by == "subject"
    ]


def _mu(rows: Sequence[MeasureRow], form: FormName) -> Figure | None:
    measured = [r for r in rows if r.measure == "mu" and r.value is not None]
    if not measured:
        return None
    classes = list(dict.fromkeys(r.subject_class for r in measured))
    by_model: dict[str, list[MeasureRow]] = {}
    for row in measured:
        by_model.setdefault(model_label(row), []).append(row)
    groups = [
        PlotGroup(label, tuple(PlotRow(r.subject_class or "all", estimate(r), PRO, n=r.n) for r in own))
        for label, own in by_model.items()
    ]
    title = f"μ by model ({form}s)"
    subtitle = ["The mean strength of a subject's top preference."]
    svg = interval_plot(groups, "fraction", title, subtitle, "quads", (0, 0.1))
    columns = (Column("Model"), Column("Class"), Column("μ", "fraction"), Column("Quads", "count"))
    order = [r for c in classes for r in measured if r.subject_class == c]
    lines = tuple((model_label(r), r.subject_class, estimate(r), r.n) for r in order)
    reading = (
        "Further to the right means a stronger preference, for or against. μ is a mean of maxima, so it is "
        "above 0 even by chance: compare it with the errors in the next figure. For a value "
        "without an interval, see the notes below."
    )
    return Figure(reading, svg, NumberTable(f"mu-{form}", title, columns, lines))


def _errors(rows: Sequence[MeasureRow], form: FormName) -> Figure | None:
    groups: list[PlotGroup] = []
    lines: list[Row] = []
    names = [(n, m, c) for n, m, c in _ERRORS if any(r.measure == m for r in rows)]
    by_place: dict[tuple[str, str], dict[str, MeasureRow]] = {}
    for row in rows:
        by_place.setdefault((model_label(row), row.subject_class), {})[row.measure] = row
    for (model, subject_class), own in by_place.items():
        if not any(m in own and own[m].value is not None for _, m, _ in names):
            continue
        bars = tuple(PlotRow(n, estimate(own[m]), c, "bar", own[m].n) for n, m, c in names if m in own)
        groups.append(PlotGroup(f"{subject_class}: {model}" if subject_class else model, bars))
        lines.append((model, subject_class, *(estimate(own.get(m)) for _, m, _ in names)))
    if not groups:
        return None
    title = f"Errors next to μ ({form}s)"
    svg = interval_plot(groups, "fraction", title, ["Score differences, from 0 to 1."], "quads", (0.0, 0.1))
    columns = (Column("Model"), Column("Class"), *(Column(n, "fraction") for n, _, _ in names))
    reading = (
        "δ: how much a score depends on the order of the subjects. ε: how little it depends on the negation. "
        "If δ and ε are much larger than mean |C|, position and wording decide the answers, not the subjects."
    )
    return Figure(reading, svg, NumberTable(f"errors-{form}", title, columns, tuple(lines)))


def _ranks(rows: Sequence[PreferenceRow], form: FormName, subject_class: str) -> Figure | None:
    overall = [r for r in rows if r.attribute == ""]
    models = list(dict.fromkeys(r.model for r in overall))
    if not models or len({r.subject for r in overall}) < 2:
        return None
    if len(models) == 1:
        return _gammas(overall, form, subject_class)
    ranks: dict[str, list[int]] = {}
    for model in models:
        own = sorted((r for r in overall if r.model == model), key=lambda r: (-r.gamma, r.subject))
        for place, row in enumerate(own, 1):
            ranks.setdefault(row.subject, []).append(place)
    order = sorted(ranks, key=lambda s: (mean(ranks[s]), s))
    spread = {s: Estimate(mean(r), mean(r) - pstdev(r), mean(r) + pstdev(r)) for s, r in ranks.items()}
    title = f"Ranks of subjects: {subject_class or form} ({form}s)"
    lines = tuple((s, Estimate(mean(ranks[s])), Estimate(pstdev(ranks[s])), len(ranks[s])) for s in order)
    columns = (
        Column("Subject"), Column("Mean rank", "rank"), Column("Deviation", "rank"), Column("Models", "count")
    )  # fmt: skip
    table = NumberTable(f"ranks-{form}-{_slug(subject_class)}", title, columns, lines)
    svg = interval_plot(
        _ends([PlotRow(s, spread[s], ANTI, n=len(ranks[s])) for s in order]), "rank", title,
        ["Mean rank by γ over the models; lines: ± 1 deviation."], "models", (1.0, float(len(order))),
    )  # fmt: skip
    reading = (
        "The subject with rank 1 goes with the attributes most. The number after ± is one standard "
        "deviation over the models, not an interval: a short line means that the models agree."
    )
    return Figure(reading, svg, table)


def _gammas(rows: Sequence[PreferenceRow], form: FormName, subject_class: str) -> Figure:
    order = sorted(rows, key=lambda r: (-r.gamma, r.subject))
    title = f"Subjects by γ: {subject_class or form} ({form}s)"
    estimates = {r.subject: Estimate(r.gamma, r.gamma_low, r.gamma_high) for r in order}
    marks = [
        PlotRow(r.subject, estimates[r.subject], side_colour(estimates[r.subject], 0.0), n=r.n) for r in order
    ]
    svg = interval_plot(_ends(marks), "fraction", title, ["γ over all attributes."], "quads", (-0.05, 0.05))
    columns = (Column("Subject"), Column("γ", "fraction"), Column("Quads", "count"))
    lines = tuple((r.subject, estimates[r.subject], r.n) for r in order)
    reading = (
        "To the right of 0, the model picks the subject for the attributes; to the left, it picks the "
        "other subjects. If a line crosses 0, no preference was found, and the dot is grey."
    )
    table = NumberTable(f"subjects-{form}-{_slug(subject_class)}", title, columns, lines)
    return Figure(reading, svg, table)


def _ends(rows: Sequence[PlotRow]) -> list[PlotGroup]:
    """Return all rows in one group, or the first and the last if there are many."""
    if len(rows) <= 2 * _RANKED:
        return [PlotGroup("", tuple(rows))]
    return [
        PlotGroup(f"The first {_RANKED} of {len(rows)}", tuple(rows[:_RANKED])),
        PlotGroup(f"The last {_RANKED}", tuple(rows[-_RANKED:])),
    ]


def _slug(name: str) -> str:
    return ascii_name(name.lower(), "-", "").strip("-") or "all"
