"""The scores that an audit measures, read shard by shard: a study's scores may not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from nextset.artifacts.artifact import Artifact
from nextset.auditing.quads.quad_columns import SCORES
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = ["NLI_COLUMNS", "QUAD_COLUMNS", "ScorePieces"]

NLI_COLUMNS = ("item_id", "model", "revision", "role", *LABELS, *OUTCOMES, "votes")
"""The columns of `NliScore` that are measured. Scores of earlier versions lack `OUTCOMES` and votes."""
QUAD_COLUMNS = ("item_id", "model", "revision", "role", *SCORES, *OUTCOMES, "votes")
"""The columns of `QuadScore` that are measured."""


@dataclass(frozen=True)
class ScorePieces:
    """Tables of scores in some artifacts, with the columns that are measured."""

    artifacts: tuple[Artifact, ...]
    """The artifacts; if an item is scored twice, the earlier artifact counts."""
    columns: tuple[str, ...] = NLI_COLUMNS
    table: str = "scores"

    @property
    def rows(self) -> int:
        """The number of scores."""
        return sum(a.rows(self.table) for a in self.artifacts if self.table in a.tables)

    def __iter__(self) -> Iterator[pa.Table]:
        """Read each shard anew; raises DamagedShard."""
        for artifact in self.artifacts:
            for shard in artifact.shards_of(self.table):
                yield artifact.piece(shard, self.columns)
