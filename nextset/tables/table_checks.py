"""Checks of tables that a caller gives: a wrong value is an error with its row, never a result."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import InputError
from nextset.files.similar_column import similar_column
from nextset.records.nli_items import LABELS
from nextset.scoring.outcome_shares import missing_shares

__all__ = [
    "check_column_names", "check_complete", "check_known", "check_labels", "check_numbers", "check_once",
    "check_texts", "with_text_ids",
]  # fmt: skip

_ROUNDING = 2e-3
"""The largest distance of the sum of probabilities from 1; the sum of three in float16 is off by less."""


def check_column_names(table: pa.Table, noun: str, names: Sequence[str]) -> None:
    """Raise InputError if ``table`` lacks one of ``names`` and has a column with nearly that name."""
    missing = [name for name in names if name not in table.column_names]
    for name in table.column_names:
        if name not in names and (ours := similar_column(name, missing)) is not None:
            raise InputError(
                f"the column {name!r} of the {noun} looks like {ours}",
                remedy=f"rename it to {ours}, or to something else if it should be ignored",
            )


def with_text_ids(table: pa.Table, noun: str, names: Sequence[str] = ("id",)) -> pa.Table:
    """Return ``table`` with texts in those of the columns ``names`` that it has; ids can be numbers.

    Raises InputError for an empty value, also a text of spaces, and for a type that is no identifier.
    """
    for name in names:
        if name not in table.column_names:
            continue
        try:
            texts = pc.cast(table[name], pa.string())
        except pa.ArrowException:
            raise InputError(
                f"the column {name} of the {noun} has the type {table.schema.field(name).type}",
                remedy="write texts or numbers in it",
            ) from None
        table = table.set_column(table.column_names.index(name), name, texts)
        blank = pc.equal(pc.utf8_trim_whitespace(texts), "")
        filled = pc.if_else(blank, pa.scalar(None, pa.string()), texts)
        _check_filled(pa.table({name: filled}), noun, name)
    return table


def check_texts(table: pa.Table, noun: str, names: Sequence[str]) -> None:
    """Raise InputError if a column of ``names`` has anything but texts."""
    for name in names:
        if name in table.column_names:
            _check_filled(table, noun, name)
            kind = table.schema.field(name).type
            if table.num_rows and not pa.types.is_string(kind):
                raise InputError(
                    f"the column {name} of the {noun} has the type {kind}", remedy="write texts in it"
                )


def check_labels(items: pa.Table) -> None:
    """Raise InputError if the column label of ``items`` has anything but the labels of NLI."""
    if "label" not in items.column_names:
        return
    for row, label in enumerate(items["label"].to_pylist()):
        if label not in LABELS:
            raise InputError(
                f"the label of the items in row {row} (from 0) is {label!r:.40}, "
                f"which is not one of {', '.join(LABELS)}",
                remedy="replace the labels of the items by these names, and leave out rows without a label",
            )


def check_numbers(table: pa.Table, noun: str, names: Sequence[str]) -> None:
    """Raise InputError if a column of ``names`` has a number outside [0, 1]; it may be empty.

    Probabilities of NLI must also sum to 1 in each row.
    """
    for name in names:
        if name not in table.column_names:
            continue
        try:
            numbers = pc.cast(table[name], pa.float64())
        except pa.ArrowException:
            raise InputError(
                f"the column {name} of the {noun} has anything but numbers",
                remedy="write probabilities in it, each from 0 to 1",
            ) from None
        within = pc.and_(pc.greater_equal(numbers, 0), pc.less_equal(numbers, 1 + _ROUNDING))
        row = pc.index(within, False).as_py()
        if row >= 0:
            raise InputError(
                f"the column {name} of the {noun} has {numbers[row].as_py()!r} in row {row} (from 0), "
                "which is not a probability",
                remedy="write probabilities in it, each from 0 to 1",
            )

    if set(LABELS) <= set(names) & set(table.column_names):
        total = functools.reduce(pc.add, (pc.cast(table[name], pa.float64()) for name in LABELS))
        total = pc.add(total, pa.array(missing_shares(table)))
        row = pc.index(pc.less_equal(pc.abs(pc.subtract(total, 1)), _ROUNDING), False).as_py()
        if row >= 0:
            raise InputError(
                f"the probabilities of the {noun} in row {row} (from 0) sum to {total[row].as_py():.4g}",
                remedy=f"write the probabilities of {', '.join(LABELS)}, which sum to 1",
            )


def check_known(table: pa.Table, noun: str, key: str, items: pa.Table) -> None:
    """Raise InputError if the column ``key`` of ``table`` has an id that ``items`` do not have."""
    other = pc.unique(table[key].filter(pc.invert(pc.is_in(table[key], items["id"].combine_chunks()))))
    if len(other):
        raise InputError(
            f"ids of the {noun} that the items do not have: {len(other):,}, such as {other[0].as_py()}",
            remedy="give all items that they are about, or leave these rows out, as in "
            f'{noun}[{noun}["{key}"].isin(items["id"])]',
        )


def check_complete(table: pa.Table, noun: str) -> None:
    """Raise InputError if a row of ``table`` has some of a quad's scores or of NLI's probabilities, not all.

    A model with the labels entailment and not_entailment has neither neutral nor contradiction.
    """
    for name in SCORES if set(SCORES) <= set(table.column_names) else ():
        row = pc.index(pc.is_null(table[name], nan_is_null=True), True).as_py()
        if row >= 0:
            raise InputError(
                f"the score {name} of the {noun} is empty or NaN in row {row} (from 0)",
                remedy="write the eight scores of the quad in it, or leave the row out",
            )
    if not set(LABELS) <= set(table.column_names):
        return
    entailment, neutral, contradiction = (pc.is_null(table[name], nan_is_null=True) for name in LABELS)
    row = pc.index(pc.or_(entailment, pc.xor(neutral, contradiction)), True).as_py()
    if row >= 0:
        raise InputError(
            f"a probability of the {noun} is empty or NaN in row {row} (from 0)",
            remedy=f"write the probabilities {', '.join(LABELS)} in it, or leave the row out",
        )


def check_once(table: pa.Table, noun: str, names: Sequence[str], remedy: str) -> None:
    """Raise InputError if two rows of ``table`` have the same values in those of ``names`` that it has."""
    keys = [name for name in names if name in table.column_names]
    counted = table.select(keys).group_by(keys).aggregate([([], "count_all")])
    repeated = counted.filter(pc.greater(counted["count_all"], 1))
    if repeated.num_rows:
        first = ", ".join(f"{name} {repeated[name][0].as_py()}" for name in keys)
        raise InputError(
            f"the {noun} have {repeated['count_all'][0].as_py()} rows with {first}", remedy=remedy
        )


def _check_filled(table: pa.Table, noun: str, name: str) -> None:
    row = pc.index(pc.is_null(table[name]), True).as_py()
    if row >= 0:
        raise InputError(
            f"the column {name} of the {noun} is empty in row {row} (from 0)",
            remedy="fill it, or leave the row out",
        )
