"""Demographic fields of annotators, from a CSV file that the authors write, and the table of annotators."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import StudyError
from nextset.files.separated_rows import separated_rows, sheet_text
from nextset.files.spreadsheet_cells import neutralised
from nextset.records.arrow_schema import table_of
from nextset.release.accompanying_data.k_anonymity import require_k_anonymity

__all__ = ["NOT_GIVEN", "AnnotatorRow", "Demographics", "annotator_table", "read_demographics"]

NOT_GIVEN = "not given"
"""The value of empty cells, and of annotators who are not in the file."""

_ANNOTATOR = "annotator"
_MAX_BYTES = 10_000_000
_LONGEST = 200
"""The most characters of a value."""
_HIDDEN = ("Cc", "Zl", "Zp")
_DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""Marks that change the direction of the text that follows."""
_TAKEN = (_ANNOTATOR, "judge", "n_judgments")
_PSEUDONYMS = "`nextset validate open`, `join` and `import` print them"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorRow:
    """An annotator, as published.

    The authors' demographic fields are texts between the two columns; a missing value is *not given*.
    """

    annotator: str
    """The annotator's pseudonym in this dataset, which is in the column judge of the config judgments."""
    n_judgments: int
    """Rows of the config judgments by this annotator, including adjudications."""


@dataclass(frozen=True)
class Demographics:
    """The demographic fields of a study's annotators."""

    file: Path
    """The CSV file."""
    fields: tuple[str, ...]
    """The fields, in the order of the header."""
    values: Mapping[str, tuple[str, ...]]
    """The values of each annotator in the file, by the study's pseudonym."""

    def of(self, judge: str) -> tuple[str, ...]:
        """Return the values of ``judge``; each is *not given* if the file does not list this annotator."""
        return self.values.get(judge, (NOT_GIVEN,) * len(self.fields))


def read_demographics(file: Path, judges: Collection[str]) -> Demographics:
    """Return the demographic fields in ``file``. ``judges`` are the study's pseudonyms of its annotators.

    The file is CSV in UTF-8 with a header: a column annotator, and one column per field. Raises
    StudyError with file, line and remedy if anything in the file is wrong, or if no one judged the study. The
    message does not repeat values of the column annotator, which may hold someone's address by mistake.
    """
    if not judges:
        raise StudyError(
            "no one has judged this study, so it has no annotators",
            file=file,
            remedy="remove release.annotators.demographics from study.yaml",
        )
    rows = _rows(file)
    at, header = next(rows, (1, []))
    fields = _fields(file, at, header)
    place = header.index(_ANNOTATOR)
    values: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    for line, row in rows:
        judge = row[place]
        if judge not in judges:
            raise _wrong(
                file,
                line,
                "the value in the column annotator is not the pseudonym of an annotator of this study",
                f"use pseudonyms ({_PSEUDONYMS}), never names or addresses; remove people who did not judge",
            )
        if judge in lines:
            raise _wrong(
                file, line, f"the same annotator as in line {lines[judge]}", "remove one of the two rows"
            )
        lines[judge] = line
        values[judge] = tuple(_value(text) for i, text in enumerate(row) if i != place)
    if not values:
        raise _wrong(
            file,
            at,
            "no annotator is listed after the header, so every value would be *not given*",
            f"add one row per annotator ({_PSEUDONYMS}), or remove release.annotators.demographics",
        )
    return Demographics(file, fields, values)


def annotator_table(
    n_judgments: Mapping[str, int],
    pseudonyms: Mapping[str, str],
    demographics: Demographics | None = None,
    k: int = 2,
) -> pa.Table:
    """Return the table of annotators (`AnnotatorRow`, with the fields between its columns), by pseudonym.

    ``n_judgments`` comes from `judgments_by_judge`, ``pseudonyms`` from `dataset_pseudonyms`; both have the
    study's pseudonyms as keys. Annotators without values have the value *not given*. Raises StudyError if
    fewer than ``k`` annotators share a combination of values.
    """
    people = sorted(n_judgments, key=lambda judge: pseudonyms[judge])
    rows = [AnnotatorRow(annotator=pseudonyms[j], n_judgments=n_judgments[j]) for j in people]
    table = table_of(rows, AnnotatorRow)
    if demographics is None:
        return table
    values = [demographics.of(judge) for judge in people]
    require_k_anonymity(values, demographics.fields, k, demographics.file)
    for i, field in enumerate(demographics.fields):
        column = pa.array([cells[i] for cells in values], pa.string())
        table = table.add_column(1 + i, pa.field(field, pa.string(), nullable=False), column)
    return table


def _fields(file: Path, line: int, header: Sequence[str]) -> tuple[str, ...]:
    """Return the demographic fields that ``header`` names. Raises StudyError if the header has errors."""
    if _ANNOTATOR not in header:
        raise _wrong(
            file, line, "there is no column annotator", 'rename the column of pseudonyms to "annotator"'
        )
    seen: set[str] = set()
    for i, name in enumerate(header):
        if not name:
            raise _wrong(file, line, f"column {i + 1} has no name", "name the demographic field")
        if not name.isprintable():
            shown = next(c for c in name if not c.isprintable())
            raise _wrong(file, line, f"column {i + 1} has {shown!a} in its name", "remove that character")
        if name.casefold() in seen:
            raise _wrong(file, line, f"there are two columns named {name!r}", "rename or remove one of them")
        if name != _ANNOTATOR and (name.casefold() in _TAKEN or neutralised(name) != name):
            raise _wrong(file, line, f"a field cannot be named {name!r}", "rename that column")
        seen.add(name.casefold())
    if len(header) == 1:
        raise _wrong(file, line, "there is no demographic field", "add one column per field")
    return tuple(name for name in header if name != _ANNOTATOR)


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line number and the cells of each row; skip empty lines."""
    text = sheet_text(file, StudyError, _MAX_BYTES, "name a CSV file in release.annotators.demographics")
    for line, row in separated_rows(text, file, StudyError):
        yield line, [_cell(file, line, text) for text in row]


def _cell(file: Path, line: int, text: str) -> str:
    """Return the cell in NFC, with single spaces and without format characters: values that look the same
    are the same."""
    text = unicodedata.normalize("NFC", text.strip())
    if any(unicodedata.category(c) in _HIDDEN or unicodedata.bidirectional(c) in _DIRECTIONS for c in text):
        forbidden = "a line break, a control character or a direction mark"
        raise _wrong(file, line, f"a cell has {forbidden}", "write plain text")
    text = " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
    if len(text) > _LONGEST:
        raise _wrong(
            file, line, f"a cell has more than {_LONGEST} characters", "write categories, not free text"
        )
    return text


def _value(text: str) -> str:
    """Return the value of a cell, with an apostrophe before text that a spreadsheet would run."""
    return neutralised(text) or NOT_GIVEN


def _wrong(file: Path, line: int, message: str, remedy: str) -> StudyError:
    return StudyError(message, file=file, line=line, remedy=remedy)
