"""The sets of rows that an audit of a study measures, read from the artifacts of its stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, open_artifact
from nextset.auditing.nli.item_counts import JUDGED, PROPERTIES, ItemSet
from nextset.auditing.nli.verdict_selections import Selections, selections_of
from nextset.auditing.quads.quad_tables import PROPERTIES as QUAD_PROPERTIES

__all__ = ["judged_items", "plain_items", "quad_pieces", "released_items"]


def plain_items(out: Path) -> ItemSet:
    """Return the templates' plain expansion in ``out``, without what a cascade or a filter chose."""
    return _items("plain", open_artifact(out / "generate"), Selections())


def released_items(out: Path) -> ItemSet:
    """Return the released items in ``out``."""
    return _items("released", open_artifact(out / "release"), Selections())


def judged_items(out: Path) -> ItemSet | None:
    """Return the items in ``out`` that people judged, valid or not; None if a rule checked their form."""
    validated = open_artifact(out / "validate")
    if "valid" not in validated.tables:
        return None
    found = selections_of(
        validated.table("judgments"), validated.table("adjudications"), validated.table("posteriors")
    )
    return _items("judged", validated, found)


def quad_pieces(artifact: Artifact, table: str) -> Iterator[pa.Table]:
    """Yield the shards of a table of quads or statements, with the columns that are measured."""
    for shard in artifact.shards_of(table):
        yield artifact.piece(shard, QUAD_PROPERTIES)


def _items(name: str, artifact: Artifact, selections: Selections) -> ItemSet:
    shards = artifact.shards_of("items")
    columns = _columns(artifact.schema(shards[0]).names) if shards else ()

    def tables() -> Iterator[pa.Table]:
        for shard in shards:
            yield artifact.piece(shard, columns)

    return ItemSet(name, artifact.rows("items"), tables, selections)


def _columns(known: Sequence[str]) -> tuple[str, ...]:
    return (*PROPERTIES, *(name for name in JUDGED if name in known))
