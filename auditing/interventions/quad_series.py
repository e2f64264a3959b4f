"""The measures of UnQover of one model with and without each intervention, in the same draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from nextset.auditing.interventions.intervention_records import InterventionSeries
from nextset.auditing.quads.quad_columns import SCORES, Bools, Floats, Lengths
from nextset.auditing.quads.quad_tables import QuadTable, scores_of
from nextset.auditing.quads.quad_values import MEASURES, ClassValues, class_values
from nextset.records.intervention import Intervention

__all__ = ["AskedQuads", "quad_series"]


@dataclass(frozen=True)
class AskedQuads:
    """The quads of a class in one language, and what one model answered."""

    quads: QuadTable
    """The quads."""
    language: str
    """Their language."""
    model: str
    """The model's published name."""
    lengths: Lengths | None
    """The token lengths of the subjects; None if nobody knows."""
    within: Mapping[str, Bools] = field(default_factory=dict)
    """For an intervention that is measured on some quads only: which, shape (quads,)."""


def quad_series(
    asked: AskedQuads,
    interventions: Sequence[Intervention],
    scores: Callable[[str], pa.Table],
) -> Iterator[InterventionSeries]:
    """Yield every measure with and without each of ``interventions`` that applies to some of the quads.

    ``scores`` returns the table of scores of an intervention, and without one for the empty id; scores of
    other quads are ignored. Raises MissingStage if a score is missing.
    """
    applied = {i.id: _applied(asked, i) for i in interventions}
    every = np.logical_or.reduce([np.zeros(asked.quads.columns.rows, np.bool_), *applied.values()])
    if not every.any():
        return
    without = _aligned(asked, scores(""), every)
    known: dict[bytes, ClassValues] = {}
    for intervention in interventions:
        rows = applied[intervention.id]
        if not rows.any():
            continue
        added = _aligned(asked, scores(intervention.id), rows)
        for selection, some in _selections(asked.lengths, rows):
            key = some.tobytes()
            if key not in known:
                known[key] = class_values(asked.quads.columns, without, some)
            yield from _rows(asked, selection, intervention, known[key], int(some.sum()), added=False)
            values = class_values(asked.quads.columns, added, some)
            yield from _rows(asked, selection, intervention, values, int(some.sum()), added=True)


def _aligned(asked: AskedQuads, table: pa.Table, rows: Bools) -> Floats:
    """The scores of the quads in their order, shape (8, quads), NaN where ``rows`` is false."""
    found = np.full((len(SCORES), len(rows)), np.nan)
    places = np.flatnonzero(rows)
    some = replace(asked.quads, ids=asked.quads.ids.take(pa.array(places)))
    found[:, places] = scores_of(some, asked.model, table)
    return found


def _applied(asked: AskedQuads, intervention: Intervention) -> Bools:
    columns = asked.quads.columns
    if asked.language != intervention.language or columns.subject_class not in intervention.classes:
        return np.zeros(columns.rows, np.bool_)
    within = asked.within.get(intervention.id, np.ones(columns.rows, np.bool_))
    if not intervention.attribute_clusters:
        return within
    named = np.isin(np.array(columns.attribute_clusters, dtype=np.str_), intervention.attribute_clusters)
    found: Bools = named[columns.attribute] & within
    return found


def _selections(lengths: Lengths | None, applied: Bools) -> Iterator[tuple[str, Bools]]:
    yield "all", applied
    if lengths is None:
        return
    for name, rows in (("equal_length", lengths.equal_length), ("single_token", lengths.single_token)):
        some = applied & rows
        if some.any() and not rows[applied].all():
            yield name, some


def _rows(
    asked: AskedQuads,
    selection: str,
    intervention: Intervention,
    values: ClassValues,
    n: int,
    *,
    added: bool,
) -> Iterator[InterventionSeries]:
    for measure in MEASURES:
        null = values.null.get(measure)
        yield InterventionSeries(
            form="statement" if asked.quads.columns.form == "statement" else "question",
            language=asked.language,
            part=asked.quads.columns.subject_class,
            selection=selection,
            model=asked.model,
            intervention=intervention.id,
            added=added,
            measure=measure,
            n=n,
            sizes=(values.templates, values.pairs),
            effective=None,
            values=tuple(values.values[measure].tolist()),
            null=() if null is None else tuple(null.tolist()),
        )
