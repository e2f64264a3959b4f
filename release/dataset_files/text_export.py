"""CSV and JSONL of a table, written batch by batch.

CSV: UTF-8, lines that end in a line feed, one header line. Text is always quoted; numbers and true/false are
never quoted. Null is an empty cell without quotes. Lists and structs are JSON in a cell. Text that a
spreadsheet would run as a formula gets a leading apostrophe; `plain_text` removes it again.

JSONL: UTF-8, one object per line. Every character that a reader may treat as the end of a line is escaped.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.files.spreadsheet_cells import neutralised
from nextset.records.class_labels import untyped_table

__all__ = ["write_csv", "write_jsonl", "write_layout"]

Layout = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
"""A function that returns the fields of a row and its number as a published file has them."""

_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029]")


def write_csv(path: Path, batches: Iterable[pa.RecordBatch]) -> None:
    """Write ``batches`` to ``path`` as CSV, completely or not at all.

    Columns of numbers with names (`class_labels`) are written as their names. Raises ArtifactError for a
    number that is not finite.
    """

    def head(schema: pa.Schema) -> str:
        return ",".join(_quoted(neutralised(name)) for name in schema.names) + "\n"

    def line(row: Mapping[str, Any]) -> str:
        return ",".join(_cell(value) for value in row.values()) + "\n"

    _write(path, batches, head, line)


def write_jsonl(path: Path, batches: Iterable[pa.RecordBatch]) -> None:
    """Write ``batches`` to ``path`` as JSONL, completely or not at all.

    Columns of numbers with names (`class_labels`) are written as their names. Raises ArtifactError for a
    number that is not finite.
    """
    _write(path, batches, lambda schema: "", lambda row: _json(row) + "\n")


def write_layout(path: Path, batches: Iterable[pa.RecordBatch], layout: Layout) -> None:
    """Write ``batches`` to ``path`` as JSON lines in a published ``layout``, completely or not at all.

    Rows are numbered from 0.
    """
    numbers = itertools.count()
    _write(path, batches, lambda schema: "", lambda row: _json(layout(row, next(numbers))) + "\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _json(value)
    if isinstance(value, str):
        return _quoted(neutralised(value))
    return _quoted(_json(value))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _json(value: object) -> str:
    raw = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _LINE_ENDS.sub(lambda m: f"\\u{ord(m[0]):04x}", raw)


def _write(
    path: Path,
    batches: Iterable[pa.RecordBatch],
    head: Callable[[pa.Schema], str],
    line: Callable[[Mapping[str, Any]], str],
) -> None:
    """Write a head and one line per row to a temporary file, then rename the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    rows = 0
    try:
        with temporary.open("w", encoding="utf-8", newline="") as out:
            for i, batch in enumerate(batches):
                table = untyped_table(pa.Table.from_batches([batch]))
                if i == 0:
                    out.write(head(table.schema))
                _write_rows(out, table, rows, line)
                rows += table.num_rows
            out.flush()
            os.fsync(out.fileno())
    except OSError as e:
        e.filename = str(temporary)  # if the disk is full, the error names no file
        raise
    temporary.replace(path)


def _write_rows(out: IO[str], table: pa.Table, before: int, line: Callable[[Mapping[str, Any]], str]) -> None:
    for number, row in enumerate(table.to_pylist(), before + 1):
        try:
            out.write(line(row))
        except ValueError:
            name = next((n for n, v in row.items() if _not_finite(v)), "")
            raise ArtifactError(
                f"row {number}, column {name}: the number is not finite, and text files cannot hold it",
                remedy="remove csv and jsonl from release.formats, or correct the column",
            ) from None


def _not_finite(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(map(_not_finite, value.values()))
    return isinstance(value, list) and any(map(_not_finite, value))
