"""The rows of a table as passages: their columns and the values that are allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nextset.errors import InputError, examples
from nextset.extensions.ambiguity.passages import Passage
from nextset.extensions.ambiguity.settings.retrieval_settings import PassageSettings
from nextset.files.hidden_controls import hidden_control, without_hidden_controls
from nextset.files.similar_column import similar_column
from nextset.records.class_labels import is_no_class

__all__ = ["PassageColumns", "columns_of_row", "passage_columns", "passage_of"]

_SIMILAR = {
    "docid": "id",
    "pid": "id",
    "passageid": "id",
    "contents": "text",
    "passage": "text",
    "body": "text",
}
"""Names in other collections, in lower case without separators, with nextset's names."""
_SAYS_GROUP = {"gender": "group", "sex": "group"}
"""The same for a column with group labels; without it, people would be identified only by first names, or not
at all."""


@dataclass(frozen=True)
class PassageColumns:
    """The columns of a table that passages are read from."""

    title: str
    """The column of titles."""
    text: str
    id: str | None
    """The column of ids; None if passages are numbered."""
    group: str | None
    """The column of groups; None if there is no such column."""


def passage_columns(settings: PassageSettings, found: Collection[str], file: Path | str) -> PassageColumns:
    """Return the columns of a table with the columns ``found``.

    Raises InputError if title, text or a column that the study names is missing; a similar name is suggested.
    It is also raised if there is no id or group but a column that is probably meant as one, because nextset
    would not read that column.
    """
    named = {"title": settings.title, "text": settings.text, "id": settings.id, "group": settings.group}
    for ours, name in named.items():
        if name is not None and name not in found:
            raise _missing(ours, name, found, file)
    for ours in ("id", "group"):
        if named[ours] is not None:
            continue
        if ours in found:
            named[ours] = ours
        elif _meant(ours, [n for n in found if n not in named.values()]) is not None:
            raise _missing(ours, ours, found, file)
    return PassageColumns(settings.title, settings.text, named["id"], named["group"])


def columns_of_row(
    columns: PassageColumns, row: Mapping[str, Any], file: Path | str, line: int
) -> PassageColumns:
    """Return ``columns``, with the column of groups if this row of JSON lines is the first with a group.

    Raises InputError if this row has an id but earlier rows have none: those were numbered.
    """
    if columns.id is None and "id" in row:
        message = "this row has an id, and the first row does not"
        raise InputError(message, file=file, line=line, remedy="write an id in every row, or in no row")
    if columns.group is None and "group" in row:
        return replace(columns, group="group")
    return columns


def _meant(ours: str, found: Collection[str]) -> str | None:
    """Return the column of ``found`` that is probably meant as the optional column ``ours``, else None.

    For ids, only case may differ, because a column with a similar name, such as uid, can have repeated ids.
    """
    if ours == "id":
        return next((n for n in found if n.strip().lower() == ours), None)
    return next((n for n in found if similar_column(n, [ours], _SAYS_GROUP)), None)


def _missing(ours: str, name: str, found: Collection[str], file: Path | str) -> InputError:
    near = next((n for n in found if similar_column(n, [name], _SIMILAR)), None) or _meant(ours, found)
    remedy = f"write ambiguity.retrieval.passages.{ours}: COLUMN in study.yaml"
    if near is not None:
        remedy = f"did you mean {near!r}? {remedy.replace('COLUMN', near)}"
    there = f"; it has {examples(found, 12)}" if found else ""
    return InputError(f"there is no column {name!r}{there}", file=file, line=1, remedy=remedy)


def passage_of(
    row: Mapping[str, Any], columns: PassageColumns, number: int, file: Path | str, line: int
) -> Passage:
    """Return the passage in ``row``, which is number ``number`` in its collection.

    A control character in a text becomes a space, and direction overrides are removed. Raises InputError for
    a missing value, for a value that is not a text, for NUL, and for an id with such a character; ids may be
    whole numbers.
    """
    return Passage(
        id=str(number) if columns.id is None else _id(row, columns.id, file, line),
        title=_text(row, columns.title, file, line),
        text=_text(row, columns.text, file, line),
        group="" if columns.group is None else _group(row, columns.group, file, line),
    )


def _group(row: Mapping[str, Any], column: str, file: Path | str, line: int) -> str:
    if row.get(column) and is_no_class(row[column]):
        raise InputError(
            f"{column} is {row[column]!r}, which is not a group",
            file=file,
            line=line,
            remedy="leave the cell empty if the group is not known",
        )
    return _text(row, column, file, line, missing_is_empty=True)


def _text(
    row: Mapping[str, Any], column: str, file: Path | str, line: int, *, missing_is_empty: bool = False
) -> str:
    value = row.get(column)
    if isinstance(value, str):
        return _shown(value, column, file, line)
    if value is None and (missing_is_empty or column in row):
        return ""
    if column not in row:
        raise InputError(
            f"the column {column!r} is missing in this row", file=file, line=line, remedy="add its value"
        )
    message = f"{column} is not a text: {value!r:.100}"
    raise InputError(message, file=file, line=line, remedy="write the value as text")


def _shown(text: str, column: str, file: Path | str, line: int) -> str:
    """Return ``text`` without invisible characters; raises InputError for NUL, a sign of a damaged file."""
    if "\0" in text:
        raise InputError(
            f"a NUL character is in {column}",
            file=file,
            line=line,
            remedy="remove the character, or export the file again",
        )
    return without_hidden_controls(text)


def _id(row: Mapping[str, Any], column: str, file: Path | str, line: int) -> str:
    value = row.get(column)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        if (hidden := hidden_control(value)) is not None:
            message = f"the control character U+{ord(hidden):04X} in {column}"
            raise InputError(message, file=file, line=line, remedy="remove it")
        return value
    message = f"{column} is missing" if value in (None, "") else f"{column} is not an id: {value!r:.100}"
    raise InputError(message, file=file, line=line, remedy="write a text or a whole number in each row")
