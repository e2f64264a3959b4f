"""The figures of choice items: bias and accuracy with intervals, and heat maps of category and model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.choice_measures import (
    ACCURACY_AMBIGUOUS,
    ACCURACY_DISAMBIGUATED,
    S_AMB,
    S_DIS,
)
from nextset.auditing.measures.measure import MEASURES
from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, counts_text, interval_plot, side_colour
from nextset.auditing.report.item_figures import SET_NAMES, estimate, measured_set, model_label
from nextset.auditing.report.number_table import Cell, Column, NumberTable, Row, shown
from nextset.forms import FormName
from nextset.html.diverging_scale import diverging, hundredths
from nextset.html.plot_layers import Mark, draw, labels, rectangles
from nextset.html.svg import ANTI, CELL_INK, INK, WIDTH
from nextset.html.text_width import shortened, text_width

__all__ = ["choice_figures"]

_ACCURACIES = (("ambiguous", ACCURACY_AMBIGUOUS.name), ("disambiguated", ACCURACY_DISAMBIGUATED.name))
_SCORES = (("ambiguous", S_AMB.name), ("disambiguated", S_DIS.name))
_CELL, _LABEL = 26, 150
"""The height of a row of a heat map, and the width of its labels."""
MOST_MODELS = 8
"""The largest number of models in a heat map."""
_READING = (
    "The scores are s_AMB and s_DIS. Orange and above 0: the answers that name a person go with the "
    "stereotypes. Blue and below 0: they go against them. In ambiguous contexts the score is smaller the "
    "more often the model says that it cannot be known."
)

_GREY = "A mark is grey if its interval contains 0, or if there are too few templates for one."


def choice_figures(audit: AuditTables, form: FormName) -> list[Figure]:
    """Return the figures of choice items; figures without data are omitted."""
    rows = [r for r in audit.measures if r.form == form]
    main = measured_set(rows)
    own = [r for r in rows if r.items == main]
    where = SET_NAMES.get(main, main)
    overall = [r for r in own if r.by == "all"]
    figures = [
        _by_model(overall, _SCORES, "Bias by model and context", f"Of the {where}.", None, f"bias-{form}"),
        *_heat_maps(own, form),
        _by_model(
            overall,
            _ACCURACIES,
            "Accuracy by model and context",
            f"Of the {where}.",
            (0, 1),
            f"accuracy-{form}",
        ),
        _sets(rows, form),
        _by_category(own, form),
    ]
    return [figure for figure in figures if figure]


def _by_model(
    rows: Sequence[MeasureRow],
    measures: Sequence[tuple[str, str]],
    title: str,
    subtitle: str,
    ends: tuple[float, float] | None,
    name: str,
) -> Figure | None:
    """Return the figure of two measures, one per condition, of each model with intervals."""
    by_place = {(model_label(r), r.measure): r for r in rows if r.value is not None}
    models = list(dict.fromkeys(model for model, _ in by_place))
    known = [m for m in measures if any((model, m[1]) in by_place for model in models)]
    if not known:
        return None
    groups = [
        PlotGroup(
            model,
            tuple(
                PlotRow(label, estimate(row), _colour(row), n=row.n)
                for label, measure in known
                if (row := by_place.get((model, measure)))
            ),
        )
        for model in models
    ]
    svg = interval_plot(groups, "per_cent", title, [subtitle, "In per cent."], "items", ends)
    columns = (Column("Model"), *_columns(measure for _, measure in known))
    lines: tuple[Row, ...] = tuple(
        (model, *_cells([by_place.get((model, measure)) for _, measure in known])) for model in models
    )
    reading = f"{_READING} {_GREY}" if ends is None else "The dot is the share of right answers."
    return Figure(reading, svg, NumberTable(name, title, columns, lines))


def _columns(measures: Iterable[str]) -> tuple[Column, ...]:
    return tuple(
        column
        for m in measures
        for column in (
            Column(MEASURES[m].shown_title, "per_cent"),
            Column(f"{MEASURES[m].shown_title}, items", "count"),
        )
    )


def _cells(rows: Sequence[MeasureRow | None]) -> tuple[Cell, ...]:
    return tuple(cell for row in rows for cell in (estimate(row), row.n if row else None))


def _colour(row: MeasureRow) -> str:
    """Return the colour of a mark: for a score, that of the side on which its interval is, else grey."""
    return side_colour(estimate(row), 0.0) if row.measure in (S_AMB.name, S_DIS.name) else ANTI


def _heat_maps(rows: Sequence[MeasureRow], form: FormName) -> list[Figure | None]:
    """Return the scores of both conditions by category and model, as in the paper on BBQ."""
    cues = {r.part.rpartition(" (")[0] for r in rows if r.by == "category_cue"}
    parts = [
        r
        for r in rows
        if (r.by == "category" and r.part not in cues) or r.by == "category_cue"
        if r.value is not None
    ]
    return [_heat_map([r for r in parts if r.measure == m], m, label, form) for label, m in _SCORES]


def _heat_map(rows: Sequence[MeasureRow], measure: str, label: str, form: FormName) -> Figure | None:
    categories = sorted({r.part for r in rows})
    every = list(dict.fromkeys(r.model for r in rows))
    models = every[:MOST_MODELS]
    here = [r for r in rows if r.model in models]
    if len(categories) < 2 or not models:
        return None
    short = short_names(models, 26)
    top = 8 + max(text_width(short[m]) for m in models) * 7.6
    step = (WIDTH - _LABEL) / len(models)
    height = round(top + _CELL * len(categories) + 2)
    cells: list[Mark] = []
    numbers: list[Mark] = []
    for row in here:
        value = row.value or 0.0
        x, y = _LABEL + models.index(row.model) * step, top + categories.index(row.part) * _CELL
        cells.append(
            {"x": x + 1, "x2": x + step - 1, "y": y + 1, "y2": y + _CELL - 1, "colour": diverging(value)}
        )
        numbers.append({"x": x + step / 2, "y": y + _CELL / 2, "text": hundredths(value)})
    columns = [{"x": _LABEL + (i + 0.5) * step, "y": top - 5, "text": short[m]} for i, m in enumerate(models)]
    lines = [
        {"x": 0, "y": top + (i + 0.5) * _CELL, "text": shortened(c, 20)} for i, c in enumerate(categories)
    ]
    layers = [
        rectangles(cells, height),
        labels(numbers, height, "center", colour=CELL_INK),
        labels(columns, height, "left", angle=270, colour=INK),
        labels(lines, height, "left", colour=INK),
    ]
    title = f"Bias by category and model, {label} contexts"
    described = ", ".join(f"{r.part} – {r.model} {shown(r.value, 'per_cent')}" for r in here)
    counts = counts_text([r.n for r in here], "items per cell")
    svg = draw(height, layers, title, [f"{MEASURES[measure].shown_title}, in per cent.", counts],
               f"{title}. {described}")  # fmt: skip
    reading = f"{_READING} The numbers in the table have intervals."
    if len(every) > len(models):
        reading += f" The figure shows the first {len(models)} models."
    table_columns = (
        Column("Category"), Column("Model"), Column(MEASURES[measure].shown_title, "per_cent"),
        Column("Items", "count"),
    )  # fmt: skip
    ordered = sorted(rows, key=lambda r: (r.part, every.index(r.model)))
    table = tuple((r.part, model_label(r), estimate(r), r.n) for r in ordered)
    name = f"heat-map-{measure.replace('_', '-')}-{form}"
    return Figure(reading, svg, NumberTable(name, title, table_columns, table))


def _sets(rows: Sequence[MeasureRow], form: FormName) -> Figure | None:
    """Return the accuracies on the generated and on the released items; None unless there are both."""
    names = [name for name in ("generated", "released") if any(r.items == name for r in rows)]
    measures = {measure: label for label, measure in _ACCURACIES}
    overall = [r for r in rows if r.by == "all" and r.measure in measures and r.value is not None]
    if len(names) < 2 or not overall:
        return None
    groups = [
        PlotGroup(
            f"{model}, {label}",
            tuple(
                PlotRow(r.items, estimate(r), ANTI, "ring" if r.items == "generated" else "dot", r.n)
                for name in names
                for r in overall
                if (model_label(r), r.measure, r.items) == (model, measure, name)
            ),
        )
        for model in dict.fromkeys(map(model_label, overall))
        for measure, label in measures.items()
    ]
    title = "Accuracy on the generated and on the released items"
    svg = interval_plot(
        groups, "per_cent", title, ["Ring: generated. Dot: released.", "In per cent."], "items", (0, 1)
    )
    columns = (
        Column("Model"), Column("Context"), Column("Set"), Column("Accuracy", "per_cent"),
        Column("Items", "count"),
    )  # fmt: skip
    lines = tuple(
        (model_label(r), measures[r.measure], SET_NAMES[r.items], estimate(r), r.n) for r in overall
    )
    reading = "The further left of the ring the dot is, the harder the released items are."
    return Figure(reading, svg, NumberTable(f"accuracy-by-set-{form}", title, columns, lines))


def _by_category(rows: Sequence[MeasureRow], form: FormName) -> Figure | None:
    """Return the scores of each category and model with intervals; None for fewer than two categories."""
    parts = [r for r in rows if r.by == "category" and r.value is not None]
    categories = sorted({r.part for r in parts})
    if len(categories) < 2:
        return None
    short = short_names(list(dict.fromkeys(r.model for r in parts)), 15)
    scores = [r for r in parts if r.measure in (S_AMB.name, S_DIS.name)]
    groups = [
        PlotGroup(
            f"{category}, {label}",
            tuple(
                PlotRow(short[r.model], estimate(r), _colour(r), n=r.n)
                for r in scores
                if (r.part, r.measure) == (category, measure)
            ),
        )
        for category in categories
        for label, measure in _SCORES
        if any((r.part, r.measure) == (category, measure) for r in scores)
    ]
    if not groups:
        return None
    title = "Bias by category, context and model"
    svg = interval_plot(groups, "per_cent", title, ["In per cent."], "items")
    columns = (
        Column("Category"), Column("Measure"), Column("Model"), Column("Score", "per_cent"),
        Column("Items", "count"),
    )  # fmt: skip
    lines = tuple((r.part, MEASURES[r.measure].shown_title, model_label(r), estimate(r), r.n) for r in scores)
    reading = (
        "Compare the models within a category. A mark is grey if its interval contains 0, or if there are "
        "too few templates for one."
    )
    return Figure(reading, svg, NumberTable(f"bias-by-category-{form}", title, columns, lines))
