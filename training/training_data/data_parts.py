"""The part of the data of each example, by a column of the table or a field of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.files.similar_column import similar_column
from nextset.records.class_labels import is_no_class
from nextset.training.training_data.data_source import DataSource

__all__ = ["NO_PART", "check_part", "part_in", "part_of"]

NO_PART = "none"
"""The part of rows without a value, as `is_no_class` says."""


def check_part(by: str, source: DataSource) -> None:
    """Raise InputError if ``source`` is a table without the column ``by``, unless ``by`` is empty."""
    if not by or by in (there := source.columns()):
        return
    near = similar_column(by, there)
    listed = ", ".join(there)[:200]
    remedy = f"did you mean {near!r}?" if near is not None else f"name one of its columns: {listed}"
    raise InputError(f"there is no column {by!r}", file=source.place, line=1, remedy=remedy)


def part_of(row: Mapping[str, Any], by: str, source: DataSource) -> str:
    """Return the part of ``row`` of ``source``, from its column ``by``; empty if ``by`` is empty.

    A number that the source names becomes its name.
    """
    value, names = row.get(by), source.names.get(by, ())
    if isinstance(value, int) and 0 <= value < len(names):
        value = names[value]
    return _text(value) if by else ""


def part_in(levels: Sequence[Mapping[str, Any]], by: str, path: Path) -> str:
    """Return the first field ``by`` of ``levels``, from the question to its article.

    Raises InputError if no level has it.
    """
    for level in levels:
        if by in level:
            return _text(level[by])
    known = [
        name for level in levels for name, value in level.items() if isinstance(value, str | int | float)
    ]
    named = ", ".join(sorted({name for name in known if name not in ("id", "question", "context")}))[:200]
    raise InputError(
        f"there is no field {by!r}",
        file=path,
        remedy=f"name a field: {named}" if named else "name a field of questions, paragraphs or articles",
    )


def _text(value: Any) -> str:
    return NO_PART if is_no_class(value) else str(value)
