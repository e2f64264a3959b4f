"""The measures of NLI items of one model with and without each intervention, in the same draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.nli.answer_counts import COUNTS, MEASURES, ROWS_OF
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measures_of
from nextset.auditing.nli.judged_weights import MEASURED
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
    the same draws.
    """
    arms = {_NONE: ""} | {i.id: i.id for i in interventions}

    def pieces() -> Iterator[pa.Table]:
        for name, intervention in arms.items():
            table = scores(intervention)
            place = table.column_names.index("model")
            yield table.set_column(place, "model", pa.repeat(pa.scalar(name), table.num_rows))

    items = ItemSet(asked.domain, asked.rows, asked.tables, patterns=asked.patterns)
    counts = count_items(items, _Again(pieces))
    by_model = measures_of(counts, MEASURED, range(len(counts.clusters)))
    by_arm = {m.model: (i, series) for i, (m, series) in enumerate(zip(counts.models, by_model, strict=True))}
    for intervention in interventions:
        for added in (False, True):
            place, series = by_arm[intervention.id if added else _NONE]
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
                    sizes=(series[measure].clusters,),
                    effective_rows=series[measure].support.rows,
                    effective_templates=series[measure].support.clusters,
                    of_templates=tuple(series[measure].support.values.tolist()),
                    cell_quads=None,
                    values=tuple(series[measure].values.tolist()),
                    raised=(),
                    null=(),
                )


@dataclass(frozen=True)
class _Again:
    """Pieces that can be read several times."""

    read: Callable[[], Iterator[pa.Table]]

    def __iter__(self) -> Iterator[pa.Table]:
        return self.read()
