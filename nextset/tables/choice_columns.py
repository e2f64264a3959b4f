"""Checks of the columns of choice items that a caller gives: a wrong value is an error with its row."""

from __future__ import annotations

from typing import get_args

import pyarrow as pa

from nextset.errors import InputError
from nextset.records.choice_items import MOST_OPTIONS, Condition, Polarity

__all__ = ["with_places"]

_WORDS = {"condition": get_args(Condition), "polarity": get_args(Polarity)}
_PLACES = {"label": False, "target": True, "unknown": True}
"""The columns with places of options, and True for those that may be null."""


def with_places(items: pa.Table) -> pa.Table:
    """Return choice items with whole numbers in label, target and unknown; NaN is null.

    Raises InputError for a missing column, a number that is not the place of an option, and a condition or
    polarity that nextset does not know.
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
    return items


def _place(value: object, name: str, row: int, options: int, *, nullable: bool) -> int | None:
    if value is None or value != value:
        if nullable:
            return None
    elif isinstance(value, int | float) and not isinstance(value, bool) and value in range(options):
        return int(value)
    raise InputError(
        f"the {name} of the items in row {row} (from 0) is {value!r:.40}, not the place of an option",
        remedy=f"write a number from 0 to {options - 1}" + (", or nothing" if nullable else ""),
    )
