"""The measures of thinking, with the intervals of all measures: templates are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from nextset.array_types import Floats
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures.thought_measures import (
    CHARACTERS,
    CHARACTERS_GAP,
    CONCLUDES,
    FOLLOWS,
    NAMES_GROUP,
    NAMES_GROUP_ANTI,
    NAMES_GROUP_PRO,
    TOKENS,
    TOKENS_GAP,
    ThoughtMeasure,
)
from nextset.auditing.traces.trace_observations import Observation, ThinkingModel, observed_traces
from nextset.auditing.traces.traced_rows import TracedRows
from nextset.bootstrap_intervals import FEW, intervals, note_on_templates, too_few
from nextset.cluster_bootstrap import DRAWS, Clusters, Support

__all__ = ["BY_GROUP", "trace_measures"]

BY_GROUP = "group"
"""The grouping of rows by the group that their hypothesis is about."""

Values = Sequence[tuple[int, float]]
"""Numbers, each with the place of its row."""


@dataclass(frozen=True)
class _Part:
    """The rows that a value is about, as tables name them."""

    by: str
    part: str


_EVERYTHING = _Part("all", "all")


def trace_measures(traces: Iterable[pa.Table], rows: TracedRows) -> Iterator[MeasureRow]:
    """Yield the measures of each model that showed its thinking about ``rows``, by role and model.

    ``traces`` are tables of AnswerTrace. Each prompt counts once: a row asked in three wordings has three
    traces. In a pair, a trace is compared with that of the counterpart in the same wording.
    """
    for model, observations in sorted(observed_traces(traces, rows).items()):
        one = list(observations.values())
        both = list(_paired(observations, rows))
        yield from _overall(rows, model, one, both)
        if any(rows.groups):
            yield from _by_group(rows, model, one)


def _paired(
    observations: Mapping[tuple[int, tuple[int, int, int]], Observation], rows: TracedRows
) -> Iterator[tuple[Observation, Observation]]:
    """Yield the traces about the stereotype and about its counterpart, prompt by prompt."""
    other = dict(zip(rows.pairs.stereotype.tolist(), rows.pairs.counterpart.tolist(), strict=True))
    for (row, prompt), first in observations.items():
        second = observations.get((other[row], prompt)) if row in other else None
        if second is not None:
            yield first, second


def _overall(
    rows: TracedRows,
    model: ThinkingModel,
    one: Sequence[Observation],
    both: Sequence[tuple[Observation, Observation]],
) -> Iterator[MeasureRow]:
    named = [
        (a.row, a.names_group, b.names_group) for a, b in both if None not in (a.characters, b.characters)
    ]
    values: dict[ThoughtMeasure, Values] = {
        NAMES_GROUP: [(row, float(a) - float(b)) for row, a, b in named],
        NAMES_GROUP_PRO: [(row, float(a and not b)) for row, a, b in named],
        NAMES_GROUP_ANTI: [(row, float(b and not a)) for row, a, b in named],
        CONCLUDES: [(o.row, float(o.concludes)) for o in one if o.characters is not None],
        FOLLOWS: [(o.row, float(o.follows)) for o in one if o.follows is not None],
        TOKENS: _lengths(one, lambda o: o.tokens),
        TOKENS_GAP: _gaps(both, lambda o: o.tokens),
        CHARACTERS: _lengths(one, lambda o: o.characters),
        CHARACTERS_GAP: _gaps(both, lambda o: o.characters),
    }
    for measure, of_rows in values.items():
        if rows.form in measure.forms:
            yield _row(rows, model, measure, _EVERYTHING, of_rows)


def _by_group(rows: TracedRows, model: ThinkingModel, one: Sequence[Observation]) -> Iterator[MeasureRow]:
    for group in sorted({rows.groups[o.row] for o in one} - {""}):
        of_group = [o for o in one if rows.groups[o.row] == group]
        for measure, length in ((TOKENS, lambda o: o.tokens), (CHARACTERS, lambda o: o.characters)):
            yield _row(rows, model, measure, _Part(BY_GROUP, group), _lengths(of_group, length))


def _lengths(one: Iterable[Observation], length: Callable[[Observation], int | None]) -> Values:
    return [(o.row, float(n)) for o in one if (n := length(o)) is not None]


def _gaps(
    both: Iterable[tuple[Observation, Observation]], length: Callable[[Observation], int | None]
) -> Values:
    lengths = ((a.row, length(a), length(b)) for a, b in both)
    return [(row, float(a - b)) for row, a, b in lengths if a is not None and b is not None]


def _row(
    rows: TracedRows, model: ThinkingModel, measure: ThoughtMeasure, part: _Part, values: Values
) -> MeasureRow:
    """Return the mean of ``values`` with its interval."""
    clusters = rows.clusters.of_rows(np.array([row for row, _ in values], dtype=np.intp))
    crossed = len(rows.clusters.sizes) > 1
    drawn, support = _drawn_mean(clusters, np.array([value for _, value in values]))
    scale = measure.scale
    if support is not None and scale == "number":
        support = replace(support, rows=np.inf)  # Wilson's interval says nothing about such a number
    ends = intervals(drawn, clusters.sizes, share=scale == "share", support=support)
    if scale != "number":
        ends = ends.within(-1 if scale == "difference" else 0)
    low, high = ends.ends()
    value = float(drawn[0])
    note = None
    if np.isnan(value):
        note = f"undefined: {measure.undefined}"
    elif low is None and clusters.units < FEW:
        note = too_few(clusters.units, "pairs of subjects" if crossed else "templates")
    elif crossed:
        note = note_on_templates(clusters.sizes[0])
    return MeasureRow(
        form=rows.form,
        items=rows.items,
        selection=rows.selection,
        subject_class=rows.subject_class,
        by=part.by,
        part=part.part,
        model=model.model,
        role=model.role,
        measure=measure.name,
        value=None if np.isnan(value) else value,
        low=low,
        high=high,
        n=len(values),
        clusters=clusters.units,
        note=note,
    )


def _drawn_mean(clusters: Clusters, values: Floats) -> tuple[Floats, Support | None]:
    """Return the mean of ``values`` in all draws, and for one factor the support of the clusters."""
    if not len(values):
        return np.full(1 + DRAWS, np.nan), None
    sums = np.bincount(clusters.codes, values, clusters.n)
    counts = np.bincount(clusters.codes, minlength=clusters.n).astype(np.float64)
    totals = clusters.sums(np.stack([sums, counts]))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn: Floats = totals[:, 0] / totals[:, 1]
    support = Support.of(counts, sums / counts) if len(clusters.sizes) == 1 else None
    return drawn, support
