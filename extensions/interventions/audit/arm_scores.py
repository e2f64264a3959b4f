"""The scores of one model with one intervention: each shard has one model and one intervention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.manifest import Shard
from nextset.errors import ArtifactError
from nextset.extensions.interventions.intervened_rows import INTERVENTION

__all__ = ["ArmScores"]


@dataclass(frozen=True)
class ArmScores:
    """Scores of several models, with and without interventions, found by model and intervention."""

    artifact: Artifact
    """The artifact with the table scores."""
    columns: tuple[str, ...]
    """The columns that are read."""
    shards: dict[tuple[str, str], list[Shard]] = field(default_factory=dict)
    """The shards of each model and intervention; the empty id stands for no intervention."""

    @classmethod
    def of(cls, artifact: Artifact, columns: Sequence[str]) -> ArmScores:
        """Index ``artifact`` by the statistics of its shards; raises ArtifactError for a shard with several
        models or interventions."""
        arm_scores = cls(artifact, tuple(columns))
        for shard in artifact.shards_of("scores"):
            if shard.rows:
                arm_scores.shards.setdefault(_arm(artifact, shard), []).append(shard)
        return arm_scores

    @property
    def models(self) -> list[str]:
        """The models, in the order of their first scores."""
        return list(dict.fromkeys(model for model, _ in self.shards))

    def interventions(self, model: str) -> list[str]:
        """Return the interventions that ``model`` was asked with; the empty id stands for no intervention."""
        return [intervention for asked, intervention in self.shards if asked == model]

    def table(self, model: str, intervention: str) -> pa.Table:
        """Return the scores of ``model`` with ``intervention``; raises DamagedShard, or ArtifactError if
        there are none."""
        pieces = (self.artifact.piece(s, self.columns) for s in self.shards.get((model, intervention), []))
        tables = list(pieces)
        if not tables:
            raise ArtifactError(
                f"{model} was not asked with the intervention {intervention or 'none'}",
                remedy="run `nextset interventions STUDY` again",
            )
        # the shards of an earlier version have no outcomes; their null means that every prompt was answered
        return pa.concat_tables(tables, promote_options="default")


def _arm(artifact: Artifact, shard: Shard) -> tuple[str, str]:
    artifact.check(shard)  # a damaged file is reported, not read
    with pq.ParquetFile(artifact.folder / shard.file) as file:
        names = file.schema_arrow.names
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    arm = []
    for name in ("model", INTERVENTION):
        stats = [group.column(names.index(name)).statistics for group in groups]
        values = {v for s in stats if s is not None for v in (s.min, s.max)}
        if len(values) != 1:
            raise ArtifactError(
                f"{shard.file} has scores of several models or interventions",
                remedy=f"delete {artifact.folder} and run this again; scores come from the score cache",
            )
        arm.append(values.pop())
    return arm[0], arm[1]
