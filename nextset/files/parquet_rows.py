"""The rows of Parquet files of others, in memory that does not grow with the size of unpacked texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import ArtifactError, InputError
from nextset.files.bounded_text import MAX_LINE
from nextset.files.separated_rows import repeated_column

__all__ = ["parquet_columns", "parquet_rows"]

_BATCH = 16
"""Rows that are decoded at once: a long text that a dictionary stores once may be in memory this often."""
_TOGETHER = 16 << 20
"""Batches up to this many bytes become Python values at once; the rows of larger ones, one by one."""
_UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
_NOT_SHOWN = (ValueError, OverflowError, LookupError, TypeError)
"""The exceptions for dates, durations and time zones that Python does not have."""


def parquet_columns(path: Path, error: type[InputError]) -> tuple[str, ...]:
    """Return the columns of ``path``; none for a file without rows. Raises ``error`` if it is damaged."""
    try:
        with pq.ParquetFile(path) as file:
            return tuple(file.schema_arrow.names) if file.metadata.num_rows else ()
    except _UNREADABLE as e:
        raise _damaged(e, path, 0, error) from None


def parquet_rows(
    path: Path,
    error: type[InputError],
    prepare: Callable[[pa.Table], pa.Table],
    columns: Collection[str] | None,
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of ``path`` with their numbers from 1, with all columns or the existing ``columns``.

    ``prepare`` gets each batch. Raises ``error`` for a damaged file, two columns with the same name, a row of
    more than `MAX_LINE` bytes, and a column with values that Python does not have.
    """
    row = 0
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if twice := repeated_column(names):
                raise error(
                    f"there are two columns {twice!r}", file=path, remedy="rename or remove one of them"
                )
            wanted = None if columns is None else [name for name in names if name in columns]
            for batch in file.iter_batches(_BATCH, columns=wanted):
                for table in _pieces(batch, path, row, error):
                    for values in _values(prepare(table), path, error):
                        row += 1
                        yield row, values
    except ArtifactError as e:
        raise error(e.message, file=path, remedy=e.remedy) from None
    except _UNREADABLE as e:
        raise _damaged(e, path, row, error) from None


def _damaged(e: Exception, path: Path, row: int, error: type[InputError]) -> Exception:
    """Return ``error`` for ``e``, or ``e`` itself if the file's content is not its cause."""
    if isinstance(e, PermissionError | FileNotFoundError | MemoryError):
        return e
    why = (str(e).splitlines() or [type(e).__name__])[0]
    message = f"not Parquet, or damaged after row {row:,}: {why:.200}"
    return error(message, file=path, remedy="download or export the file again")


def _pieces(batch: pa.RecordBatch, path: Path, before: int, error: type[InputError]) -> Iterator[pa.Table]:
    """Yield the rows of ``batch`` at once, or one by one if they are large."""
    table = pa.Table.from_batches([batch])
    if table.nbytes <= _TOGETHER:
        yield table
        return
    for i in range(table.num_rows):
        one = table.slice(i, 1)
        if one.nbytes > MAX_LINE:
            raise error(
                f"row {before + i + 1:,} has more than {MAX_LINE:,} bytes", file=path, remedy="split that row"
            )
        yield one


def _values(table: pa.Table, path: Path, error: type[InputError]) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows
    except UnicodeDecodeError:
        raise
    except _NOT_SHOWN as e:
        name = next((name for name in table.column_names if not _is_shown(table[name])), "?")
        why = (str(e).splitlines() or [type(e).__name__])[0]
        raise error(
            f"the column {name!r} has values that cannot be read: {why:.200}",
            file=path,
            remedy="remove the column, or write its values as text",
        ) from None


def _is_shown(column: pa.ChunkedArray) -> bool:
    try:
        column.to_pylist()
    except _NOT_SHOWN:
        return False
    return True
