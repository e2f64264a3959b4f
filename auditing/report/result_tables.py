"""The tables of an audit as the page shows them: measures by part, comparisons, sensitivity, wordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nextset.auditing.audit_records import ComparisonRow, MeasureRow, OwnMeasure
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.item_measures import ACCURACY_CONTROLS
from nextset.auditing.measures.measure import MEASURES, CountMeasure, built_in
from nextset.auditing.nli.judged_weights import SELECTIONS
from nextset.auditing.report.item_figures import SET_NAMES, estimate, measured_set, model_label
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, Row, Unit
from nextset.auditing.report.outcome_figures import OUTCOME_NAMES
from nextset.auditing.shown_form import SHOWN_FORMS
from nextset.forms import FORMS, FormName

__all__ = [
    "comparison_table",
    "measure_name",
    "measure_notes",
    "measure_tables",
    "measure_unit",
    "measured_rows",
    "sensitivity_table",
    "wording_table",
]

CONTROLS = ACCURACY_CONTROLS.name
_WITH_CONTROLS = tuple(m.name for m in built_in(CountMeasure) if ACCURACY_CONTROLS.rows in m.drawn)
MOST_PARTS = 60
"""A table by part with more parts than this is only in the files next to the page."""
_QUAD_SELECTIONS = {
    "all": "all quads",
    "equal_length": "quads whose subjects have the same number of tokens",
    "single_token": "quads whose subjects have one token each",
}


def measure_name(measure: str, own: Sequence[OwnMeasure] = ()) -> str:
    """Return the name of a measure on the page; ``own`` are the measures that are not nextset's."""
    title = next((m.title for m in own if m.measure == measure), "")
    if not title and measure in MEASURES.own_names:
        title = MEASURES[measure].shown_title
    return title or measure.replace("_", " ")


def measured_rows(rows: Iterable[MeasureRow], own: Sequence[OwnMeasure] = ()) -> int:
    """Return the number of items that measure bias, or of quads, that the measures of one part count; 0
    without rows.

    Measures that also count controls are ignored, and those that are not nextset's.
    """
    known, ignored = list(rows), {*_WITH_CONTROLS, *(m.measure for m in own)}
    by_accuracy: dict[str, int] = {}  # the rows of a model may be divided among several accuracies
    for r in known:
        if r.measure in SHOWN_FORMS[r.form].accuracies:
            by_accuracy[r.model] = by_accuracy.get(r.model, 0) + r.n
    of_measures = (r.n for r in known if r.measure not in ignored)
    return max((*of_measures, *by_accuracy.values()), default=0)


def measure_unit(form: FormName, measure: str = "", own: Sequence[OwnMeasure] = ()) -> Unit:
    """Return the unit of a measure on the page: that of its form, such as fraction for quads.

    A measure without bounds, one of ``own``, is a ratio.
    """
    if any(m.measure == measure and m.scale == "number" for m in own):
        return "ratio"
    return SHOWN_FORMS[form].unit


def measure_tables(audit: AuditTables, form: FormName) -> list[NumberTable]:
    """Return the measures asked in ``form``: one table per set, selection and kind of part."""
    rows = [r for r in audit.measures if r.form == form and r.measure not in OUTCOME_NAMES]
    main = measured_set(rows)
    tables = []
    groups = dict.fromkeys((r.items, r.selection, r.by) for r in rows if r.items == main or r.by == "all")
    for items, selection, by in groups:
        here = [r for r in rows if (r.items, r.selection, r.by) == (items, selection, by)]
        if by == "all" or len({(r.subject_class, r.part) for r in here}) <= MOST_PARTS:
            tables.append(_table(here, form, (items, selection, by), audit.own_measures))
    return tables


def _table(
    rows: Sequence[MeasureRow],
    form: FormName,
    place: tuple[str, str, str],
    own_measures: Sequence[OwnMeasure],
) -> NumberTable:
    items, selection, by = place
    measures = list(dict.fromkeys(r.measure for r in rows))
    classes = any(r.subject_class for r in rows)
    by_place: dict[tuple[str, str, str], dict[str, MeasureRow]] = {}
    for row in rows:
        by_place.setdefault((row.subject_class, row.part, model_label(row)), {})[row.measure] = row
    columns = [Column(m, "text") for m, shows in (("Class", classes), ("Part", by != "all")) if shows]
    columns += [
        Column("Model"),
        *(Column(measure_name(m, own_measures), measure_unit(form, m, own_measures)) for m in measures),
    ]
    columns += [Column(SHOWN_FORMS[form].noun.capitalize(), "count")]
    controls = CONTROLS in measures
    columns += [Column("Control items", "count")] if controls else []
    lines: list[Row] = []
    for (subject_class, part, model), own in by_place.items():
        heads = [t for t, shows in ((subject_class, classes), (part, by != "all")) if shows]
        counts: list[int | None] = [measured_rows(own.values(), own_measures)]
        counts += [own[CONTROLS].n if CONTROLS in own else None] if controls else []
        lines.append((*heads, model, *(estimate(own.get(m)) for m in measures), *counts))
    where = SET_NAMES.get(items, items)
    caption = f"{where.capitalize()}{'' if by == 'all' else f' by {by}'}, {_selection(selection)}"
    name = f"measures-{form}-{items}-{selection}-{by}".replace("_", "-")
    return NumberTable(name, caption, tuple(columns), tuple(lines))


def _selection(selection: str) -> str:
    return (_QUAD_SELECTIONS | SELECTIONS).get(selection, selection)


