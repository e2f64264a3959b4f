"""The measures of UnQover of one model with and without each intervention, in the same draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.array_types import Bools, Floats
from nextset.auditing.quads.class_values import ClassValues, class_values
from nextset.auditing.quads.quad_columns import SCORES, Lengths
from nextset.auditing.quads.quad_tables import QuadTable, scores_of
from nextset.auditing.quads.quad_values import MEASURES, SIZES
from nextset.cluster_bootstrap import level_weights
from nextset.extensions.interventions.audit.answered_both import silent_quads
from nextset.extensions.interventions.audit.held_out_rows import HELD_OUT
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries
from nextset.extensions.interventions.intervention import Intervention

__all__ = ["AskedQuads", "quad_series"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AskedQuads:
    """The quads of a class in one language, and the model that was asked about them."""

    quads: QuadTable
    language: str
    model: str
    """The model's published name."""
    lengths: Lengths | None
    """The token lengths of the subjects; None if they are unknown."""
    within: Mapping[str, Bools] = field(default_factory=dict)
    """For each intervention that is measured on only some quads: which quads, shape (quads,)."""
    held_out: Bools | None = None
    """Which quads tuning never saw, shape (quads,); None without tuning."""
    tuned: bool = False
    """True if the model was tuned and is therefore measured only on held-out quads."""


def quad_series(
    asked: AskedQuads,
    interventions: Sequence[Intervention],
    scores: Callable[[str], pa.Table],
) -> Iterator[InterventionSeries]:
    """Yield every measure with and without each of ``interventions`` that applies to some of the quads.

    ``scores`` returns the table of scores of an intervention, and without one for the empty id; scores of
    other quads are ignored. Raises MissingStage if a score is missing. Quads that were not answered both
    without and with an intervention are left out of its values.
    """
    applied = {i.id: _applied(asked, i) for i in interventions}
    every = np.logical_or.reduce([np.zeros(asked.quads.columns.rows, np.bool_), *applied.values()])
    if not every.any():
        return
    of_none = scores("")
    without = _aligned(asked, of_none, np.flatnonzero(every))
    known: dict[tuple[bytes, bytes], ClassValues] = {}
    pools: dict[tuple[str, str], _Pool] = {}
    for intervention in interventions:
        rows = applied[intervention.id]
        if not rows.any():
            continue
        places = np.flatnonzero(rows)
        of_arm = scores(intervention.id)
        added, answered = _aligned(asked, of_arm, places), ~silent_quads(asked.quads.ids, of_none, of_arm)
        if not asked.tuned:
            drawn = asked.within.get(intervention.id, np.ones(asked.quads.columns.rows, np.bool_))
            pool = pools.setdefault((intervention.kind, intervention.place), _Pool(drawn))
            paired = np.flatnonzero(rows & answered)
            pool.add(paired, added[:, paired], len(places) - len(paired))
        for selection, selected, drawn in _selections(asked, rows, intervention):
            counted = selected & answered
            key = counted.tobytes(), drawn.tobytes()
            chosen = np.flatnonzero(counted)
            if key not in known:
                known[key] = _values(asked, chosen, drawn, without[:, chosen])
            intervened = _values(asked, chosen, drawn, added[:, chosen])
            rows_of = _Rows(len(chosen), int(selected.sum()) - len(chosen))
            for values in (known[key], intervened):
                yield from _rows(asked, selection, intervention, values, rows_of, added=values is intervened)
    for (kind, place), pool in pools.items():
        yield from _pooled(asked, kind, place, pool, without)


@dataclass
class _Pool:
    """The answers to all sentences of a kind."""

    drawn: Bools
    """The quads whose templates and pairs are drawn, shape (quads,)."""
    places: list[Codes] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)

    def add(self, places: Codes, scores: Floats, unanswered: int) -> None:
        self.places.append(places)
        self.scores.append(scores)
        self.unanswered.append(unanswered)


def _pooled(
    asked: AskedQuads, kind: str, place: str, pool: _Pool, without: Floats
) -> Iterator[InterventionSeries]:
    """Yield μ and η of the answers to all sentences of a kind together (Zhao et al. 2021)."""
    rows = np.concatenate(pool.places)
    intervened = _values(asked, rows, pool.drawn, np.concatenate(pool.scores, axis=1))
    once = np.unique(rows)
    unanswered = round(sum(pool.unanswered) / len(pool.unanswered))
    for values in (_values(asked, once, pool.drawn, without[:, once]), intervened):
        for measure in SIZES:
            yield _series(
                asked,
                "all",
                _Told(
                    kind,
                    place,
                    "",
                    len(pool.places),
                    added=values is intervened,
                    repeats=len(rows) / len(once) if values is intervened and len(once) else 1.0,
                ),
                f"{measure}_pooled",
                values,
                _Rows(len(once), unanswered),
            )


