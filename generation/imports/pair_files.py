"""Readers of premise–hypothesis pairs: rows with line numbers from CSV, JSONL or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import ArtifactError, ImportedDataError
from nextset.files.csv_header import repeated_column
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file
from nextset.records.class_labels import untyped_table

__all__ = ["Row", "rows"]

_BATCH = 8192

Row = tuple[int, Mapping[str, Any]]
"""Line or row number (from 1), and the values by column."""


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of ``path``; raises ImportedDataError with file, line and remedy."""
    readers = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    if path.is_dir():
        yield from _version(path)
        return
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ImportedDataError(
            f"{path.suffix or 'a file without an extension'} cannot be imported",
            file=path,
            remedy=f"convert the file to one of {', '.join(readers)}",
        )
    try:
        require_file(path, ImportedDataError, "name a CSV, JSONL or Parquet file")
        yield from reader(path)
    except FileNotFoundError:
        raise ImportedDataError("no such file", file=path, remedy="check the path") from None
    except UnicodeDecodeError:
        raise ImportedDataError("not UTF-8", file=path, remedy="save the file as UTF-8") from None


def _csv(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        yield from _csv_rows(path, csv.DictReader(lines, strict=True))


def _csv_rows(path: Path, reader: csv.DictReader[str]) -> Iterator[Row]:
    try:
        names = reader.fieldnames or ()
        if len(names) == 1 and any(mark in names[0] for mark in ";\t"):
            raise ImportedDataError(
                "the columns are separated by semicolons or tabs, not by commas",
                file=path,
                line=1,
                remedy="save it again as CSV with commas, in UTF-8",
            )
        if twice := repeated_column(names):
            raise ImportedDataError(
                f"there are two columns {twice!r}", file=path, line=1, remedy="rename or remove one of them"
            )
        for row in reader:
            if None in row or None in row.values():
                raise ImportedDataError(
                    f"the header has {len(names)} columns, this row has another number",
                    file=path,
                    line=reader.line_num,
                    remedy="put texts that contain a comma in quotes",
                )
            yield reader.line_num, row
    except csv.Error as e:
        raise ImportedDataError(
            f"not CSV: {e}", file=path, line=reader.line_num, remedy="check the quotes in that line"
        ) from None


def _jsonl(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        for line, text in enumerate(lines, 1):
            if text.strip():
                yield line, _json_row(path, line, text)


def _json_row(path: Path, line: int, text: str) -> Mapping[str, Any]:
    try:
        row = parse_foreign_json(text)
    except ForeignJsonError as e:
        remedy = "correct that line: write one JSON object per line, with each key once"
        raise ImportedDataError(str(e), file=path, line=line, remedy=remedy) from None
    if not isinstance(row, dict):
        raise ImportedDataError(
            "not a JSON object", file=path, line=line, remedy="write one JSON object per line"
        )
    return row


def _version(folder: Path) -> Iterator[Row]:
    """Yield the rows of the config items of a dataset version."""
    files = sorted((folder / "data" / "items").rglob("*.parquet"))
    if not files and any((folder / "data" / kind).is_dir() for kind in ("questions", "statements")):
        raise ImportedDataError(
            "a dataset version of questions or masked statements, which are made from language packs",
            file=folder,
            remedy="name the packs in study.yaml (docs/questions.md); only NLI items are imported",
        )
    if not files:
        raise ImportedDataError(
            "a folder without the items of a dataset version (data/items/*.parquet)",
            file=folder,
            remedy="name the folder that `nextset release build` wrote, or a CSV, JSONL or Parquet file",
        )
    for file in files:
        yield from _parquet(file)


def _parquet(path: Path) -> Iterator[Row]:
    if not path.is_file():
        raise FileNotFoundError(path)
    start = 1
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                # an earlier release has numbers with names: label, verdict and stance
                found = untyped_table(pa.Table.from_batches([batch]))
                yield from enumerate(found.to_pylist(), start)
                start += found.num_rows
    except (pa.ArrowInvalid, OSError) as e:
        raise ImportedDataError(f"not Parquet: {e}", file=path, remedy="export it again") from None
    except ArtifactError as e:
        raise ImportedDataError(e.message, file=path, remedy=e.remedy) from None
