"""The rows that a study releases, before counterfactuals are added, read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.manifest import Shard
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliItem
from nextset.release.forms.released_form import main_configs

__all__ = ["Kind", "SourceRows", "control_rows", "kinds_of", "same_columns", "source_rows"]

Kind = str
"""The rows of a form in a release, by the name of their config, such as items."""

_BATCH = 10_000
"""Rows that are read at once."""


@dataclass(frozen=True)
class SourceRows:
    """The rows of one kind, read in batches any number of times."""

    kind: Kind
    rows: int
    schema: pa.Schema
    """Their columns."""
    batches: Callable[[], Iterator[pa.Table]]
    """Returns the rows in their order, in tables with the schema."""


def kinds_of(released: Artifact) -> tuple[Kind, ...]:
    """Return the kinds of rows that a release has."""
    return tuple(kind for kind in main_configs() if released.rows(kind))


def source_rows(kind: Kind, *tables: tuple[Artifact, str]) -> SourceRows:
    """Return the rows of ``tables``, each in an artifact. Raises DamagedShard for an altered shard."""
    shards = [(artifact, shard) for artifact, table in tables for shard in artifact.shards_of(table)]
    schema = pa.unify_schemas([artifact.schema(shard) for artifact, shard in shards])

    def batches() -> Iterator[pa.Table]:
        for artifact, shard in shards:
            yield from _batches(artifact, shard, schema)

    return SourceRows(kind, sum(shard.rows for _, shard in shards), schema.remove_metadata(), batches)


def _batches(artifact: Artifact, shard: Shard, schema: pa.Schema) -> Iterator[pa.Table]:
    path = artifact.folder / shard.file
    artifact.check(shard)
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=_BATCH):
            yield same_columns(pa.Table.from_batches([batch]), schema)


def same_columns(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return ``table`` with the columns of ``schema``. Missing columns are null, or 0 if not nullable."""
    columns = []
    for field in schema:
        if field.name in table.column_names:
            columns.append(table[field.name].cast(field.type))
        elif field.nullable:
            columns.append(pa.nulls(table.num_rows, field.type))
        else:
            columns.append(pa.array([0] * table.num_rows, field.type))
    return pa.table(columns, schema=schema.remove_metadata())


def control_rows(items: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the test items among NLI ``items``, each id once, with the columns of ``schema``."""
    tests = items.filter(pc.equal(items["stance_design"], "test")).select(arrow_schema(NliItem).names)
    return same_columns(tests, schema)