def _values(asked: AskedQuads, rows: Codes, drawn: Bools, scores: Floats) -> ClassValues:
    """Return the measures of ``scores`` over the quads ``rows``, with draws of the templates and pairs of the
    quads ``drawn``; all are undefined without ``rows``."""
    places, columns = np.cumsum(drawn) - 1, asked.quads.columns.alone(drawn)
    if len(rows):
        return class_values(columns, places[rows], scores)
    of_pairs = level_weights((len(columns.templates), columns.pairs[1]))[1]
    return ClassValues(dict.fromkeys(MEASURES, np.full(len(of_pairs), np.nan)), {}, 0, 0, 0.0)


def _aligned(asked: AskedQuads, table: pa.Table, places: Codes) -> Floats:
    """Return the scores of the quads in their order, shape (8, quads); NaN for quads that are not at
    ``places``."""
    aligned = np.full((len(SCORES), asked.quads.columns.rows), np.nan)
    chosen = replace(asked.quads, ids=asked.quads.ids.take(pa.array(places)))
    aligned[:, places] = scores_of(chosen, asked.model, table)
    return aligned


def _applied(asked: AskedQuads, intervention: Intervention) -> Bools:
    columns = asked.quads.columns
    if asked.language != intervention.language or columns.subject_class not in intervention.classes:
        return np.zeros(columns.rows, np.bool_)
    within = asked.within.get(intervention.id, np.ones(columns.rows, np.bool_))
    if asked.tuned and asked.held_out is not None:
        within = within & asked.held_out
    if not intervention.attribute_clusters:
        return within
    named = np.isin(np.array(columns.attribute_clusters, dtype=np.str_), intervention.attribute_clusters)
    applied: Bools = named[columns.attribute] & within
    return applied


def _selections(
    asked: AskedQuads, applied: Bools, intervention: Intervention
) -> Iterator[tuple[str, Bools, Bools]]:
    """Yield each selection's name, the quads that count in it, and the quads whose templates and pairs are
    drawn.

    A selection that has all quads of the class is skipped, since it is the same as all.
    """
    if asked.held_out is not None and intervention.held_out and (applied & asked.held_out).any():
        yield HELD_OUT, applied & asked.held_out, asked.held_out
    if asked.tuned:
        return
    drawn = asked.within.get(intervention.id, np.ones(len(applied), np.bool_))
    yield "all", applied, drawn
    lengths = asked.lengths
    if lengths is None:
        return
    for name, rows in (("equal_length", lengths.equal_length), ("single_token", lengths.single_token)):
        counted = applied & rows
        if counted.any() and not rows.all():
            yield name, counted, drawn


def _rows(
    asked: AskedQuads,
    selection: str,
    intervention: Intervention,
    values: ClassValues,
    rows: _Rows,
    *,
    added: bool,
) -> Iterator[InterventionSeries]:
    condition = _Told(intervention.kind, intervention.place, intervention.id, 1, added=added)
    for measure in MEASURES:
        yield _series(asked, selection, condition, measure, values, rows)


@dataclass(frozen=True)
class _Rows:
    """The numbers of quads that were answered both without and with an intervention, and of the others."""

    n: int
    unanswered: int


@dataclass(frozen=True)
class _Told:
    kind: str
    place: str
    intervention: str
    sentences: int
    added: bool
    repeats: float = 1.0
    """The number of times that each quad counts."""


def _series(
    asked: AskedQuads, selection: str, told: _Told, measure: str, values: ClassValues, rows: _Rows
) -> InterventionSeries:
    unpooled = measure.removesuffix("_pooled")
    raised = values.raised.get(unpooled)
    in_rows = values.values[unpooled] if raised is None else raised.linear[:, 0]
    return InterventionSeries(
        form=asked.quads.columns.form,
        language=asked.language,
        part=asked.quads.columns.subject_class,
        selection=selection,
        model=asked.model,
        kind=told.kind,
        place=told.place,
        intervention=told.intervention,
        sentences=told.sentences,
        added=told.added,
        measure=measure,
        n=rows.n,
        unanswered=rows.unanswered,
        sizes=(values.templates, values.pairs),
        effective_rows=None,
        effective_templates=None,
        of_templates=(),
        cell_quads=values.cell_quads / max(told.repeats, 1),
        values=tuple(in_rows.tolist()),
        raised=() if raised is None else tuple(raised.raised[:, 0].tolist()),
        null=() if raised is None else tuple(raised.null[:, 0].tolist()),
    )
