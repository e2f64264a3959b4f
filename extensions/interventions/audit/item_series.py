"""The measures of NLI items of one model with and without each intervention, in the same draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.nli.answer_counts import COUNTS, MEASURES, ROWS_OF
from nextset.auditing.nli.item_counts import ItemCounts, ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measures_of
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.extensions.interventions.audit.answered_both import without_silent_items
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries
from nextset.extensions.interventions.intervention import Intervention

__all__ = ["AskedItems", "item_series"]

_NONE = "none"


@dataclass(frozen=True)
class AskedItems:
    """The NLI items of a domain in one language, and the model that was asked about them."""

    language: str
    domain: str
    rows: int
    tables: Callable[[], Iterable[pa.Table]]
    """The items, with the columns `nextset.auditing.nli.item_counts.PROPERTIES`."""
    patterns: Mapping[str, str]
    """The patterns of templates whose text is known."""
    model: str
    """The model's published name."""


def item_series(
    asked: AskedItems, interventions: Sequence[Intervention], scores: Callable[[str], pa.Table]
) -> Iterator[InterventionSeries]:
    """Yield every measure with and without each of ``interventions``, which are added to all items.

    ``scores`` returns the scores of the model with an intervention, or without one for the empty id; scores
    of other items are ignored. The model with an intervention counts as a separate model, so that all have
    the same draws. Items that were not answered both without and with an intervention are left out of its
    values.
    """
    items = ItemSet(asked.domain, asked.rows, asked.tables, patterns=asked.patterns)
    counts = count_items(items, _Again(lambda: _arms(interventions, scores)))
    by_model = measures_of(counts, MEASURED, range(len(counts.clusters)))
    by_arm = {m.model: (i, series) for i, (m, series) in enumerate(zip(counts.models, by_model, strict=True))}
    for intervention in interventions:
        for added in (False, True):
            without = _without(intervention)
            place, series = by_arm[intervention.id if added else without if without in by_arm else _NONE]
            for measure in MEASURES:
                count_place = COUNTS.index(ROWS_OF[measure])
                yield InterventionSeries(
                    form="nli",
                    language=asked.language,
                    part=asked.domain,
                    selection="all",
                    model=asked.model,
                    kind=intervention.kind,
                    place=intervention.place,
                    intervention=intervention.id,
                    sentences=1,
                    added=added,
                    measure=measure,
                    n=int(counts.sums[MEASURED][place, count_place].sum()),
                    unanswered=_unanswered(counts, place, count_place),
                    sizes=(series[measure].clusters,),
                    effective_rows=series[measure].support.rows,
                    effective_templates=series[measure].support.clusters,
                    of_templates=tuple(series[measure].support.values.tolist()),
                    cell_quads=None,
                    values=tuple(series[measure].values.tolist()),
                    raised=(),
                    null=(),
                )


def _arms(interventions: Sequence[Intervention], scores: Callable[[str], pa.Table]) -> Iterator[pa.Table]:
    """Yield the scores with each of ``interventions``, and those without one, as scores of separate models.

    An intervention whose items were not all answered is compared with its own scores without it: an item that
    was not answered in one of both has no answer in either.
    """
    none, shared = scores(""), False
    for intervention in interventions:
        added = scores(intervention.id)
        both = without_silent_items(none, added)
        if both is not None:
            yield _of_arm(both[0], _without(intervention))
        yield _of_arm(added if both is None else both[1], intervention.id)
        shared = shared or both is None
    if shared:
        yield _of_arm(none, _NONE)


def _without(intervention: Intervention) -> str:
    return f"{_NONE}, compared with {intervention.id}"


def _of_arm(scores: pa.Table, name: str) -> pa.Table:
    place = scores.column_names.index("model")
    return scores.set_column(place, "model", pa.repeat(pa.scalar(name), scores.num_rows))


def _unanswered(counts: ItemCounts, model: int, rows: int) -> int:
    filled = counts.unanswered.get((MEASURED, model))
    return 0 if filled is None else int(filled[0, rows].sum())


@dataclass(frozen=True)
class _Again:
    """Pieces that can be read several times."""

    read: Callable[[], Iterator[pa.Table]]

    def __iter__(self) -> Iterator[pa.Table]:
        return self.read()
