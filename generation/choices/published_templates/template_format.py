"""A format of published templates: the columns that show it, and its reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nextset.errors import TemplateError
from nextset.generation.choices.published_templates.published_template import PublishedTemplate

__all__ = ["MOST_CHARACTERS", "TemplateFormat", "TemplateReading", "TemplateRow", "wanted_cell"]

MOST_CHARACTERS = 20_000
"""The most characters of a cell."""


@dataclass(frozen=True)
class TemplateRow:
    """A row of a table of templates."""

    line: int
    """The line of the file, or the row of the workbook, from 1."""
    cells: Mapping[str, str]
    """The texts by column."""
    formulas: frozenset[str] = frozenset()
    """The columns with a formula; a workbook alone has them."""


@dataclass(frozen=True)
class TemplateReading:
    """A file of templates that is read."""

    file: Path
    rows: Iterable[TemplateRow]
    language: str
    """The study's language."""
    every: bool
    """True for pairs of any two groups, False for each target with each other group."""
    beside: dict[Path, None]
    """The files beside it that were read as well, such as vocabularies; the reader adds them."""


class TemplateFormat(Protocol):
    """A format of published templates. A new one is a module with such an object, and a line in FORMATS."""

    @property
    def columns(self) -> Collection[str]:
        """Return the columns that show the format, all of which its files have."""

    def read(self, reading: TemplateReading, /) -> list[PublishedTemplate]:
        """Return the templates of a file; raises InputErrors with file, line and remedy."""


def wanted_cell(file: Path, row: TemplateRow, column: str, *, optional: bool = False) -> str:
    """Return the text of a cell without spaces at its ends.

    Raises TemplateError if it is empty and not ``optional``, a formula, or longer than `MOST_CHARACTERS`.
    """
    if column in row.formulas:
        raise TemplateError(
            f"the cell in the column {column!r} is a formula",
            file=file,
            line=row.line,
            remedy="paste the text itself (in a spreadsheet: paste special, values)",
        )
    text = row.cells.get(column, "").strip()
    if len(text) > MOST_CHARACTERS:
        raise TemplateError(
            f"the cell in the column {column!r} has {len(text):,} characters, more than {MOST_CHARACTERS:,}",
            file=file,
            line=row.line,
            remedy="shorten the text; if a quote is not closed, close it",
        )
    if not text and not optional:
        raise TemplateError(
            f"the cell in the column {column!r} is empty",
            file=file,
            line=row.line,
            remedy="write the text, or remove the row",
        )
    return text
