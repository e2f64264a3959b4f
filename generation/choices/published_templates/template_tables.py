"""Files of published templates, in any of the formats."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError, TemplateError
from nextset.files.row_files import row_columns, rows_of_file
from nextset.generation.choices.published_templates.bbq_templates import BBQ_TEMPLATES
from nextset.generation.choices.published_templates.esbbq_templates import ESBBQ_TEMPLATES
from nextset.generation.choices.published_templates.kobbq_templates import KOBBQ_TEMPLATES
from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.template_format import (
    TemplateFormat,
    TemplateReading,
    TemplateRow,
)
from nextset.generation.choices.published_templates.workbook_rows import workbook_rows

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "TemplateFile",
    "read_templates",
    "template_columns",
    "template_format",
    "template_paths",
]

FORMATS: tuple[TemplateFormat, ...] = (BBQ_TEMPLATES, KOBBQ_TEMPLATES, ESBBQ_TEMPLATES)
"""The formats."""
SUFFIXES = (".csv", ".tsv", ".xlsx")
"""The endings of the files."""
_VOCABULARY = "vocabulary"
_MOST_BYTES, _MOST_ROWS, _MOST_SETS = 32 << 20, 20_000, 10**12


@dataclass(frozen=True)
class TemplateFile:
    """A file of published templates."""

    file: Path
    templates: tuple[PublishedTemplate, ...]
    beside: tuple[Path, ...]
    """The files beside it that its templates need, such as vocabularies."""


def template_paths(path: Path) -> list[Path]:
    """Return ``path``, or the files of templates in it, without vocabularies; raises TemplateError."""
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.iterdir()
        if file.suffix.lower() in SUFFIXES and not file.name.startswith((_VOCABULARY, ".", "~"))
    )
    if not files:
        raise TemplateError(
            "the folder has no files of published templates",
            file=path,
            remedy=f"name a folder with files that end in {', '.join(SUFFIXES)}",
        )
    return files


def template_format(columns: Collection[str]) -> TemplateFormat | None:
    """Return the format whose columns are among ``columns``; None if there is none."""
    return next((known for known in FORMATS if set(known.columns) <= set(columns)), None)


def template_columns(file: Path) -> tuple[str, ...]:
    """Return the columns of ``file``, of a workbook those with a text; raises TemplateError if damaged."""
    if file.suffix.lower() == ".xlsx":
        return _columns(template_rows(file, TemplateError))
    return row_columns(file, TemplateError)


def _columns(rows: list[TemplateRow]) -> tuple[str, ...]:
    return tuple({column: None for row in rows for column in (*row.cells, *row.formulas)})


def read_templates(file: Path, language: str, *, every: bool = False) -> TemplateFile:
    """Return the templates of ``file``; raises InputErrors with file, line and remedy.

    ``language`` decides for formats with several languages; with ``every``, any two groups meet.
    """
    rows = template_rows(file, TemplateError)
    known = template_format(_columns(rows))
    if known is None:
        raise TemplateError(
            "the file has no rows, or not the columns of BBQ, KoBBQ or EsBBQ",
            file=file,
            line=1,
            remedy="name a file of published templates, with the columns that its authors gave it",
        )
    beside: dict[Path, None] = {}
    templates = known.read(TemplateReading(file, rows, language, every, beside))
    _refuse_twins(templates)
    _refuse_many(templates)
    return TemplateFile(file, tuple(templates), tuple(beside))


def _refuse_many(templates: list[PublishedTemplate]) -> None:
    """Raise TemplateError for a template with more sets than can be numbered."""
    for template in templates:
        if len(template.pairs) * template.wordings > _MOST_SETS:
            raise TemplateError(
                f"the lists of {template.id} give more than {_MOST_SETS:,} sets",
                file=template.file,
                line=template.line,
                remedy="shorten the lists of names and words",
            )


def template_rows(file: Path, error: type[InputError]) -> list[TemplateRow]:
    """Return the rows of ``file``; raises ``error`` if it cannot be read or is too large for templates."""
    if file.is_file() and file.stat().st_size > _MOST_BYTES:
        raise error(
            f"the file has more than {_MOST_BYTES:,} bytes, too many for templates",
            file=file,
            remedy="name a file of templates; published items belong to choices.items",
        )
    rows: list[TemplateRow] = []
    for row in _rows(file, error):
        if len(rows) == _MOST_ROWS:
            raise error(f"more than {_MOST_ROWS:,} rows", file=file, line=row.line, remedy="split the file")
        rows.append(row)
    return rows


def _rows(file: Path, error: type[InputError]) -> Iterator[TemplateRow]:
    if file.suffix.lower() == ".xlsx":
        return workbook_rows(file, error)
    if file.suffix.lower() not in SUFFIXES:
        raise error(
            f"{file.suffix or 'a file without an extension'} is not a format of published templates",
            file=file,
            remedy=f"name a file that ends in {', '.join(SUFFIXES)}",
        )
    return (TemplateRow(line, cells) for line, cells in rows_of_file(file, error))


def _refuse_twins(templates: list[PublishedTemplate]) -> None:
    """Raise TemplateError if two rows have the same number, version and texts."""
    lines: dict[tuple[str, ...], int] = {}
    for template in templates:
        key = (
            template.category,
            template.number,
            template.version,
            repr(template.texts),
            repr(template.notes),
        )
        if key in lines:
            raise TemplateError(
                f"the template {template.id} stands in line {lines[key]} too",
                file=template.file,
                line=template.line,
                remedy="remove one of the two rows",
            )
        lines[key] = template.line
