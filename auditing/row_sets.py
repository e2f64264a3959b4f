"""The sets of rows that an audit measures, read from artifacts or from a dataset version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.nli.judged_weights import Selections
from nextset.scoring.models.sources import ModelSource

__all__ = ["AuditRows", "RowSet", "artifact_rows", "joined_rows"]

Read = Callable[[Sequence[str], Sequence[str]], Iterable[pa.Table]]


@dataclass(frozen=True)
class RowSet:
    """A set of rows that is measured as one."""

    name: str
    """Its name in the tables, such as plain, released or dataset."""
    rows: int
    tables: Read
    """Return the rows, table by table, with some columns, and those of further columns that they have."""
    selections: Selections = field(default_factory=Selections)
    """The rows that count, by the annotators' verdicts."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """The patterns of templates whose text is known (`nextset.records.hypothesis_patterns`)."""


@dataclass(frozen=True, kw_only=True)
class AuditRows:
    """The rows of an audit in one form."""

    sets: Sequence[RowSet]
    """The sets that are measured and compared, in the order of tables."""
    judged: RowSet | None = None
    """The rows that annotators judged; None if there are none."""
    sources: Callable[[], Mapping[str, ModelSource]]
    """Return the models by their published names."""
    masks_by_name: bool
    """True if a mask takes the name of a subject; False if it takes a pronoun."""


def artifact_rows(
    name: str,
    artifact: Artifact,
    table: str,
    selections: Selections | None = None,
    patterns: Mapping[str, str] | None = None,
) -> RowSet:
    """Return a ``table`` of ``artifact`` as a set of rows with ``name``, read shard by shard."""

    def read(columns: Sequence[str], optional: Sequence[str]) -> Iterator[pa.Table]:
        shards = artifact.shards_of(table)
        known = artifact.schema(shards[0]).names if shards and optional else []
        wanted = (*columns, *(column for column in optional if column in known))
        for shard in shards:
            yield artifact.piece(shard, wanted)

    return RowSet(name, artifact.rows(table), read, selections or Selections(), patterns or {})


def joined_rows(parts: Sequence[RowSet]) -> RowSet:
    """Return the rows of ``parts``, which have one name, as one set."""
    if len(parts) == 1:
        return parts[0]

    def read(columns: Sequence[str], optional: Sequence[str]) -> Iterator[pa.Table]:
        for part in parts:
            yield from part.tables(columns, optional)

    return replace(parts[0], rows=sum(part.rows for part in parts), tables=read)
