"""The number of rows of a dataset version that the table of duplicates lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from nextset.release.overlap.overlap_records import THIS_VERSION

__all__ = ["DuplicateCounts", "duplicate_counts"]


@dataclass(frozen=True, slots=True)
class DuplicateCounts:
    """Rows of this version with a duplicate; a row with several duplicates counts once."""

    exact: int
    """Rows with an exact duplicate."""
    near: int
    """Rows that are listed with a near duplicate; of rows with the same text, only one is listed."""
    either: int
    """Rows with an exact or a near duplicate."""


def duplicate_counts(duplicates: pa.Table) -> dict[str, DuplicateCounts]:
    """Return the counts of this version's rows with a duplicate, by the place of the duplicate.

    ``duplicates`` is a table of `DuplicateRow`. The counts are in the order of the table: this version, with
    both rows of a pair counted, and earlier versions, with only id1 counted.
    """
    return {where: _counts(duplicates, where) for where in duplicates["where"].unique().to_pylist()}


def _counts(duplicates: pa.Table, where: str) -> DuplicateCounts:
    rows = duplicates.filter(pc.equal(duplicates["where"], where))
    columns = ("id1", "id2") if where == THIS_VERSION else ("id1",)

    def distinct(chosen: pa.Table) -> int:
        chunks: list[Any] = [chunk for column in columns for chunk in chosen[column].chunks]
        return int(pc.count_distinct(pa.chunked_array(chunks, pa.string())).as_py())

    exact, near = (rows.filter(pc.equal(rows["kind"], kind)) for kind in ("exact", "near"))
    return DuplicateCounts(distinct(exact), distinct(near), distinct(rows))
