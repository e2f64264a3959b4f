"""The texts of datasets and corpora in files: CSV, TSV, JSONL, Parquet or plain text, also in gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.errors import InputError
from nextset.files.row_files import cells_of_file, open_unpacked

__all__ = ["MAX_TEXT", "SUFFIXES", "file_digest", "file_texts", "texts_in"]

MAX_TEXT = 64 << 20
"""The most bytes of a line or a CSV field."""
_PIECE = 1 << 20
_OVERLAP = 1 << 13


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hex. Raises InputError if the file cannot be read."""
    state = sha256()
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError("not a regular file", file=path, remedy="name a file, or each file of a folder")
    try:
        with path.open("rb") as f:
            while block := f.read(1 << 20):
                state.update(block)
    except OSError as e:
        remedy = "name a file, or each file of the folder" if path.is_dir() else "check the path"
        raise InputError(f"cannot be read: {e.strerror}", file=path, remedy=remedy) from None
    return state.hexdigest()


def file_texts(path: Path) -> Iterator[str]:
    """Yield one text per row of ``path``: all its strings, also nested ones, with line breaks between them.

    A text file has one row per paragraph. A paragraph of more than a million characters is split into
    overlapping pieces. If the file is damaged, raises InputError with file and line at the place of the
    damage.
    """
    reader = SUFFIXES.get(_suffix(path))
    if reader is None:
        raise InputError(
            f"{_suffix(path) or 'a file without an extension'} cannot be compared",
            file=path,
            remedy=f"convert the file to one of {', '.join(SUFFIXES)} (only the first five may be in gzip)",
        )
    try:
        yield from reader(path)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError("damaged gzip data", file=path, remedy="download or copy the file again") from None
    except OSError as e:
        raise InputError(
            f"cannot be read: {e.strerror or e}", file=path, remedy="check the path and its permissions"
        ) from None


def texts_in(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value, in their order, without keys."""
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            yield top
        elif isinstance(top, dict):
            stack.extend(reversed(top.values()))
        elif isinstance(top, list | tuple):
            stack.extend(reversed(top))


def _suffix(path: Path) -> str:
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, from 1. Raises InputError if a line is too long or not UTF-8."""
    with open_unpacked(path) as f:
        number = 0
        while raw := f.readline(MAX_TEXT + 1):
            number += 1
            if len(raw) > MAX_TEXT:
                raise InputError(
                    f"the line is longer than {MAX_TEXT:,} bytes", file=path, line=number, remedy="split it"
                )
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise _not_utf8(path, number) from None


def _jsonl(path: Path) -> Iterator[str]:
    for number, line in _lines(path):
        if line.strip():
            try:
                row = json.loads(line, parse_int=len)  # only texts count, and Python refuses long integers
            except (ValueError, RecursionError) as e:
                why = getattr(e, "msg", "nested too deeply")
                remedy = "write one JSON value per line; if the file was cut off, copy it again"
                raise InputError(f"not JSON: {why}", file=path, line=number, remedy=remedy) from None
            yield "\n".join(texts_in(row))


def _csv(path: Path) -> Iterator[str]:
    rows = cells_of_file(path, InputError)
    next(rows, None)
    return ("\n".join(cells) for _, cells in rows)


def _parquet(path: Path) -> Iterator[str]:
    import pyarrow.parquet as pq

    if path.name.lower().endswith(".gz"):
        raise InputError("Parquet in gzip cannot be read", file=path, remedy="unpack the file")
    rows = 0
    try:
        with pq.ParquetFile(path) as file:
            names = [field.name for field in file.schema_arrow if _has_strings(field.type)]
            for batch in file.iter_batches(1024, columns=names):
                for row in batch.to_pylist() if names else ({} for _ in range(batch.num_rows)):
                    rows += 1
                    yield "\n".join(texts_in(row))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as e:
        why = str(e).splitlines()[0] if str(e) else type(e).__name__
        message = f"not a Parquet file, or damaged after row {rows:,}: {why}"
        raise InputError(message, file=path, remedy="download or export the file again") from None


def _has_strings(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _has_strings(kind.value_type)
    if kind.num_fields:
        return any(_has_strings(kind.field(i).type) for i in range(kind.num_fields))
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _text(path: Path) -> Iterator[str]:
    paragraph, size = list[str](), 0
    for _, line in _lines(path):
        empty = not line.strip()
        if not empty:
            paragraph.append(line)
            size += len(line)
        if paragraph and (empty or size > _PIECE):
            yield (text := "".join(paragraph))
            paragraph = [] if empty else [text[-_OVERLAP:]]
            size = sum(map(len, paragraph))
    if paragraph:
        yield "".join(paragraph)


def _not_utf8(path: Path, line: int) -> InputError:
    return InputError("not UTF-8", file=path, line=line, remedy="save the file as UTF-8")


SUFFIXES: dict[str, Callable[[Path], Iterator[str]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _jsonl,
    ".txt": _text,
    ".md": _text,
    ".parquet": _parquet,
}
"""The reader for each file extension."""
