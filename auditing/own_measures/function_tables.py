"""The tables of measures that are functions: values with intervals, comparisons and sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.auditing.audit_records import MeasureRow, OwnMeasure, SensitivityRow, WordingRow
from nextset.auditing.model_comparisons import Compared
from nextset.auditing.own_measures.function_measure import FunctionMeasure
from nextset.auditing.own_measures.measured_rows import (
    AskedModel,
    DrawnFunction,
    MeasuredRows,
    drawn_functions,
)
from nextset.bootstrap_intervals import FEW, intervals, note_on_templates, too_few
from nextset.cluster_bootstrap import Clusters

__all__ = [
    "FunctionAudit",
    "audit_functions",
    "function_changes",
    "function_wordings",
    "of_form",
    "own_measures",
]


def of_form(measures: Sequence[FunctionMeasure], form: str) -> tuple[FunctionMeasure, ...]:
    """Return those of ``measures`` that are defined for ``form``, in the order of tables."""
    return tuple(sorted((m for m in measures if form in m.forms), key=lambda m: (m.place, m.name)))


@dataclass(frozen=True)
class FunctionAudit:
    """The values of functions on one set of rows."""

    measures: list[MeasureRow]
    """The values, by grouping, model, part and measure."""
    compared: list[Compared]
    """The measures over all rows with their draws, for comparisons of models."""
    sensitivity: list[SensitivityRow]
    """The measures with one template omitted at a time."""


def own_measures(measures: Sequence[FunctionMeasure]) -> list[OwnMeasure]:
    """Return what the tables of an audit say about ``measures``."""
    return [
        OwnMeasure(
            measure=m.name,
            title=m.shown_title,
            definition=m.definition,
            scale=m.scale,
            source=m.source,
            sha256=m.identity.get("sha256", ""),
        )
        for m in measures
    ]


def audit_functions(
    rows: MeasuredRows, measures: Sequence[FunctionMeasure], by: Sequence[str] = ()
) -> FunctionAudit:
    """Return the values of ``measures`` over the groupings ``by``; empty for all groupings of ``rows``.

    Raises InputError if a function does not return a number.
    """
    audit = FunctionAudit([], [], [])
    if not measures:
        return audit
    for grouping in by or rows.parts:
        parts = rows.parts.get(grouping, {})
        drawn = {
            part: drawn_functions(rows, measures, (grouping, part), each_template=grouping == "all")
            for part in parts
        }
        for model in rows.predictions:
            for part in parts:
                for measure in measures:
                    values = drawn[part][measure.name, model]
                    audit.measures.append(_row(rows, measure, model, (grouping, part), values))
        if grouping == "all":
            for measure in (m for m in measures if m.compared):
                for model in rows.predictions:
                    values = drawn["all"][measure.name, model]
                    audit.compared.append(_compared(rows, measure.name, model, values))
                    audit.sensitivity.extend(_sensitivity(rows, measure.name, model, values))
    return audit


def _row(
    rows: MeasuredRows,
    measure: FunctionMeasure,
    model: AskedModel,
    part: tuple[str, str],
    function: DrawnFunction,
) -> MeasureRow:
    drawn = function.drawn
    value, open_rows = float(drawn.values[0]), model in rows.unanswered
    interval = intervals(drawn.values, drawn.sizes, share=measure.scale == "share", support=drawn.support)
    if measure.scale != "number":
        interval = interval.within(-1 if measure.scale == "difference" else 0)
    low, high = interval.ends()
    note = None
    if np.isnan(value):
        note = f"undefined: {measure.undefined if function.n else 'there are no items'}"
    elif low is None and drawn.sizes[-1] < FEW:
        units = "pairs of subjects" if rows.crossed else "templates"
        note = too_few(drawn.sizes[-1], units)
    elif low is None:
        note = "no interval: the measure is undefined in many of the draws"
    elif rows.crossed:
        note = note_on_templates(drawn.sizes[0])
    return MeasureRow(
        form=rows.form,
        items=rows.items,
        selection=rows.selection,
        subject_class=rows.subject_class,
        by=part[0],
        part=part[1],
        model=model.model,
        role=model.role,
        measure=measure.name,
        value=None if np.isnan(value) else value,
        low=low,
        high=high,
        n=function.n,
        clusters=drawn.sizes[-1],
        note=note,
        # nextset cannot know which answers make a function smallest and largest
        **dict.fromkeys(("bound_low", "bound_high"), None if np.isnan(value) or open_rows else value),
    )


def function_changes(
    first: MeasuredRows, second: MeasuredRows, measures: Sequence[FunctionMeasure]
) -> Iterator[tuple[Compared, Compared]]:
    """Yield each measure of each model that both sets have, on the first set and on the second.

    A template of both sets is drawn for both, so that their common items do not widen the interval.
    """
    models = [m for m in first.predictions if m in second.predictions]
    for measure in (m for m in measures if m.compared):
        sides = (first, second)
        used = [{s.cluster_keys[i] for i in s.clusters.codes[s.kinds[measure.rows]].tolist()} for s in sides]
        places = {key: i for i, key in enumerate(sorted(used[0] | used[1]))}
        drawn = []
        for side in sides:
            of_level = np.array([places.get(key, 0) for key in side.cluster_keys], np.int64)
            codes = of_level[side.clusters.codes] if len(of_level) else side.clusters.codes
            joint = Clusters(codes, (np.arange(len(places)),), (len(places),), side.clusters.drawn)
            drawn.append(drawn_functions(side, [measure], ("all", "all"), joint))
        for model in models:
            pair = [d[measure.name, model] for d in drawn]
            yield (
                _compared(first, measure.name, model, pair[0]),
                _compared(second, measure.name, model, pair[1]),
            )


def function_wordings(
    rows: MeasuredRows, measures: Sequence[FunctionMeasure], wording: int
) -> Iterator[WordingRow]:
    """Yield the values of ``measures`` over all rows, model by model; ``rows`` have the predictions of the
    ``wording``, counted from 1. Raises InputError if a function does not return a number."""
    for model, predictions in rows.predictions.items():
        for measure in measures:
            chosen = np.flatnonzero(rows.kinds[measure.rows])
            value = np.nan
            if len(chosen):
                where = f"{model.model} and the wording {wording}"
                value = measure.value(rows.columns.take(chosen), predictions.take(chosen), where)
                measure.check(value, where)
            yield WordingRow(
                form=rows.form,
                items=rows.items,
                subject_class=rows.subject_class,
                model=model.model,
                measure=measure.name,
                wording=wording,
                value=None if np.isnan(value) else value,
                n=len(chosen),
            )


def _compared(rows: MeasuredRows, measure: str, model: AskedModel, function: DrawnFunction) -> Compared:
    return Compared(
        form=rows.form,
        items=rows.items,
        subject_class=rows.subject_class,
        model=model.model,
        role=model.role,
        measure=measure,
        drawn=function.drawn,
    )


def _sensitivity(
    rows: MeasuredRows, measure: str, model: AskedModel, function: DrawnFunction
) -> Iterator[SensitivityRow]:
    value = float(function.drawn.values[0])
    without = {place: left for place, left in function.without.items() if not np.isnan(left)}
    if np.isnan(value) or len(function.without) < 2 or not without:
        return
    low, high = min(without, key=without.__getitem__), max(without, key=without.__getitem__)
    yield SensitivityRow(
        form=rows.form, items=rows.items, subject_class=rows.subject_class, model=model.model,
        measure=measure, value=value, lowest=without[low],
        lowest_without=rows.cluster_name(low), highest=without[high],
        highest_without=rows.cluster_name(high), templates=len(function.without),
    )  # fmt: skip
