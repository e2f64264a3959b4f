"""Tables of others in files: the rows of JSON lines, CSV, TSV or Parquet, read one after the other."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa

from nextset.errors import InputError
from nextset.files.bounded_text import MAX_LINE, BoundedBytes
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.parquet_rows import parquet_columns, parquet_rows
from nextset.files.regular_file import require_file
from nextset.files.separated_rows import SAVE_AS_UTF8, UTF_16_MARKS, separated_rows

__all__ = [
    "ROW_SUFFIXES",
    "FileRow",
    "cells_of_file",
    "columns_line",
    "is_row_file",
    "open_unpacked",
    "row_columns",
    "rows_of_file",
]

_BLOCK = 1 << 20

FileRow = tuple[int, Mapping[str, Any]]
"""A row: its line, or its number in Parquet, from 1; and its values by column."""

Error = type[InputError]
Prepare = Callable[[pa.Table], pa.Table]


@dataclass(frozen=True)
class _Reading:
    """The way to read a file."""

    path: Path
    error: Error
    prepare: Prepare
    columns: Collection[str] | None
    """The columns of Parquet to read; None for all."""


def is_row_file(path: Path) -> bool:
    """Return whether `rows_of_file` reads files with the name of ``path``."""
    return _suffix(path) in ROW_SUFFIXES


def row_columns(path: Path, error: Error) -> tuple[str, ...]:
    """Return the columns of ``path`` (of the first row, in JSON lines); none for a file without rows.

    Raises ``error`` as `rows_of_file` does.
    """
    if _suffix(path) == ".parquet":
        with _named_errors(path, error):
            return parquet_columns(path, error)
    return tuple(next((row for _, row in rows_of_file(path, error)), {}))


def columns_line(path: Path, line: int) -> int:
    """Return the line with the column names of the row in ``line``: the header, in JSON lines ``line``."""
    return line if _suffix(path).startswith(".jsonl") else 1


def rows_of_file(
    path: Path,
    error: Error,
    *,
    prepare: Prepare = lambda table: table,
    columns: Collection[str] | None = None,
) -> Iterator[FileRow]:
    """Yield the rows of ``path`` in constant memory: .jsonl, .csv and .tsv, also with .gz, and .parquet.

    ``prepare`` gets each batch of a Parquet file; an ArtifactError that it raises becomes ``error``.
    ``columns`` limits the columns that are read from Parquet; other files are read whole.
    Raises ``error`` with file, line and remedy if the file is damaged, at the place of the damage, and for a
    line, a CSV record or a row of Parquet of more than `MAX_LINE` bytes.
    """
    reader = ROW_SUFFIXES.get(_suffix(path))
    if reader is None:
        raise error(
            f"{path.suffix or 'a file without an extension'} is not a table that can be read",
            file=path,
            remedy=f"convert the file to one of {', '.join(ROW_SUFFIXES)}",
        )
    with _named_errors(path, error):
        yield from reader(_Reading(path, error, prepare, columns))


@contextlib.contextmanager
def _named_errors(path: Path, error: Error) -> Iterator[None]:
    """Check that ``path`` is a regular file, and raise ``error`` for problems while it is read."""
    try:
        require_file(path, error, "name a regular file")
        yield
    except FileNotFoundError:
        raise error("no such file", file=path, remedy="check the path") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise error("damaged gzip data", file=path, remedy="download or copy the file again") from None
    except MemoryError:
        raise error(
            "the file does not fit into this machine's memory", file=path, remedy="split its long rows"
        ) from None
    except PermissionError:
        raise
    except OSError as e:
        raise error(
            f"the file cannot be read: {e.strerror or e}", file=path, remedy="check the path"
        ) from None


def _suffix(path: Path) -> str:
    name = path.name.lower()
    packed = name.endswith(".gz")
    suffix = Path(name.removesuffix(".gz")).suffix
    return f"{suffix}.gz" if packed else suffix


def open_unpacked(path: Path) -> IO[bytes]:
    """Return ``path`` open for reading; a file whose name ends in .gz is unpacked."""
    if path.name.lower().endswith(".gz"):
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb")


def _jsonl(reading: _Reading) -> Iterator[FileRow]:
    path, error = reading.path, reading.error
    with open_unpacked(path) as file:
        line = 0
        while raw := file.readline(MAX_LINE + 1):
            line += 1
            if len(raw) > MAX_LINE:
                raise error(f"longer than {MAX_LINE:,} bytes", file=path, line=line, remedy="split that line")
            if raw.strip():
                yield line, _object(raw, path, line, error)


def _object(raw: bytes, path: Path, line: int, error: Error) -> Mapping[str, Any]:
    remedy = "correct that line: write one JSON object per line, with each key once"
    try:
        row = parse_foreign_json(raw.decode("utf-8-sig" if line == 1 else "utf-8"))
    except UnicodeDecodeError:
        raise error("not UTF-8", file=path, line=line, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        raise error(str(e), file=path, line=line, remedy=remedy) from None
    if not isinstance(row, dict):
        raise error("not a JSON object", file=path, line=line, remedy=remedy)
    return row


def _separated(reading: _Reading) -> Iterator[FileRow]:
    rows = cells_of_file(reading.path, reading.error)
    _, header = next(rows, (1, []))
    return ((line, dict(zip(header, cells, strict=True))) for line, cells in rows)


def cells_of_file(path: Path, error: Error) -> Iterator[tuple[int, list[str]]]:
    """Yield the header and the rows of a file of CSV or TSV, each with its first line, as `separated_rows`.

    Raises ``error`` as it does, and for text that is not UTF-8.
    """
    try:
        with open_unpacked(path) as raw:
            text = io.TextIOWrapper(cast("IO[bytes]", BoundedBytes(raw)), encoding="utf-8-sig", newline="")
            yield from separated_rows(text, path, error, tabs=_suffix(path).startswith(".tsv"))
    except UnicodeDecodeError as e:
        what = "the file is UTF-16, not UTF-8" if e.object[:2] in UTF_16_MARKS else "not UTF-8"
        raise error(what, file=path, line=_first_not_utf8(path), remedy=SAVE_AS_UTF8) from None


def _first_not_utf8(path: Path) -> int | None:
    """Return the first line of ``path`` that is not UTF-8."""
    decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
    with open_unpacked(path) as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
                line += block.count(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as e:
            return line + e.object[: e.start].count(b"\n")
    return None


def _parquet(reading: _Reading) -> Iterator[FileRow]:
    return parquet_rows(reading.path, reading.error, reading.prepare, reading.columns)


ROW_SUFFIXES: dict[str, Callable[[_Reading], Iterator[FileRow]]] = {
    ".jsonl": _jsonl,
    ".jsonl.gz": _jsonl,
    ".csv": _separated,
    ".csv.gz": _separated,
    ".tsv": _separated,
    ".tsv.gz": _separated,
    ".parquet": _parquet,
}
"""The reader of each kind of file."""
