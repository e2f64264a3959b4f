"""Rows by where they lie: all of them, each once, and only from files that are what they were."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import DamagedShard
from nextset.scoring.row_chunks import InMemoryRows, Source, chunk_size, chunks, in_memory_chunks


def saved(path: Path, values: list[int]) -> Source:
    pq.write_table(pa.table({"id": pa.array(values, pa.int64())}), path)
    return Source(path, hashlib.sha256(path.read_bytes()).hexdigest(), len(values))


def test_chunks_hold_all_rows_but_those_left_out(tmp_path: Path) -> None:
    files = [saved(tmp_path / "a", list(range(1100))), saved(tmp_path / "b", list(range(2000, 2003)))]
    keep = [np.arange(1100) % 3 != 0, np.array([True, False, True])]
    parts = list(chunks(files, keep=keep))
    assert [len(p.places) for p in parts] == [512, 512, 76, 3]
    found = [x for part in parts for x in part.read(("id",))["id"].to_pylist()]
    assert found == [i for i in range(1100) if i % 3] + [2000, 2002]
    assert [x for p in chunks(files) for x in p.read(("id",))["id"].to_pylist()] == [
        *range(1100),
        2000,
        2001,
        2002,
    ]


def test_a_file_without_rows_that_count_has_no_chunk(tmp_path: Path) -> None:
    files = [saved(tmp_path / "a", [1, 2]), saved(tmp_path / "b", [])]
    assert list(chunks(files, keep=[np.zeros(2, np.bool_), np.zeros(0, np.bool_)])) == []


def test_an_altered_file_is_named(tmp_path: Path) -> None:
    source = saved(tmp_path / "a", [1, 2, 3])
    (part,) = chunks([source])
    source.path.write_bytes(source.path.read_bytes()[:-9])
    with pytest.raises(DamagedShard, match="cut short or altered"):
        part.read(("id",))


@given(rows=st.integers(0, 50_000_000))
def test_chunks_grow_with_the_rows_within_bounds(rows: int) -> None:
    size = chunk_size(rows)
    assert 512 <= size <= 8192
    assert chunk_size(rows + 1000) >= size


def test_rows_in_memory_come_in_chunks_too() -> None:
    table = pa.table({"id": list(range(1000)), "other": list(range(1000))})
    parts = list(in_memory_chunks(table, ("id",)))
    assert [p.table.num_rows for p in parts] == [512, 488]
    assert InMemoryRows(table).read(("id",)).schema.names == ["id"]
