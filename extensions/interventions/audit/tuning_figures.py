"""The changes that tuning made in readers, as a figure and a table."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row, Unit
from nextset.auditing.report.result_tables import measure_name, measure_unit
from nextset.extensions.interventions.audit.intervention_figures import (
    HEADLINE,
    group_heading,
    part_name,
    place_text,
)
from nextset.extensions.interventions.audit.intervention_records import TuningChange
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY
from nextset.html.svg import ANTI, INK

__all__ = ["tuning_figures"]

_TITLES = {HEADLINE["question"]: "μ before and after tuning", TWIN_ACCURACY: "Twins before and after tuning"}


def tuning_figures(rows: Sequence[TuningChange]) -> list[Figure]:
    """Return figures of μ, and of the accuracy on specified twins, before and after tuning; empty without
    tuning."""
    return [
        _figure([r for r in rows if r.measure == measure], measure, rows)
        for measure in _TITLES
        if any(r.measure == measure for r in rows)
    ]


def _figure(own: Sequence[TuningChange], measure: str, rows: Sequence[TuningChange]) -> Figure:
    unit = _unit(measure)
    by_model: dict[tuple[str, ...], list[TuningChange]] = {}
    for row in own:
        by_model.setdefault((row.language, row.part, row.tuned, row.place), []).append(row)
    names = short_names(list(dict.fromkeys(r.model for r in own)), 28)
    groups, noun = [], "twins" if measure == TWIN_ACCURACY else "questions"
    for mine in by_model.values():
        first = mine[0]
        marks = [("no sentence", first.n, first.before_without, first.after_without)]
        marks += [(f"{row.kind} sentences", row.n, row.before_with, row.after_with) for row in mine]
        groups.append(PlotGroup(group_heading(first, names, own), ()))
        for given, n, before, after in marks:
            of_kind = (
                PlotRow("before", Estimate(before), INK, "ring", n),
                PlotRow("after", Estimate(after), ANTI, n=n),
            )
            groups.append(PlotGroup(given, of_kind))
    ends = (0.0, 1.0) if measure == TWIN_ACCURACY else (0.0, 0.01)
    subtitle = "Right answers; chance is 50." if measure == TWIN_ACCURACY else "Further left is less bias."
    svg = interval_plot(groups, unit, _TITLES[measure], [subtitle], noun, ends)
    reading = (
        "Training never saw these questions, subjects and sentences. With ethical sentences, the tuned "
        "reader should be less biased; with other sentences, it should be as biased as before. Specified "
        "twins show whether it still reads the contexts. The numbers have intervals of the changes if "
        "there are enough rows."
    )
    shown = rows if measure == HEADLINE["question"] else own
    return Figure(reading, svg, _table(shown, f"tuning-{measure}".replace("_", "-"), _TITLES[measure]))


def _table(rows: Sequence[TuningChange], name: str, caption: str) -> NumberTable:
    columns = (
        Column("Class"), Column("Model"), Column("Kind and place"), Column("Measure"),
        Column("Before", "mixed"), Column("After", "mixed"), Column("Change", "mixed"),
        Column("No sentence, before", "mixed"), Column("No sentence, after", "mixed"),
        Column("No sentence, change", "mixed"), Column("Sentences", "count"), Column("Rows", "count"),
    )  # fmt: skip
    lines: list[Row] = []
    for r in rows:
        unit = _unit(r.measure)
        measure = "Specified twins" if r.measure == TWIN_ACCURACY else measure_name(r.measure)
        lines.append(
            (
                part_name(r), r.model, f"{r.kind}, {place_text(r.place)}", measure,
                Estimate(r.before_with, unit=unit), Estimate(r.after_with, unit=unit),
                Estimate(r.change, r.low, r.high, unit), Estimate(r.before_without, unit=unit),
                Estimate(r.after_without, unit=unit),
                Estimate(r.change_without, r.low_without, r.high_without, unit), r.sentences, r.n,
            )
        )  # fmt: skip
    return NumberTable(name, caption, columns, tuple(lines))


def _unit(measure: str) -> Unit:
    return "per_cent" if measure == TWIN_ACCURACY else measure_unit("question")
