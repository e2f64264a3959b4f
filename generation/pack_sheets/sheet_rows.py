"""The reader of sheets from a spreadsheet: rows of text with their lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from nextset.counted import counted
from nextset.errors import WordListError, examples
from nextset.files.separated_rows import separated_rows, sheet_text
from nextset.files.similar_column import similar_column
from nextset.files.spreadsheet_cells import plain_text

__all__ = ["SheetProblem", "SheetRow", "WrongSheet", "read_sheet"]

MAX_BYTES = 20_000_000
"""The most bytes of a sheet; the sheet of a large pack has a few hundred thousand."""


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet."""

    line: int
    """The line of the file where the row begins, from 1."""
    texts: dict[str, str]
    """The texts by column, without the apostrophes that keep a spreadsheet from treating them as formulas."""


@dataclass(frozen=True)
class SheetProblem:
    """A problem in a sheet, which prevents its import."""

    line: int
    """The line of the file, from 1."""
    place: str
    """The cell's place, or the row's id; empty if the problem is about the whole row."""
    message: str
    """The problem and its remedy."""


class WrongSheet(WordListError):
    """Rows of a sheet are wrong; ``problems`` has all problems, and nothing was imported."""

    def __init__(self, file: Path, problems: Sequence[SheetProblem], remedy: str) -> None:
        first = problems[0]
        others = len(problems) - 1
        more = f" (and {counted(others, 'more problems', 'more problem')})" if others else ""
        message = f"{first.place[:200]}: {first.message}{more}" if first.place else f"{first.message}{more}"
        super().__init__(message, file=file, line=first.line, remedy=remedy)
        self.problems = tuple(problems)


def read_sheet(path: Path, columns: Collection[str]) -> list[SheetRow]:
    """Return the rows of a CSV file with ``columns``, in any order and with any usual separator.

    Other columns are ignored, and so are rows without text. Raises WordListError if the file cannot be read
    as such a sheet.
    """
    text = sheet_text(path, WordListError, MAX_BYTES)
    _check_first_line(path, text.getvalue(), columns)
    rows = separated_rows(text, path, WordListError, sheet=True, longest=131_072)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    _check_header(path, header, columns)
    return [
        SheetRow(line, {name: plain_text(cells[header.index(name)]) for name in columns})
        for line, cells in rows
    ]


def _check_first_line(path: Path, text: str, columns: Collection[str]) -> None:
    """Raise WordListError if the header is not the first line, but after a title or a spreadsheet's sep=;."""
    lines = text.splitlines()[:10]
    at = next((i for i, line in enumerate(lines) if _known(line, columns) >= len(columns) / 2), 0)
    if at:
        raise WordListError(
            f"the header is not in line 1, but in line {at + 1}",
            file=path,
            line=1,
            remedy="remove the lines above the header",
        )


def _known(line: str, columns: Collection[str]) -> int:
    """Return the number of ``columns`` that a line names."""
    cells = {cell.strip(' "') for cell in line.split(max(",;\t", key=line.count))}
    return len(cells.intersection(columns))


def _check_header(path: Path, header: Sequence[str], columns: Collection[str]) -> None:
    if missing := [name for name in columns if name not in header]:
        what = "the column {} is missing" if len(missing) == 1 else "the columns {} are missing"
        meant = ((other, similar_column(other, missing)) for other in header if other not in columns)
        renamed = [f"{other[:40]!r} to {name!r}" for other, name in meant if name is not None]
        raise WordListError(
            what.format(examples(map(repr, missing), 8)),
            file=path,
            line=1,
            remedy=f"rename {', '.join(renamed)}"
            if renamed
            else "restore the original columns of the sheet; their order does not matter",
        )
