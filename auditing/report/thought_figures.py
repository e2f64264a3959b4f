"""The section on the thinking of models: its length by group and in pairs, and all measures as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.measure import Measure, built_in
from nextset.auditing.measures.thought_measures import (
    CHARACTERS,
    CHARACTERS_GAP,
    TOKENS,
    TOKENS_GAP,
    ThoughtMeasure,
)
from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot
from nextset.auditing.report.item_figures import estimate, model_label
from nextset.auditing.report.number_table import Column, NumberTable, Row, Unit
from nextset.auditing.report.page_section import PageSection
from nextset.forms import FORMS
from nextset.html.svg import ANTI

__all__ = ["thought_section", "without_thoughts"]

_MEASURES: tuple[Measure, ...] = built_in(ThoughtMeasure)
_NAMES = frozenset(m.name for m in _MEASURES)
MOST_GROUPS = 12
"""The number of groups per model in the figure; the table has all."""


def without_thoughts(audit: AuditTables) -> AuditTables:
    """Return ``audit`` without the measures of thinking, which have their own section."""
    return replace(audit, measures=[row for row in audit.measures if row.measure not in _NAMES])


def thought_section(measures: Sequence[MeasureRow]) -> PageSection:
    """Return the section on thinking; it is empty if no model showed any."""
    rows = [row for row in measures if row.measure in _NAMES]
    length, gap, noun = _unit(rows)
    figures = (_by_group(rows, length, noun), _gaps(rows, gap, noun))
    tables = tuple(_table(rows, form) for form in dict.fromkeys(row.form for row in rows))
    return PageSection(
        "thinking", "Thinking before answers", tuple(f for f in figures if f is not None), (), tables
    )


def _unit(rows: Sequence[MeasureRow]) -> tuple[Measure, Measure, str]:
    """Return the length, its difference and their noun: tokens if they are known for every model."""
    models = {row.model for row in rows}
    counted = {row.model for row in rows if row.measure == TOKENS.name and row.value is not None}
    if models == counted:
        return TOKENS, TOKENS_GAP, "tokens"
    return CHARACTERS, CHARACTERS_GAP, "characters"


def _by_group(rows: Sequence[MeasureRow], measure: Measure, noun: str) -> Figure | None:
    lengths = [r for r in rows if (r.by, r.measure) == ("group", measure.name) and r.value is not None]
    if not lengths:
        return None
    by_model: dict[str, list[MeasureRow]] = {}
    for row in lengths:
        by_model.setdefault(_label(row), []).append(row)
    groups = [
        PlotGroup(
            label,
            tuple(
                PlotRow(r.part, estimate(r), ANTI, n=r.n)
                for r in sorted(own, key=lambda r: (-r.n, r.part))[:MOST_GROUPS]
            ),
        )
        for label, own in by_model.items()
    ]
    title = "Length of the thinking by group"
    svg = interval_plot(groups, "ratio", title, [f"Mean number of {noun}."], "answers", (0.0, 1.0))
    columns = (
        Column("Model"),
        Column("Group"),
        Column(noun.capitalize(), "ratio"),
        Column("Answers", "count"),
    )
    lines: tuple[Row, ...] = tuple((_label(r), r.part, estimate(r), r.n) for r in lengths)
    reading = (
        "The mean length of the thinking about items whose hypothesis is about the group. Groups differ in "
        "their templates too; the differences in pairs do not."
    )
    if any(len(own) > MOST_GROUPS for own in by_model.values()):
        reading += f" The figure has the {MOST_GROUPS} groups with the most answers."
    return Figure(reading, svg, NumberTable("thinking-by-group", f"{title}, in {noun}", columns, lines))


def _gaps(rows: Sequence[MeasureRow], measure: Measure, noun: str) -> Figure | None:
    gaps = [r for r in rows if (r.by, r.measure) == ("all", measure.name) and r.value is not None]
    if not gaps:
        return None
    short = short_names(list(dict.fromkeys(map(_label, gaps))), 15)
    title = "Length of the thinking in pairs"
    subtitle = [f"{noun.capitalize()} about the stereotype minus about the counterpart."]
    rows_shown = tuple(PlotRow(short[_label(r)], estimate(r), ANTI, n=r.n) for r in gaps)
    svg = interval_plot([PlotGroup("", rows_shown)], "ratio", title, subtitle, "pairs of answers")
    columns = (Column("Model"), Column("Difference", "ratio"), Column("Pairs of answers", "count"))
    lines: tuple[Row, ...] = tuple((_label(r), estimate(r), r.n) for r in gaps)
    reading = (
        "The two items of a pair differ only in the group. Right of 0, the model thinks longer about the "
        "stereotype than about the same statement on the other group."
    )
    return Figure(reading, svg, NumberTable("thinking-in-pairs", f"{title}, in {noun}", columns, lines))


def _table(rows: Sequence[MeasureRow], form: str) -> NumberTable:
    overall = [r for r in rows if (r.form, r.by) == (form, "all")]
    there = {r.measure for r in overall}
    measures = [m for m in _MEASURES if m.name in there]
    classes = any(r.subject_class for r in overall)
    by_place: dict[tuple[str, str], dict[str, MeasureRow]] = {}
    for row in overall:
        by_place.setdefault((row.subject_class, model_label(row)), {})[row.measure] = row
    columns = [Column("Class")] * classes
    columns += [Column("Model"), *(Column(m.shown_title, _unit_of(m)) for m in measures)]
    columns += [Column("Answers", "count")]
    lines: tuple[Row, ...] = tuple(
        (*([subject_class] * classes), model, *(estimate(own.get(m.name)) for m in measures), _answers(own))
        for (subject_class, model), own in by_place.items()
    )
    caption = f"Measures of thinking: {FORMS[form].noun}"
    return NumberTable(f"thinking-{form}".replace("_", "-"), caption, tuple(columns), lines)


def _answers(own: dict[str, MeasureRow]) -> int:
    """Return the number of answers with thinking, as text or as a count of tokens."""
    return max(own[name].n for name in (TOKENS.name, CHARACTERS.name) if name in own)


def _unit_of(measure: Measure) -> Unit:
    return "ratio" if measure.scale == "number" else "per_cent"


def _label(row: MeasureRow) -> str:
    """Return the model's name, with the form if rows can be asked in several."""
    form = FORMS[row.form]
    return f"{model_label(row)} ({form.noun})" if form.asks else model_label(row)
