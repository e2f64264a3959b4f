"""The rows of a dataset version, sorted by id. They are computed in parts and need not fit into memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.progress_callback import Tick
from nextset.files.scratch_partition import (
    id_part,
    partition_rows,
    parts_for,
    read_partition,
    value_part,
)
from nextset.release.counterfactuals.pair_records import PairSummary
from nextset.release.source_rows import SourceRows
from nextset.study.item_tables import distinct

__all__ = ["SHARD_ROWS", "Complete", "Completed", "ReleasedRows", "released_rows"]

SHARD_ROWS = 100_000
"""The approximate maximum number of rows in a file of the dataset."""
_GROUP_ROWS = 20_000
"""The approximate number of rows that are completed at once."""


@dataclass(frozen=True)
class Completed:
    """Rows with their counterparts, and the findings about them."""

    items: pa.Table
    """The rows and their counterparts."""
    findings: pa.Table
    """Findings about pairs and sets."""
    summary: PairSummary
    """Counts of pairs and sets."""


Complete = Callable[[pa.Table], Completed]
"""A function that adds counterparts to rows with the same language, stereotype and premise."""


@dataclass
class ReleasedRows:
    """The rows on disk, divided into parts by id, and the findings about their pairs."""

    paths: list[Path]
    """One file per part, in the order of the ids."""
    schema: pa.Schema
    """The columns."""
    findings: list[pa.Table] = field(default_factory=list)
    """Findings about pairs and sets."""
    counts: Counter[str] = field(default_factory=Counter)
    summary: PairSummary = field(default_factory=PairSummary)
    """Counts of pairs and sets."""

    def part(self, i: int) -> pa.Table:
        """Return the rows of part ``i``, sorted by id."""
        rows = read_partition(self.paths[i])
        return self.schema.empty_table() if rows is None else distinct(rows).sort_by("id")


def released_rows(
    source: SourceRows,
    select: Callable[[pa.Table], pa.Table],
    controls: Sequence[pa.Table],
    complete: Complete | None,
    folder: Path,
    progress: Tick,
) -> ReleasedRows:
    """Write the rows of ``source`` that ``select`` keeps, ``controls`` and counterparts into ``folder``.

    NLI items are grouped by language, stereotype and premise, which an item shares with its counterparts, and
    ``complete`` completes each group. Rows of other forms have no counterparts.
    """
    counts: Counter[str] = Counter()
    selected = _selected(source, select, controls, counts)
    if complete is None:
        shards = parts_for(source.rows, SHARD_ROWS)
        paths = partition_rows(selected, lambda t: id_part(t["id"], shards), shards, folder / "sorted")
        return ReleasedRows(paths, source.schema, [], counts)
    groups = parts_for(source.rows, _GROUP_ROWS)
    grouped = partition_rows(selected, lambda t: _group(t, groups), groups, folder / "grouped")
    shards = parts_for(2 * source.rows, SHARD_ROWS)
    completed = _Completion(complete, grouped, progress)
    paths = partition_rows(completed.tables(), lambda t: id_part(t["id"], shards), shards, folder / "sorted")
    schema = completed.schema or complete(source.schema.empty_table()).items.schema
    return ReleasedRows(paths, schema, completed.findings, counts, completed.summary)


def _selected(
    source: SourceRows,
    select: Callable[[pa.Table], pa.Table],
    controls: Sequence[pa.Table],
    counts: Counter[str],
) -> Iterator[pa.Table]:
    for batch in source.batches():
        rows = select(batch)
        counts["selected"] += rows.num_rows
        counts["not selected"] += batch.num_rows - rows.num_rows
        yield rows
    yield from controls


def _group(rows: pa.Table, groups: int) -> pa.Array:
    return value_part([rows["language"], rows["stereotype"], rows["premise"]], groups)


class _Completion:
    """Completes the groups one by one and collects the findings."""

    def __init__(self, complete: Complete, grouped: Sequence[Path], progress: Tick) -> None:
        self._complete, self._grouped, self._progress = complete, grouped, progress
        self.schema: pa.Schema | None = None
        self.findings: list[pa.Table] = []
        self.summary = PairSummary()

    def tables(self) -> Iterator[pa.Table]:
        for i, path in enumerate(self._grouped):
            rows = read_partition(path)
            path.unlink(missing_ok=True)
            if rows is not None:
                done = self._complete(distinct(rows))
                self.schema = done.items.schema
                self.summary += done.summary
                if done.findings.num_rows:
                    self.findings.append(done.findings)
                yield done.items
            self._progress(i + 1, len(self._grouped))
