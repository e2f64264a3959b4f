"""Rows distributed over files on disk, so that large tables can be grouped or sorted part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

__all__ = ["Places", "id_part", "partition_rows", "parts_for", "read_partition", "value_part"]

Places = npt.NDArray[np.int64]
"""The part of each row, from 0, shape (rows,)."""


def parts_for(rows: int, per_part: int) -> int:
    """Return the number of parts for ``rows`` rows with about ``per_part`` rows each; at least one."""
    return max(1, -(-rows // per_part))


def id_part(ids: pa.ChunkedArray, parts: int) -> Places:
    """Return the part of each id (32 hex digits): equal ranges of ids, in the ids' order."""
    heads = [int(id_[:8], 16) for id_ in ids.to_pylist()]
    return (np.array(heads, np.int64) * parts) >> 32


def value_part(columns: Sequence[pa.ChunkedArray], parts: int) -> Places:
    """Return the part of each row: rows with the same values in all ``columns`` (strings) share a part."""
    mixed: npt.NDArray[np.uint64] = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        codes = pd.util.hash_array(column.to_pandas().to_numpy(object))
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + codes
    return (mixed % np.uint64(parts)).astype(np.int64)


def partition_rows(
    batches: Iterable[pa.Table], part_of: Callable[[pa.Table], Places], parts: int, folder: Path
) -> list[Path]:
    """Write the rows of ``batches`` to ``parts`` files in ``folder`` (Arrow streams), in their order.

    All batches have the same schema. A part without rows has no file, but the returned list has its path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _written(batches, part_of, parts, folder)
    except OSError as e:
        e.filename = e.filename or str(folder)  # if the disk is full, Arrow's error names no file
        raise


def _written(
    batches: Iterable[pa.Table], part_of: Callable[[pa.Table], Places], parts: int, folder: Path
) -> list[Path]:
    paths = [folder / f"{i:05d}.arrow" for i in range(parts)]
    writers: dict[int, pa.RecordBatchStreamWriter] = {}
    with ExitStack() as stack:
        for batch in batches:
            places = part_of(batch)
            order = np.argsort(places, kind="stable")
            ends = np.cumsum(np.bincount(places, minlength=parts)).tolist()
            sorted_rows = batch.take(pa.array(order))
            for i, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
                if start == end:
                    continue
                if i not in writers:
                    sink = stack.enter_context(pa.OSFile(str(paths[i]), "wb"))
                    writers[i] = stack.enter_context(pa.ipc.new_stream(sink, batch.schema))
                writers[i].write_table(sorted_rows.slice(start, end - start).combine_chunks())
    return paths


def read_partition(path: Path) -> pa.Table | None:
    """Return the rows of one part; None if it has none."""
    if not path.is_file():
        return None
    with pa.OSFile(str(path), "rb") as source, pa.ipc.open_stream(source) as reader:
        return reader.read_all()
