"""The section on answers that are no choice: rates by model and part, the asymmetry of pairs, and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.measure import MEASURES, OutcomeMeasure, built_in
from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot
from nextset.auditing.report.item_figures import estimate, measured_set, model_label
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row
from nextset.auditing.report.page_section import PageSection
from nextset.auditing.shown_form import SHOWN_FORMS
from nextset.forms import FormName

__all__ = ["OUTCOME_NAMES", "outcome_section"]

_MEASURES = built_in(OutcomeMeasure)
OUTCOME_NAMES = tuple(m.name for m in _MEASURES)
"""The names of the measures of answers that are no choice."""
_RATES = tuple(m.name for m in _MEASURES if not m.paired)
_PAIRED = tuple(m.name for m in _MEASURES if m.paired)
_SELECTIONS = ("measured", "all")
MOST_DRAWN = 8
"""The largest number of parts that are drawn."""
_PLURALS = {"category": "categories"}
MOST_PARTS = 200
"""A table with more parts than this is only in the files next to the page."""


def outcome_section(audit: AuditTables, form: FormName, title: str) -> Iterator[PageSection]:
    """Yield the section on the rows asked in ``form``, whose name on the page is ``title``; none if every
    prompt was answered with a choice."""
    every = [r for r in audit.measures if r.form == form and r.selection in _SELECTIONS]
    main = measured_set(every)
    own = [r for r in every if r.items == main]
    rows = [r for r in own if r.measure in OUTCOME_NAMES]
    if not rows:
        return
    whole = [r for r in rows if r.by == "all"]
    part = SHOWN_FORMS[form]
    noun, drawn_by = part.noun, part.rates_drawn_by
    by_part = _by_part([r for r in rows if r.by == drawn_by], form, drawn_by)
    figures = [_rates(whole, form, noun), by_part, _asymmetry(rows, form)]
    parts = [by for by in part.rates_by if by != drawn_by or by_part is None]
    tables = [_bounds(own, form), *(_table([r for r in rows if r.by == by], form, by) for by in parts)]
    yield PageSection(
        f"no-choice-{form}",
        f"Answers that are no choice: {title.lower()}",
        tuple(f for f in figures if f),
        (),
        tuple(t for t in tables if t),
    )


def _named(row: MeasureRow) -> str:
    return f"{row.subject_class}: {model_label(row)}" if row.subject_class else model_label(row)


def _rates(rows: Sequence[MeasureRow], form: FormName, noun: str) -> Figure | None:
    rates = [r for r in rows if r.measure in _RATES]
    names = list(dict.fromkeys(_named(r) for r in rates))
    groups = [
        PlotGroup(
            name,
            tuple(PlotRow(_title(r).lower(), estimate(r), n=r.n) for r in rates if _named(r) == name),
        )
        for name in names
    ]
    title = "Prompts without a choice"
    svg = interval_plot(groups, "per_cent", title, ["In per cent of all prompts."], noun, (0.0, 0.05))
    measures = list(dict.fromkeys(r.measure for r in rates))
    lines: tuple[Row, ...] = tuple(
        (
            name,
            *(estimate(_find(rates, name, m)) for m in measures),
            max(r.n for r in rates if _named(r) == name),
        )
        for name in names
    )
    columns = (Column("Model"), *(Column(MEASURES[m].shown_title, "per_cent") for m in measures))
    columns += (Column(noun.capitalize(), "count"),)
    reading = (
        f"{SHOWN_FORMS[form].answered} The {noun} that the model did not answer "
        "count in none of the other measures. Their bounds, in the table below, say how far these could move."
    )
    return Figure(reading, svg, NumberTable(f"no-choice-rates-{form}", title, columns, lines))


def _by_part(rows: Sequence[MeasureRow], form: FormName, by: str) -> Figure | None:
    """Return the rates of each model in each part, such as a domain; None for fewer than two parts."""
    rates, noun = [r for r in rows if r.measure in _RATES], SHOWN_FORMS[form].noun
    table = _table(rows, form, by)
    sizes = {r.part: r.n for r in rates}
    if len(sizes) < 2 or table is None:
        return None
    drawn = sorted(sorted(sizes, key=lambda part: (-sizes[part], part))[:MOST_DRAWN])
    short = short_names(list(dict.fromkeys(map(_named, rates))), 22)
    groups = [
        PlotGroup(f"{part}: {short[name]}", tuple(lines))
        for part in drawn
        for name in short
        if (
            lines := [
                PlotRow(_title(r).lower(), estimate(r), n=r.n)
                for r in rates
                if (r.part, _named(r)) == (part, name)
            ]
        )
    ]
    title = f"Prompts without a choice by {by} and model"
    svg = interval_plot(groups, "per_cent", title, ["In per cent of its prompts."], noun, (0.0, 0.05))
    reading = f"Compare the models within a {by}, and a model across {_PLURALS.get(by, by + 's')}."
    if len(sizes) > MOST_DRAWN:
        reading += f" The figure has the {MOST_DRAWN} {_PLURALS.get(by, by + 's')} with the most {noun}."
    return Figure(reading, svg, table)


def _find(rows: Sequence[MeasureRow], name: str, measure: str) -> MeasureRow | None:
    return next((r for r in rows if _named(r) == name and r.measure == measure), None)


def _title(row: MeasureRow) -> str:
    return MEASURES[row.measure].shown_title


def _asymmetry(rows: Sequence[MeasureRow], form: FormName) -> Figure | None:
    paired = [r for r in rows if r.measure in _PAIRED and r.by in ("all", "domain")]
    if not paired:
        return None
    parts = list(dict.fromkeys((r.by, r.part) for r in paired))
    short = short_names(list(dict.fromkeys(r.model for r in paired)), 22)
    drawn = [p for p in parts if p[0] == "all"] if len(parts) > MOST_DRAWN else parts
    measures = list(dict.fromkeys(r.measure for r in paired))
    groups = [
        PlotGroup(
            f"{MEASURES[measure].shown_title}: {part}",
            tuple(
                PlotRow(short[r.model], estimate(r), n=r.n)
                for r in paired
                if (r.by, r.part, r.measure) == (by, part, measure)
            ),
        )
        for measure in measures
        for by, part in drawn
    ]
    title = "Asymmetry between an item and its counterpart"
    svg = interval_plot(groups, "per_cent", title, ["In points of per cent."], "items in pairs")
    columns = (
        Column("Measure"), Column("Part"), Column("Model"), Column("Asymmetry", "per_cent"),
        Column("Items in pairs", "count"), Column("Note"),
    )  # fmt: skip
    lines = tuple((_title(r), r.part, model_label(r), estimate(r), r.n, r.note) for r in paired)
    reading = (
        "Right of 0: the model declines the item that states the stereotype and answers its counterpart more "
        "often than the other way round."
    )
    return Figure(reading, svg, NumberTable(f"no-choice-asymmetry-{form}", title, columns, lines))


def _bounds(rows: Sequence[MeasureRow], form: FormName) -> NumberTable | None:
    """Return the bounds of the measures that rows without an answer could change; None if there are none."""
    unit = SHOWN_FORMS[form].unit
    open_rows = [r for r in rows if r.by == "all" and r.bound_low != r.bound_high]
    if not open_rows:
        return None
    lines: tuple[Row, ...] = tuple(
        (
            _named(r),
            MEASURES[r.measure].shown_title,
            estimate(r),
            Estimate(r.bound_low),
            Estimate(r.bound_high),
            r.n,
        )
        for r in open_rows
    )
    columns = (
        Column("Model"), Column("Measure"), Column("Answered rows", unit), Column("Lowest", unit),
        Column("Highest", unit), Column("Answered", "count"),
    )  # fmt: skip
    caption = "The lowest and the highest values if all rows had been answered"
    return NumberTable(f"bounds-{form}", caption, columns, lines)


def _table(rows: Sequence[MeasureRow], form: FormName, by: str) -> NumberTable | None:
    places = list(dict.fromkeys((_named(r), r.part) for r in rows))
    measures = list(dict.fromkeys(r.measure for r in rows))
    if not rows or len({part for _, part in places}) > MOST_PARTS:
        return None
    by_place = {(_named(r), r.part, r.measure): r for r in rows}
    lines: tuple[Row, ...] = tuple(
        (
            part, name, *(estimate(by_place.get((name, part, m))) for m in measures),
            max(r.n for r in rows if (_named(r), r.part) == (name, part)),
        )
        for name, part in places
    )  # fmt: skip
    columns = (
        Column(by.capitalize()), Column("Model"),
        *(Column(MEASURES[m].shown_title, "per_cent") for m in measures), Column("Rows", "count"),
    )  # fmt: skip
    return NumberTable(f"no-choice-{form}-{by}", f"Prompts without a choice by {by}", columns, lines)
