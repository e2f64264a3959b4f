"""Rows to be scored, in chunks that are read on demand, so that memory use stays constant."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.artifact import Artifact, intact
from nextset.errors import DamagedShard

__all__ = [
    "InMemoryRows",
    "Readable",
    "Rows",
    "Source",
    "chunk_size",
    "chunks",
    "in_memory_chunks",
    "sample_rows",
    "sources_of",
]


@dataclass(frozen=True)
class Source:
    """A Parquet file with rows to be scored."""

    path: Path
    """The file."""
    sha256: str
    """The hash of its content."""
    rows: int
    """The number of rows in the file."""


@dataclass(frozen=True)
class Rows:
    """Some rows of a file."""

    source: Source
    """The file."""
    places: range
    """The places of the rows in the file, from 0."""
    without: tuple[int, ...] = ()
    """Places that are skipped because an earlier row has the same id."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return the rows with these columns; raises DamagedShard if the file has changed."""
        table = _read(self.source, columns).slice(self.places.start, len(self.places))
        if not self.without:
            return table
        left = np.ones(len(self.places), dtype=np.bool_)
        left[[place - self.places.start for place in self.without]] = False
        return table.filter(pa.array(left))


class Readable(Protocol):
    """Rows that can be read."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return the rows with these columns."""
        ...


def sample_rows(rows: Sequence[Readable], columns: tuple[str, ...], size: int) -> pa.Table:
    """Return about ``size`` rows: the first rows of parts that are spread evenly over all."""
    parts = [rows[i * len(rows) // min(len(rows), size)] for i in range(min(len(rows), size))]
    each = -(-size // len(parts))
    return pa.concat_tables([part.read(columns).slice(0, each) for part in parts])


@dataclass(frozen=True)
class InMemoryRows:
    """Rows that are in memory."""

    table: pa.Table

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """Return the rows with these columns."""
        return self.table.select(list(columns))


def in_memory_chunks(table: pa.Table, columns: tuple[str, ...]) -> Iterator[InMemoryRows]:
    """Yield the rows of ``table``, with only ``columns``, in parts of `chunk_size`."""
    table, step = table.select(list(columns)).combine_chunks(), chunk_size(table.num_rows)
    for start in range(0, table.num_rows, step):
        yield InMemoryRows(table.slice(start, step))


@functools.lru_cache(maxsize=2)
def _read(source: Source, columns: tuple[str, ...]) -> pa.Table:
    if not intact(source.path, source.sha256):
        raise DamagedShard(
            f"{source.path} is missing, cut short or altered", remedy="run the command that wrote it again"
        )
    return pq.read_table(source.path, columns=list(columns)).select(list(columns))


def sources_of(artifact: Artifact, table: str) -> list[Source]:
    """Return the files of one table of an artifact."""
    return [Source(artifact.folder / s.file, s.sha256, s.rows) for s in artifact.shards if s.table == table]


def chunk_size(rows: int) -> int:
    """Return the number of rows per part, the most that a killed run repeats, for ``rows`` in total."""
    return min(8192, max(512, 1 << (rows // 256).bit_length()))


def chunks(
    sources: Sequence[Source], *, keep: Sequence[npt.NDArray[np.bool_]] | None = None
) -> Iterator[Rows]:
    """Yield the rows of ``sources`` in parts of `chunk_size`; ``keep`` is True for rows to keep, by file."""
    step = chunk_size(sum(s.rows for s in sources))
    for i, source in enumerate(sources):
        for start in range(0, source.rows, step):
            places = range(start, min(start + step, source.rows))
            out = np.empty(0, np.intp) if keep is None else np.flatnonzero(~keep[i][start : places.stop])
            if len(out) < len(places):
                yield Rows(source, places, tuple((out + start).tolist()))
