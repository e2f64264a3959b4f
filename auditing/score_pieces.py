"""The scores that an audit measures, read shard by shard: a study's scores may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.records.nli_items import LABELS

__all__ = ["ScorePieces"]

_COLUMNS = ("item_id", "model", "revision", "role", *LABELS)


@dataclass(frozen=True)
class ScorePieces:
    """The tables scores of some artifacts, of those columns that `labels_by_model` needs."""

    artifacts: tuple[Artifact, ...]
    """The artifacts, in the order in which their scores count."""

    def __iter__(self) -> Iterator[pa.Table]:
        """Read each shard anew; raises DamagedShard."""
        for artifact in self.artifacts:
            for shard in artifact.shards_of("scores"):
                yield artifact.piece(shard, _COLUMNS)
