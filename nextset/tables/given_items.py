"""Checks of the stances, verdicts and flags of items that a caller gives."""

from __future__ import annotations

from typing import get_args

import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import InputError, examples
from nextset.records.class_labels import is_no_class
from nextset.records.judgment import Verdict
from nextset.records.nli_items import Stance
from nextset.tables.given_tables import TableLike, given_table
from nextset.tables.option_lists import has_options, with_options
from nextset.tables.table_checks import check_column_names, check_once, with_text_ids

__all__ = ["given_items"]

_STANCES = get_args(Stance)
_NAMES = {
    "stance_design": _STANCES,
    "stance_judged": _STANCES,
    "verdict": get_args(Verdict),
}
"""The columns of NLI items with few values, and these values."""
_MAY_LACK = ("stance_judged", "verdict")
"""Those of items that were not judged are null."""
_PARTS = ("domain", "stereotype", "language")
"""The columns that name a part of the items."""
_MAY_BE_EMPTY = "stereotype"
"""The one that is empty for published choice items, and for controls."""
_NAMED = ("premise", "hypothesis", "label", "stance_design", "template_id")
"""The columns whose absence changes results; other spellings of them are refused."""
_FLAGS = ("names_group", "premise_swapped")


def given_items(given: TableLike) -> pa.Table:
    """Return the items ``given`` with ids as texts and with the columns that say yes or no as booleans.

    Columns that are missing are not checked. Items with options (`with_options`) may have no stereotype: it
    is then an empty text. Raises InputError for repeated ids, for a stance or a verdict that nextset does not
    know, such as a number, for no domain, stereotype or language, for options that are none, and for neither
    yes nor no.
    """
    items = given_table(given, "items")
    check_column_names(items, "items", _NAMED)
    if "id" in items.column_names:
        items = with_text_ids(items, "items")
        check_once(items, "items", ("id",), "give each item its own id")
    for name, known in _NAMES.items():
        if name in items.column_names:
            _check_names(items[name], name, known, may_lack=name in _MAY_LACK)
    choices = has_options(items)
    if choices:
        items = _without_null(with_options(items), _MAY_BE_EMPTY)
    for name in _PARTS:
        if name == _MAY_BE_EMPTY and choices:
            continue
        values = items[name].to_pylist() if name in items.column_names else []
        if (row := next((row for row, value in enumerate(values) if is_no_class(value)), None)) is not None:
            raise InputError(
                f"the items have no {name} in row {row} (from 0): {values[row]!r}",
                remedy=f"write it, or leave the row or the column {name} out",
            )
    for name in _FLAGS:
        if name in items.column_names:
            place = items.column_names.index(name)
            items = items.set_column(place, name, _flags(items[name], name))
    return items


def _without_null(items: pa.Table, name: str) -> pa.Table:
    """Return ``items`` with empty texts instead of nulls in the column ``name``, if they have it."""
    if name not in items.column_names or not items[name].null_count:
        return items
    texts = pc.fill_null(pc.cast(items[name], pa.string()), "")
    return items.set_column(items.column_names.index(name), name, texts)


def _check_names(column: pa.ChunkedArray, name: str, known: tuple[str, ...], *, may_lack: bool) -> None:
    values = pc.unique(column).to_pylist()
    wrong = [value for value in values if value not in known and not (may_lack and value in (None, ""))]
    if wrong:
        row = column.to_pylist().index(wrong[0])
        remedy = f"write {', '.join(known)}, or leave out rows without a {name}"
        if any(isinstance(value, int) for value in wrong):
            remedy += "; numbers are not read, because published datasets number them in different orders"
        raise InputError(
            f"the items have the {name} {examples(map(repr, wrong))} (first in row {row}, from 0)",
            remedy=remedy,
        )


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
