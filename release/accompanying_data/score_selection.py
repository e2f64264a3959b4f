"""The released scores: scores of filter, held-out and audited models for released items, in long form.

Scores are stored in the order that models were asked, and there may be far more of them than fit into memory.
So the scores of released items are first found roughly, batch by batch, by a hash of the item's id
(`scores_to_release`). They are then partitioned by id on disk, and each partition is filtered exactly, sorted
and deduplicated (`scores_of_partition`). If each partition holds a range of ids, writing the partitions in
order gives sorted rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.artifacts.artifact import Artifact, is_finished, open_artifact
from nextset.errors import ArtifactError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceScore
from nextset.records.nli_items import NliScore
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.records.question_quads import QuadScore

__all__ = ["SCORE_STAGES", "IdHashes", "scores_of_partition", "scores_to_release"]

SCORE_STAGES = ("score", "score_held_out", "score_release", "score_release_held_out", "score_audit")
"""The folders under out/ that hold scores, in the order of reading."""

_SCHEMAS = {tuple(schema.names): schema for schema in map(arrow_schema, (NliScore, QuadScore, ChoiceScore))}
_ADDED = (*OUTCOMES, "votes")
"""The columns that the scores of earlier versions lack: their models answered every prompt."""
_IDENTITY = ("item_id", "model", "revision", "precision", "mode")
_ROLES = ("filter", "held_out", "audit")
_ROWS = 1 << 16
"""Rows whose hashes are computed at once."""

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class IdHashes:
    """The hashes of a set of ids, 8 bytes each: 16 MB for two million."""

    hashes: Hashes
    """The hashes, sorted."""

    @classmethod
    def of(cls, ids: Iterable[pa.Array | pa.ChunkedArray]) -> IdHashes:
        """Return the hashes of ``ids``, given in batches."""
        hashes = [_hashes(part.slice(start, _ROWS)) for part in ids for start in range(0, len(part), _ROWS)]
        return cls(np.unique(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64))

    def may_hold(self, ids: pa.Array | pa.ChunkedArray) -> Bools:
        """Return for each of ``ids`` whether it may be in the set: true for members, rarely for others."""
        if not self.hashes.size:
            return np.zeros(len(ids), np.bool_)
        wanted = _hashes(ids)
        places = np.searchsorted(self.hashes, wanted).clip(max=self.hashes.size - 1)
        held: Bools = self.hashes[places] == wanted
        return held


def scores_to_release(folders: Sequence[Path], released: IdHashes) -> Iterator[pa.Table]:
    """Yield the scores in ``folders`` whose items may be ``released``, one shard at a time.

    ``folders`` are artifacts of scores (`SCORE_STAGES`); folders that do not exist are skipped. Raises
    ArtifactError if a folder holds no scores, or scores in a different form than the others, and
    DamagedShard if a shard was altered.
    """
    schema: pa.Schema | None = None
    for folder in folders:
        for table in _shards(open_artifact(folder)) if is_finished(folder) else ():
            schema = schema or table.schema
            if table.schema != schema:
                raise _not_scores(folder, "in a different form than the study's other scores")
            held = released.may_hold(table["item_id"])
            if held.any():
                yield table.filter(pa.array(held))


def scores_of_partition(tables: Iterable[pa.Table], ids: pa.Array | pa.ChunkedArray) -> pa.Table | None:
    """Return the scores in ``tables`` of the items ``ids``, sorted by item_id and model, or None without any.

    ``tables`` are a partition of the tables that `scores_to_release` yields. ``ids`` are at least the
    released ids in that partition. If a model was asked about an item twice in the same way (model, revision,
    precision and mode), the row with the first role is kept, in the order filter, held_out, audit. Rows that
    differ in one of these four are all kept, because two revisions of a model may have scored an item.
    """
    parts = [table for table in tables if table.num_rows]
    if not parts:
        return None
    table = pa.concat_tables(parts)
    wanted = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
    table = table.filter(pc.is_in(table["item_id"], value_set=wanted))
    if not table.num_rows:
        return None
    role = pc.index_in(table["role"], value_set=pa.array(_ROLES))
    keys = pa.table({**{name: table[name] for name in _IDENTITY}, "role": role, "row": _places(table)})
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names])
    table = table.take(order)
    repeated = _repeated(table)
    return table.filter(pa.array(~repeated)).combine_chunks()


def _shards(artifact: Artifact) -> Iterator[pa.Table]:
    """Yield the artifact's scores, with only the columns of the record."""
    for shard in artifact.shards_of("scores"):
        table = _completed(artifact.piece(shard))
        schema = _SCHEMAS.get(tuple(table.column_names))
        if schema is None:
            raise _not_scores(artifact.folder, "with columns that this version of nextset does not write")
        yield table.cast(schema)


def _completed(table: pa.Table) -> pa.Table:
    """Return ``table`` with the columns that scores of earlier versions lack."""
    if not set(table.column_names).isdisjoint(_ADDED):
        return table
    for name in _ADDED:
        nothing = pa.scalar(False) if name == "votes" else pa.scalar(0.0)
        table = table.append_column(name, pa.repeat(nothing, table.num_rows))
    return table


def _repeated(table: pa.Table) -> Bools:
    """Return for each row of the sorted ``table`` whether it has the identity of the row before."""
    repeated = np.ones(table.num_rows, np.bool_)
    repeated[0] = False
    for name in _IDENTITY:
        column = table[name].combine_chunks()
        same = pc.equal(column.slice(1), column.slice(0, len(column) - 1))
        repeated[1:] &= same.to_numpy(zero_copy_only=False)
    return repeated


def _places(table: pa.Table) -> pa.Array:
    return pa.array(np.arange(table.num_rows))


def _hashes(ids: pa.Array | pa.ChunkedArray) -> Hashes:
    """Return 8 bytes for each id, from its first 16 characters, because ids are already hashes in hex."""
    halves = np.array(ids.cast(pa.binary()).to_pylist(), dtype="S16").view(np.uint64).reshape(-1, 2)
    mixed: Hashes = halves[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ halves[:, 1]
    return mixed


def _not_scores(folder: Path, why: str) -> ArtifactError:
    return ArtifactError(
        f"{folder} holds scores {why}", remedy=f"delete {folder} and run `nextset run STUDY`"
    )
