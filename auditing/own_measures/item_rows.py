"""A set of NLI items with the predictions of all models as rows for functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.auditing.nli.item_counts import ItemSet, clusters_of
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.labels_by_model import NO_LABEL, ModelLabels, labels_by_model
from nextset.auditing.nli.population import population, stances, texts
from nextset.auditing.own_measures.function_measure import Columns
from nextset.auditing.own_measures.measured_rows import AskedModel, MeasuredRows
from nextset.cluster_bootstrap import Clusters
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["item_rows"]

_STANCE, _LABEL = "stance", "label"


def item_rows(
    items: ItemSet, scores: Iterable[pa.Table], form: str, given: Collection[str] | None = None
) -> MeasuredRows:
    """Return ``items`` with the predictions in ``scores``, tables of `NliScore`, in memory.

    Functions get the columns in ``given``, and the stance if stance_design is among them. Columns that were
    only filled in are not in ``given``; None: all columns were given.
    Raises MissingStage if a model lacks an item's score, ArtifactError if two revisions of a model are mixed
    or if a probability is not a number.
    """
    table = pa.concat_tables(items.shards(), promote_options="default")
    pieces = pa.concat_tables([_measured(piece) for piece in scores], promote_options="default")
    groups, n = population(table), table.num_rows
    bias, test = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    bias[groups.bias], test[groups.controls] = True, True
    keys, clusters = _clusters(table, items)
    models = labels_by_model(table, [pieces])
    return MeasuredRows(
        form=form,
        items=items.name,
        selection=MEASURED,
        columns=_columns(table, table.column_names if given is None else given),
        predictions={
            AskedModel(m.model, m.role, m.revision): _predictions(table["id"], pieces, m) for m in models
        },
        unanswered=frozenset(
            AskedModel(m.model, m.role, m.revision) for m in models if (m.codes == NO_LABEL).any()
        ),
        kinds={"bias": bias, "test": test, "all": bias | test},
        parts={
            "all": {"all": np.ones(n, np.bool_)},
            **{by: _parts(texts(table[by])) for by in ("domain", "stereotype")},
        },
        clusters=clusters,
        cluster_keys=keys,
    )


_SCORES = ("item_id", "model", "revision", "role", *LABELS)


def _measured(scores: pa.Table) -> pa.Table:
    return scores.select([*_SCORES, *(name for name in OUTCOMES if name in scores.column_names)])


def _columns(table: pa.Table, given: Collection[str]) -> Columns:
    designed = "stance_design" in given

    def read(name: str) -> npt.NDArray[np.generic]:
        if name == _STANCE and designed:
            return stances(table)
        return np.asarray(table[name].combine_chunks().to_numpy(zero_copy_only=False))

    names = [name for name in table.column_names if name in given]
    return Columns(tuple(dict.fromkeys([*names, *([_STANCE] if designed else [])])), table.num_rows, read)


def _predictions(ids: pa.ChunkedArray, scores: pa.Table, model: ModelLabels) -> Columns:
    def read(name: str) -> npt.NDArray[np.generic]:
        if name == _LABEL:
            return model.labels
        own = scores.filter(pc.equal(scores["model"], model.model))
        places = pc.index_in(
            ids.cast(pa.string()), value_set=own["item_id"].cast(pa.string()).combine_chunks()
        )
        taken = own[name].take(places.combine_chunks() if isinstance(places, pa.ChunkedArray) else places)
        return np.asarray(taken.to_numpy(), np.float64)

    return Columns((_LABEL, *LABELS), len(ids), read)


def _clusters(table: pa.Table, items: ItemSet) -> tuple[tuple[tuple[str, ...], ...], Clusters]:
    order, codes = clusters_of(table, items.patterns)
    keys = tuple((c.stereotype, c.template, c.domain) for c in order)
    return keys, Clusters(codes, (np.arange(len(order)),), (len(order),), "templates")


def _parts(values: npt.NDArray[np.str_]) -> dict[str, Bools]:
    return {str(name): values == name for name in sorted(set(values.tolist()))}
