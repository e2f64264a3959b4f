"""The predictions for choice items that a caller gives: a chosen option, or the options' probabilities."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.errors import InputError
from nextset.records.choice_items import MOST_OPTIONS, OPTION_SCORES
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["CHOSEN", "option_columns"]

CHOSEN = ("option", *OPTION_SCORES)
"""The columns of which predictions for choice items have some."""
_ROUNDING = 2e-3
"""The largest distance of the sum of probabilities from 1."""


def option_columns(predictions: pa.Table) -> dict[str, pa.Array]:
    """Return the columns of `OPTION_SCORES` and `OUTCOMES`, from probabilities, or else from chosen options.

    A chosen option is its place, from 0; an empty one, and −1, is an unreadable answer. Raises InputError for
    anything else, and for probabilities that do not sum to 1.
    """
    names, rows = predictions.column_names, predictions.num_rows
    if not set(OPTION_SCORES) & set(names):
        return _of_choices(_places(predictions["option"]))
    columns: dict[str, pa.Array] = {
        name: pc.cast(predictions[name], pa.float64()) if name in names else pa.nulls(rows, pa.float64())
        for name in OPTION_SCORES
    }
    for outcome in (name for name in OUTCOMES if name in names):
        columns[outcome] = pc.cast(predictions[outcome], pa.float64())
    for name in OPTION_SCORES[:2]:
        if columns[name].null_count:
            raise InputError(
                f"the column {name} of the predictions is missing or has an empty value",
                remedy="write a probability for each option, in the item's order, in option1, option2, …",
            )
    total = np.sum([np.asarray(pc.fill_null(c, 0.0)) for c in columns.values()], axis=0)
    wrong = np.flatnonzero(~(np.abs(total - 1) <= _ROUNDING))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"the probabilities of the options in row {row} (from 0) sum to {total[row]:.4g}",
            remedy="write probabilities that sum to 1, or the place of the chosen option in a column option",
        )
    return columns


def _places(column: pa.ChunkedArray) -> Floats:
    try:
        numbers = pc.cast(column, pa.float64())
    except pa.ArrowException:
        raise InputError(
            f"the column option of the predictions has the type {column.type}",
            remedy="write the place of the chosen option in it, from 0; leave it empty without an answer",
        ) from None
    places: Floats = np.nan_to_num(np.asarray(pc.fill_null(numbers, -1.0), np.float64), nan=-1.0)
    wrong = np.flatnonzero((places != np.floor(places)) | (places < -1) | (places >= MOST_OPTIONS))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"the option of the predictions in row {row} (from 0) is {places[row]:g}",
            remedy="write the place of the chosen option, a whole number; count options from 0",
        )
    return places


def _of_choices(places: Floats) -> dict[str, pa.Array]:
    shares = (places[:, None] == np.arange(MOST_OPTIONS)).astype(np.float64)
    missing = places < 0
    columns: dict[str, pa.Array] = {name: pa.array(shares[:, i]) for i, name in enumerate(OPTION_SCORES)}
    for name in OUTCOMES:
        columns[name] = pa.array((missing & (name == "unreadable")).astype(np.float64))
    return columns
