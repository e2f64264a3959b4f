"""The names of a file's columns: likely spellings of nextset's columns, and columns that are ignored."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import ImportedDataError
from nextset.files.row_files import FileRow, columns_line
from nextset.files.similar_column import similar_column

__all__ = ["FileColumns", "refuse_misnamed"]

_USUAL = {
    "stance": "stance_design",
    "sentence1": "premise",
    "context": "premise",
    "sentence2": "hypothesis",
    "goldlabel": "label",
    "groupa": "group1",
    "groupb": "group2",
    "lang": "language",
    "source": "premise_source",
}
"""The column names of other datasets, in lower case without separators, and nextset's names for them."""


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file."""

    lines: Mapping[str, int]
    """The line of the first row that has the column, by the column's name, in the order of the file."""
    first: frozenset[str]
    """The columns of the first row; empty for a file without rows."""
    complete: frozenset[str]
    """The columns that have a value in every row."""

    @classmethod
    def of(cls, found: Iterable[FileRow]) -> FileColumns:
        """Return the columns of the rows ``found``; the rows themselves are not kept in memory."""
        lines: dict[str, int] = {}
        complete: set[str] | None = None
        first: frozenset[str] = frozenset()
        for line, row in found:
            for name in row if row.keys() - lines.keys() else ():
                lines.setdefault(name, line)
            if complete is None:
                first = frozenset(row)
                complete = set(first)
            complete = {name for name in complete if row.get(name) not in (None, "")}
        return cls(lines, first, frozenset(complete or ()))

    def without(self, used: Collection[str]) -> tuple[str, ...]:
        """Return the columns that are not in ``used``, in the order of the file."""
        return tuple(name for name in self.lines if name not in used)


def refuse_misnamed(
    path: Path, columns: FileColumns, ignored: Collection[str], wanted: Collection[str]
) -> None:
    """Raise ImportedDataError if a column in ``ignored`` is probably meant for one in ``wanted``.

    ``wanted`` are those of nextset's columns that neither the file nor the command gives.
    """
    for name in ignored:
        ours = similar_column(name, wanted, _USUAL)
        if ours is not None:
            raise ImportedDataError(
                f"the column {name!r} is not one of nextset's, but looks like {ours}",
                file=path,
                line=columns_line(path, columns.lines[name]),
                remedy=f"add --column {shlex.quote(f'{ours}={name}')}, or rename the column "
                f"to {ours} (or to something else if it should be ignored)",
            )