def measure_notes(rows: Iterable[MeasureRow], own: Sequence[OwnMeasure] = ()) -> list[str]:
    """Return the notes on measures of all items, each listed once with its sets, models and measures.

    Notes on ``own``, the measures that are not nextset's, say where they are from.
    """
    by_note: dict[tuple[str, str], dict[str, list[str]]] = {}
    known = [r for r in rows if r.by == "all"]
    for row in known:
        if row.note:
            where = by_note.setdefault((SET_NAMES.get(row.items, row.items), row.note), {})
            where.setdefault(row.model, []).append(measure_name(row.measure, own))
    models = len({r.model for r in known})
    notes = []
    for (items, note), by_model in by_note.items():
        who = "all models" if len(by_model) == models > 1 else ", ".join(by_model)
        measures = dict.fromkeys(m for names in by_model.values() for m in names)
        notes.append(f"{'; '.join(measures)} ({items}, {who}): {note}.")
    for m in own:
        version = f" with the sha256 {m.sha256[:12]}…" if m.sha256 else ""
        about = f": {m.definition.rstrip('.')}" if m.definition else ""
        notes.append(f"{m.title} is not a measure of nextset. It is computed by {m.source}{version}{about}.")
    return notes


def comparison_table(audit: AuditTables, kind: str) -> NumberTable | None:
    """Return the comparisons of models, or of sets, with intervals and p-values; None if there are none."""
    comparisons = [r for r in audit.comparisons if r.kind == kind]
    if not comparisons:
        return None
    columns = (
        Column("First"), Column("Second"), Column("Measure"), Column("First value", "mixed"),
        Column("Second value", "mixed"), Column("Difference", "mixed"), Column("p", "p"),
        Column("p, corrected", "p"), *[Column("Not answered")] * any(r.note for r in comparisons),
    )  # fmt: skip
    notes = _pair_notes(comparisons, audit.own_measures)
    lines: list[Row] = []
    for r in comparisons:
        unit = measure_unit(r.form, r.measure, audit.own_measures)
        name = measure_name(r.measure, audit.own_measures)
        measure = f"{name}, {r.subject_class}" if r.subject_class else name
        form = FORMS[r.form]
        measure += f" ({form.noun})" if form.asks else f" ({form.released})" if form.quads else ""
        if kind == "sets":
            ends = (f"{r.first_model}, {_set(r.first_items)}", f"{r.second_model}, {_set(r.second_items)}")
        else:
            ends = (r.first_model, r.second_model)
            measure += f", {_set(r.first_items)}"
        values = (r.first_value, r.second_value)
        shown_values = tuple(Estimate(v, unit=unit) for v in values)
        difference = Estimate(r.difference, r.low, r.high, unit)
        p_values = (Estimate(r.p), Estimate(r.p_corrected))
        note = [notes.pop(_pair(r), "")] * (len(columns) > 8)
        lines.append((*ends, measure, *shown_values, difference, *p_values, *note))
    caption = "Models on the same items" if kind == "models" else "The same model on two sets"
    return NumberTable(f"comparisons-{kind}", f"{caption}: second minus first", columns, tuple(lines))


def _pair(row: ComparisonRow) -> tuple[str, ...]:
    """Return the key of the two models, or of the two sets, that are compared."""
    models = (row.first_model, row.second_model)
    return (row.form, row.subject_class, *models, row.first_items, row.second_items)


def _pair_notes(
    comparisons: Sequence[ComparisonRow], own: Sequence[OwnMeasure]
) -> dict[tuple[str, ...], str]:
    """Return the notes on each pair as one text, which the pair's first row shows for all of its rows."""
    by_pair: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for r in comparisons:
        if r.note:
            by_pair.setdefault(_pair(r), {}).setdefault(r.note, []).append(measure_name(r.measure, own))
    return {
        pair: "; ".join(f"{note} ({', '.join(measures)})" for note, measures in notes.items())
        for pair, notes in by_pair.items()
    }


def sensitivity_table(audit: AuditTables) -> NumberTable | None:
    """Return the range of each measure if one template at a time is omitted; None if it was not computed."""
    if not audit.sensitivity:
        return None
    lines: list[Row] = []
    for r in audit.sensitivity:
        unit = measure_unit(r.form, r.measure, audit.own_measures)
        name = measure_name(r.measure, audit.own_measures)
        measure = f"{name}, {r.subject_class}" if r.subject_class else name
        value, lowest, highest = (Estimate(v, unit=unit) for v in (r.value, r.lowest, r.highest))
        without = (lowest, r.lowest_without, highest, r.highest_without)
        lines.append((r.model, _set(r.items), measure, value, *without, r.templates))
    columns = (
        Column("Model"), Column("Set"), Column("Measure"), Column("All templates", "mixed"),
        Column("Lowest", "mixed"), Column("Lowest without"), Column("Highest", "mixed"),
        Column("Highest without"), Column("Templates", "count"),
    )  # fmt: skip
    caption = "Each measure with one template omitted: the lowest and the highest value"
    return NumberTable("sensitivity", caption, columns, tuple(lines))


def wording_table(audit: AuditTables) -> NumberTable | None:
    """Return the measures of generative models by the wording of the prompt; None without such models."""
    if not audit.wordings:
        return None
    lines = tuple(
        (
            r.model, _set(r.items), measure_name(r.measure, audit.own_measures), r.subject_class, r.wording,
            Estimate(r.value, unit=measure_unit(r.form)), r.n,
        )
        for r in audit.wordings
    )  # fmt: skip
    columns = (
        Column("Model"), Column("Set"), Column("Measure"), Column("Class"), Column("Wording", "count"),
        Column("Value", "mixed"), Column("Rows", "count"),
    )  # fmt: skip
    return NumberTable("wordings", "Measures with one wording of the prompt at a time", columns, lines)


def _set(items: str) -> str:
    return SET_NAMES.get(items, items)
