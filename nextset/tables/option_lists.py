"""The column options of choice items that a caller gives: texts, or objects with a text and more."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from nextset.errors import InputError
from nextset.records.choice_items import MOST_OPTIONS

__all__ = ["has_options", "with_options"]

_BESIDE = ({"options", "condition"}, {"options", "context", "question"})
"""Columns that choice items have; other tables may have a column options that means something else."""
_EXAMPLE = '[{"text": "The grandfather", "group": "old", "role": 0}, …]'
"""An item's options as a caller writes them."""


def has_options(items: pa.Table) -> bool:
    """Return whether ``items`` are choice items, by their columns."""
    return any(columns <= set(items.column_names) for columns in _BESIDE)


def with_options(items: pa.Table) -> pa.Table:
    """Return ``items`` with options that have a text and a group, which is empty where none is given.

    An option can also be a text alone. Raises InputError with its row for anything else, and for a number of
    options other than 2 to `MOST_OPTIONS`.
    """
    given = items["options"].to_pylist()
    options = [_options(value, row) for row, value in enumerate(given)]
    if options == given:
        return items
    try:
        column = pa.chunked_array([pa.array(options)])
    except pa.ArrowException:
        raise _wrong("in some rows have values of several types", row=None) from None
    return items.set_column(items.column_names.index("options"), "options", column)


def _options(value: Any, row: int) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise _wrong(f"are {value!r:.60} instead of a list", row)
    if not 2 <= len(value) <= MOST_OPTIONS:
        raise _wrong(f"are {len(value)} instead of 2 to {MOST_OPTIONS}", row)
    return [_option(option, row) for option in value]


def _option(option: Any, row: int) -> dict[str, Any]:
    fields = {"text": option} if isinstance(option, str) else option
    if not isinstance(fields, dict):
        raise _wrong(f"have {option!r:.60}, which is not an option", row)
    for name in ("text", "group"):
        if not isinstance(fields.get(name, ""), str | None):
            raise _wrong(f"have the {name} {fields[name]!r:.60}, which is no text", row)
    if not (fields.get("text") or "").strip():
        raise _wrong(f"have an option without the field text: {option!r:.60}", row)
    return {**fields, "group": fields.get("group") or ""}


def _wrong(what: str, row: int | None) -> InputError:
    where = "" if row is None else f" in row {row} (from 0)"
    return InputError(
        f"the options of the items{where} {what}",
        remedy=f"write them as {_EXAMPLE}; texts alone do for scores, and group is for by=group and by=pair",
    )
