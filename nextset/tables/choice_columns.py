"""Checks of the columns of choice items that a caller gives: a wrong value is an error with its row."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import InputError
from nextset.records.choice_items import MOST_OPTIONS, Condition, Polarity
from nextset.scoring.chosen_options import chosen_options

__all__ = ["check_chosen", "with_places"]

_WORDS = {"condition": get_args(Condition), "polarity": get_args(Polarity)}
_PLACES = {"label": False, "target": True, "unknown": True}
"""The columns with places of options, and True for those that may be null."""


def with_places(items: pa.Table) -> pa.Table:
    """Return choice items with whole numbers in label, target and unknown; NaN is null.

    Raises InputError for a missing column, a number that is not the place of an option, a condition or
    polarity that nextset does not know, and an ambiguous item whose right option is not unknown.
    """
    lacking = [name for name in (*_WORDS, *_PLACES) if name not in items.column_names]
    if lacking:
        raise InputError(
            f"the items lack the columns {', '.join(lacking)} of choice items",
            remedy="add them; docs/reference/tables/choices.md describes them",
        )
    for name, known in _WORDS.items():
        for row, value in enumerate(items[name].to_pylist()):
            if value not in known:
                raise InputError(
                    f"the {name} of the items in row {row} (from 0) is {value!r:.40}",
                    remedy=f"write {' or '.join(known)}",
                )
    options = items["options"].to_pylist() if "options" in items.column_names else [None] * items.num_rows
    most = [MOST_OPTIONS if given is None else len(given) for given in options]
    for name, nullable in _PLACES.items():
        places = [
            _place(value, name, row, most[row], nullable=nullable)
            for row, value in enumerate(items[name].to_pylist())
        ]
        column = pa.chunked_array([pa.array(places, pa.int64())])
        items = items.set_column(items.column_names.index(name), name, column)
    _check_ambiguous(items)
    return items


def check_chosen(items: pa.Table, scores: pa.Table) -> None:
    """Raise InputError if a row of ``scores`` chooses an option that its item does not have."""
    if not {"id", "options"} <= set(items.column_names):
        return
    places = pc.index_in(scores["item_id"], value_set=items["id"].combine_chunks())
    counts = pc.list_value_length(items["options"]).take(places)
    chosen = chosen_options(scores)
    wrong = np.flatnonzero(chosen >= np.asarray(counts))
    if wrong.size:
        row = int(wrong[0])
        raise InputError(
            f"the predictions in row {row} (from 0) choose option {chosen[row]} of the item "
            f"{scores['item_id'][row].as_py()}, which has {counts[row].as_py()} options",
            remedy="count options from 0: the first is 0, and its probability is in the column option1",
        )


def _check_ambiguous(items: pa.Table) -> None:
    columns = (items[name].to_pylist() for name in ("condition", "label", "unknown"))
    for row, (condition, label, unknown) in enumerate(zip(*columns, strict=True)):
        if condition == "ambiguous" and unknown is not None and label != unknown:
            raise InputError(
                f"the item in row {row} (from 0) is ambiguous, but its label is {label}, and its unknown "
                f"{unknown}",
                remedy="write the place of unknown as the label, or the condition disambiguated; count "
                "options from 0",
            )


def _place(value: object, name: str, row: int, options: int, *, nullable: bool) -> int | None:
    if value is None or value != value:
        if nullable:
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool) and value in range(options):
        return int(value)
    raise InputError(
        f"the {name} of the items in row {row} (from 0) is {value!r:.40}, not the place of an option",
        remedy=f"count options from 0: write a number from 0 to {options - 1}"
        + (", or nothing" if nullable else ""),
    )
