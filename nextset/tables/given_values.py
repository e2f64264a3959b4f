"""Checks of the values in tables that a caller gives, before something is computed from them."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import InputError, examples
from nextset.records.judgment import Verdict
from nextset.records.nli_items import LABELS, Stance

__all__ = ["checked_items", "checked_scores"]

_STANCES = get_args(Stance)
_NAMES = {
    "label": LABELS,
    "stance_design": _STANCES,
    "stance_judged": _STANCES,
    "verdict": get_args(Verdict),
}
"""The columns of NLI items with few values, and these values."""
_MAY_LACK = ("stance_judged", "verdict")
"""Those of items that were not judged are null."""
_FLAGS = ("names_group", "premise_swapped")
NEAR = 1e-3
"""How far a probability may be outside of [0, 1], and the same score given twice may differ: a softmax in
float16 is off by less."""


def checked_items(items: pa.Table) -> pa.Table:
    """Return ``items`` with ids as texts, and with the columns that say yes or no as booleans.

    Columns that are missing are not checked. Raises InputError for a row without an id, a label, a stance or
    a verdict that nextset does not know, such as a number, and for neither yes nor no.
    """
    items = _with_text_ids(items, "items", ("id",))
    for name, known in _NAMES.items():
        if name in items.column_names:
            _check_names(items[name], name, known, may_lack=name in _MAY_LACK)
    for name in _FLAGS:
        if name in items.column_names:
            place = items.column_names.index(name)
            items = items.set_column(place, name, _flags(items[name], name))
    return items


def checked_scores(scores: pa.Table, noun: str, columns: tuple[str, ...]) -> pa.Table:
    """Return ``scores`` of items, or predictions, with ids as texts.

    ``columns`` are those that are read. Raises InputError for a row without an id or a model, a number that
    is not in [0, 1], and a model with two different answers for the same item.
    """
    scores = _with_text_ids(scores, noun, ("item_id", "id"))
    names = scores.column_names
    if {"item_id", "id"} <= set(names) and not pc.all(pc.equal(scores["item_id"], scores["id"])).as_py():
        raise InputError(
            f"the {noun} have the columns id and item_id, which differ", remedy="omit one of the columns"
        )
    if "model" in names and scores["model"].null_count:
        raise InputError(
            f"the {noun} have {scores['model'].null_count:,} rows without a model",
            remedy="name the model in each row",
        )
    read = [name for name in columns if name in names]
    for name in read:
        _check_range(scores[name], name, noun)
    _check_single(scores, noun, read)
    return scores


def _with_text_ids(table: pa.Table, noun: str, columns: tuple[str, ...]) -> pa.Table:
    for name in columns:
        if name not in table.column_names:
            continue
        if table[name].null_count:
            raise InputError(
                f"the {noun} have {table[name].null_count:,} rows without an id",
                remedy=f"write the item's id in the column {name}",
            )
        texts = pc.cast(table[name], pa.string())
        table = table.set_column(table.column_names.index(name), name, texts)
    return table


def _check_names(column: pa.ChunkedArray, name: str, known: tuple[str, ...], *, may_lack: bool) -> None:
    values = pc.unique(column).to_pylist()
    wrong = [value for value in values if value not in known and not (may_lack and value in (None, ""))]
    if wrong:
        remedy = f"write {', '.join(known)}"
        if any(isinstance(value, int) for value in wrong):
            remedy += "; numbers are not read, because published datasets number them in different orders"
        raise InputError(f"the items have the {name} {examples(map(repr, wrong))}", remedy=remedy)


def _flags(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    try:
        flags = pc.cast(column, pa.bool_())  # the texts true and false of a CSV file too
    except pa.ArrowException:
        flags = None
    if flags is None or flags.null_count:
        raise InputError(
            f"the items have a value in {name} that is neither true nor false", remedy="write true or false"
        )
    return flags


def _check_range(column: pa.ChunkedArray, name: str, noun: str) -> None:
    try:
        numbers = np.asarray(pc.drop_null(pc.cast(column, pa.float64())))
    except pa.ArrowException:
        numbers = np.array([np.inf])
    outside = numbers[(numbers < -NEAR) | (numbers > 1 + NEAR)]  # NaN is an error of its own
    if outside.size:
        shown = "a text" if np.isinf(outside[0]) else f"{outside[0]:.6g}"
        raise InputError(
            f"the {noun} have {shown} in the column {name}, which is not in [0, 1]",
            remedy="give probabilities, such as the softmax of logits",
        )


def _check_single(scores: pa.Table, noun: str, read: list[str]) -> None:
    """Raise InputError if a model has two rows for an item that differ by more than `NEAR`."""
    key = next((name for name in ("item_id", "id") if name in scores.column_names), None)
    if key is None:
        return
    keys = [key, *(["model"] if "model" in scores.column_names else [])]
    values = read or [name for name in ("label",) if name in scores.column_names]
    asked = scores.select(keys).group_by(keys).aggregate([([], "count_all")])
    if asked.num_rows == scores.num_rows:
        return
    plain = pa.table({
        **{name: scores[name] for name in keys},
        **{name: pc.fill_null(pc.cast(scores[name], pa.float64()), -1.0) for name in read},
        **({} if read else {name: scores[name] for name in values}),
    })  # fmt: skip
    ends = plain.group_by(keys).aggregate([(name, end) for name in values for end in ("min", "max")])
    for name in values:
        low, high = ends[f"{name}_min"], ends[f"{name}_max"]
        differ = pc.greater(pc.subtract(high, low), NEAR) if read else pc.not_equal(low, high)
        if pc.any(differ).as_py():
            row = ends.filter(pc.fill_null(differ, fill_value=False)).slice(0, 1).to_pylist()[0]
            by = f" by {row['model']}" if "model" in row else ""
            raise InputError(
                f"the {noun} have two different answers for the item {row[key]}{by}",
                remedy="give one row per model and item; models with the same name need different names",
            )
