"""The configs in addition to the main ones: judgments, annotators, scores, and the study's figures."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, is_finished, open_artifact
from nextset.files.scratch_partition import Places, id_part, partition_rows, read_partition
from nextset.records.class_labels import typed_table
from nextset.release.accompanying_data.annotator_demographics import annotator_table, read_demographics
from nextset.release.accompanying_data.published_figures import PUBLISHED, published_table
from nextset.release.accompanying_data.released_judgments import judgments_by_judge, released_judgments
from nextset.release.accompanying_data.released_pseudonyms import dataset_pseudonyms
from nextset.release.accompanying_data.score_selection import (
    SCORE_STAGES,
    IdHashes,
    scores_of_partition,
    scores_to_release,
)

__all__ = ["people_tables", "published_tables", "score_tables"]


def people_tables(
    validated: Artifact | None, dataset: str, demographics: Path | None, k: int
) -> Iterator[tuple[str, pa.Table]]:
    """Yield the configs judgments and annotators from out/validate, with the pseudonyms of ``dataset``.

    Raises StudyError if the file ``demographics`` has errors, or if fewer than ``k`` annotators share a
    combination of values.
    """
    if validated is None:
        return
    judgments, adjudications = (validated.table(name) for name in ("judgments", "adjudications"))
    counts = judgments_by_judge((judgments, adjudications))
    pseudonyms = dataset_pseudonyms(counts, dataset)
    fields = None if demographics is None else read_demographics(demographics, counts.keys())
    yield "judgments", typed_table(released_judgments(judgments, adjudications, pseudonyms))
    yield "annotators", annotator_table(counts, pseudonyms, fields, k)


def published_tables(out: Path, dataset: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables of the study in ``out`` that are published unchanged."""
    pseudonyms: Mapping[str, str] = {}
    if is_finished(out / "validate"):
        judges = open_artifact(out / "validate").table("judges")["judge"].to_pylist()
        pseudonyms = dataset_pseudonyms(judges, dataset)
    for published in PUBLISHED:
        if is_finished(out / published.stage):
            artifact = open_artifact(out / published.stage)
            if artifact.shards_of(published.table):
                yield (
                    published.config,
                    published_table(artifact.table(published.table), published, pseudonyms),
                )


def score_tables(
    out: Path, released: Artifact, kinds: Sequence[str], scratch: Path
) -> Iterator[tuple[str, pa.Table]]:
    """Yield the scores of released rows, in parts sorted by id; ``scratch`` is a temporary folder."""
    shards = [shard for kind in kinds for shard in released.shards_of(kind)]
    hashes = IdHashes.of(released.piece(shard, ["id"])["id"] for shard in shards)
    stages = [out / name for name in SCORE_STAGES if is_finished(out / name)]
    parts = max(1, len(shards))
    paths = partition_rows(
        scores_to_release(stages, hashes), functools.partial(_part, parts), parts, scratch / "scores"
    )
    for path, shard in zip(paths, shards, strict=False):
        rows = read_partition(path)
        ids = released.piece(shard, ["id"])["id"]
        scores = None if rows is None else scores_of_partition([rows], ids)
        if scores is not None:
            yield "scores", scores


def _part(parts: int, table: pa.Table) -> Places:
    return id_part(table["item_id"], parts)
