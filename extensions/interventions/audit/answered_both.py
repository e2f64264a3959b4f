"""The rows that a model answered both without and with an intervention: only these are compared."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.outcome_shares import answered_quads, outcome_matrix
from nextset.scoring.predicted_labels import answered

__all__ = ["silent_quads", "without_silent_items"]

_NOT_ANSWERED = "unreadable"
"""The outcome of all prompts of an item that is left out; the measures do not tell outcomes apart."""


def silent_quads(ids: pa.Array | pa.ChunkedArray, *scores: pa.Table) -> Bools:
    """Return True for each of ``ids`` that the model left unanswered in one of the tables ``scores``, which
    have the columns of QuadScore; shape (ids,)."""
    silent = [_texts(table["item_id"].filter(pa.array(~answered_quads(table)))) for table in scores]
    return np.asarray(pc.is_in(ids, value_set=pa.concat_arrays(silent)))


def without_silent_items(*scores: pa.Table) -> tuple[pa.Table, ...] | None:
    """Return the tables ``scores``, with the columns of NliScore that are measured, in which an item that the
    model left unanswered in one of them has no answer in any; None if the model answered all items."""
    silent = [_texts(table["item_id"].filter(pa.array(~answered(table)))) for table in scores]
    ids = pa.concat_arrays(silent)
    return tuple(_without(table, ids) for table in scores) if len(ids) else None


def _without(scores: pa.Table, ids: pa.Array) -> pa.Table:
    left_out = np.asarray(pc.is_in(scores["item_id"], value_set=ids))
    shares = outcome_matrix(scores)
    columns = {name: scores[name] for name in scores.column_names}
    for label in LABELS:
        columns[label] = pc.if_else(pa.array(left_out), 0.0, scores[label])
    for i, outcome in enumerate(OUTCOMES):
        columns[outcome] = pa.array(np.where(left_out, float(outcome == _NOT_ANSWERED), shares[:, i]))
    return pa.table(columns)


def _texts(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays([pa.array([], pa.string()), *(c.cast(pa.string()) for c in column.chunks)])
