"""The rows of tables that others wrote, with line numbers: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import ArtifactError, InputError
from nextset.files.csv_header import repeated_column
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file

__all__ = ["TABLE_SUFFIXES", "Row", "table_rows"]

_BATCH = 8192

Row = tuple[int, Mapping[str, Any]]
"""Line or row number (from 1), and the values by column."""
Prepare = Callable[[pa.Table], pa.Table]


def table_rows(
    path: Path,
    error: type[InputError],
    suffixes: Sequence[str] = (),
    prepare: Prepare = lambda table: table,
) -> Iterator[Row]:
    """Yield the rows of ``path``; raises ``error`` with file, line and remedy.

    ``suffixes`` are those that may be read, by default all of `TABLE_SUFFIXES`. ``prepare`` gets each batch
    of a Parquet file; an ArtifactError of it becomes ``error``. In TSV a quotation mark is a character.
    """
    known = suffixes or tuple(TABLE_SUFFIXES)
    reader = TABLE_SUFFIXES.get(path.suffix.lower()) if path.suffix.lower() in known else None
    if reader is None:
        raise error(
            f"{path.suffix or 'a file without an extension'} cannot be imported",
            file=path,
            remedy=f"convert the file to one of {', '.join(known)}",
        )
    try:
        require_file(path, error, "name a CSV, JSONL or Parquet file")
        yield from reader(path, error, prepare)
    except FileNotFoundError:
        raise error("no such file", file=path, remedy="check the path") from None
    except UnicodeDecodeError:
        raise error("not UTF-8", file=path, remedy="save the file as UTF-8") from None


def _csv(path: Path, error: type[InputError], prepare: Prepare) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        yield from _csv_rows(path, csv.DictReader(lines, strict=True), error, "commas", ";\t")


def _tsv(path: Path, error: type[InputError], prepare: Prepare) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        yield from _csv_rows(path, reader, error, "tabs", ";,")


def _csv_rows(
    path: Path, reader: csv.DictReader[str], error: type[InputError], marks: str, others: str
) -> Iterator[Row]:
    try:
        names = reader.fieldnames or ()
        if len(names) == 1 and any(mark in names[0] for mark in others):
            kinds = {";\t": "semicolons or tabs", ";,": "semicolons or commas"}
            raise error(
                f"the columns are separated by {kinds[others]}, not by {marks}",
                file=path,
                line=1,
                remedy=f"save it again with {marks}, in UTF-8",
            )
        if twice := repeated_column(names):
            raise error(
                f"there are two columns {twice!r}", file=path, line=1, remedy="rename or remove one of them"
            )
        for row in reader:
            if None in row or None in row.values():
                raise error(
                    f"the header has {len(names)} columns, this row has another number",
                    file=path,
                    line=reader.line_num,
                    remedy=f"check the {marks} in that line"
                    if marks == "tabs"
                    else "put texts that contain a comma in quotes",
                )
            yield reader.line_num, row
    except csv.Error as e:
        raise error(
            f"not CSV: {e}", file=path, line=reader.line_num, remedy="check the quotes in that line"
        ) from None


def _jsonl(path: Path, error: type[InputError], prepare: Prepare) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        for line, text in enumerate(lines, 1):
            if text.strip():
                yield line, _json_row(path, line, text, error)


def _json_row(path: Path, line: int, text: str, error: type[InputError]) -> Mapping[str, Any]:
    try:
        row = parse_foreign_json(text)
    except ForeignJsonError as e:
        remedy = "correct that line: write one JSON object per line, with each key once"
        raise error(str(e), file=path, line=line, remedy=remedy) from None
    if not isinstance(row, dict):
        raise error("not a JSON object", file=path, line=line, remedy="write one JSON object per line")
    return row


def _parquet(path: Path, error: type[InputError], prepare: Prepare) -> Iterator[Row]:
    if not path.is_file():
        raise FileNotFoundError(path)
    start = 1
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                found = prepare(pa.Table.from_batches([batch]))
                yield from enumerate(found.to_pylist(), start)
                start += found.num_rows
    except (pa.ArrowInvalid, OSError) as e:
        raise error(f"not Parquet: {e}", file=path, remedy="export it again") from None
    except ArtifactError as e:
        raise error(e.message, file=path, remedy=e.remedy) from None


TABLE_SUFFIXES: Mapping[str, Callable[[Path, type[InputError], Prepare], Iterator[Row]]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
"""The reader of each kind of file."""
