"""The rows of a published file: JSON lines, TSV, CSV, Parquet, or a list in JSON."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from nextset.errors import InputError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file
from nextset.files.row_files import ROW_SUFFIXES, open_unpacked, row_columns, rows_of_file
from nextset.published_choices.published_formats import PublishedFormat, format_of_columns, unknown_format
from nextset.published_choices.row_fields import RowFields

__all__ = ["SUFFIXES", "count_rows", "format_of_file", "has_published_items", "published_rows"]

SUFFIXES = (*ROW_SUFFIXES, ".json")
"""The ends of the names of files that can have published items."""
_LONGEST = 64 << 20
"""The most bytes of a list in JSON, which is read whole; the largest of CBBQ has 10 MB."""
_CHUNK = 1 << 20


def published_rows(file: Path) -> Iterator[RowFields]:
    """Yield the rows of ``file``; raises InputError with file, line and remedy if it cannot be read."""
    if file.suffix.lower() != ".json":
        for line, values in rows_of_file(file, InputError):
            yield RowFields(file, line, values)
        return
    for number, entry in enumerate(_listed(file), 1):
        row = RowFields(file, number, entry if isinstance(entry, dict) else {})
        if not isinstance(entry, dict):
            row.refuse("this entry of the list is not an object with keys")
        yield row


def format_of_file(file: Path) -> PublishedFormat:
    """Return the layout of ``file``, by its first row; raises InputError for an unknown one."""
    first = next(published_rows(file), None)
    columns = () if first is None else tuple(first.values)
    layout = format_of_columns(columns)
    if layout is None:
        raise unknown_format(file, columns)
    return layout


def has_published_items(file: Path) -> bool:
    """Return whether the first row of ``file`` has a known layout; raises InputError for a damaged table.

    A file of JSON without a list can be anything, so it has none.
    """
    if file.suffix.lower() == ".json":
        with file.open("rb") as raw:
            if not raw.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
                return False
        first = next(iter(_listed(file)), None)
        return isinstance(first, dict) and format_of_columns(first) is not None
    columns = row_columns(file, InputError)
    return format_of_columns(columns) is not None


def count_rows(file: Path) -> int:
    """Return the number of rows of ``file``, without reading their values; for text, of its lines.

    Raises InputError for damaged gzip data.
    """
    if file.suffix.lower() == ".json":
        return len(_listed(file))
    if file.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        return int(pq.read_metadata(file).num_rows)
    lines, last = 0, b"\n"
    try:
        with open_unpacked(file) as raw:
            while chunk := raw.read(_CHUNK):
                lines, last = lines + chunk.count(b"\n"), chunk[-1:]
    except (EOFError, gzip.BadGzipFile, zlib.error):
        remedy = "download or copy the file again"
        raise InputError("damaged gzip data", file=file, remedy=remedy) from None
    lines += last != b"\n"
    return max(0, lines - (".jsonl" not in file.name.lower()))


def _listed(file: Path) -> list[object]:
    """Return the list in a file of JSON; raises InputError for anything else."""
    remedy = "name a file with a list of objects, as CBBQ publishes them"
    try:
        require_file(file, InputError)
    except FileNotFoundError:
        raise InputError("no such file", file=file, remedy="check the path") from None
    size = file.stat().st_size
    if size > _LONGEST:
        raise InputError(f"the list has {size:,} bytes, more than {_LONGEST:,}", file=file, remedy=remedy)
    try:
        listed = parse_foreign_json(file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=file, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        raise InputError(str(e), file=file, line=e.line, remedy=remedy) from None
    if not isinstance(listed, list):
        raise InputError("not a list", file=file, line=1, remedy=remedy)
    return listed
