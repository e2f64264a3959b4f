"""Artifacts: a stage's output folder with Parquet shards and a manifest.

    out/filter/
        manifest.json            recipe, shards with rows and sha256, counts by reason
        kept-00000.parquet
        rejected-00000.parquet
        snapshots/<sha256>       files that people wrote, as this run read them

This module reads artifacts; `nextset.artifacts.build` makes them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import DamagedShard, MissingStage
from nextset.files.file_hash import file_sha256
from nextset.records.content_ids import content_id

__all__ = [
    "Artifact",
    "Recipe",
    "Shard",
    "intact",
    "is_current",
    "is_finished",
    "open_artifact",
    "read_manifest",
]

FORMAT = 1
Built = Literal["made", "resumed", "repaired", "reused"]


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the content of an artifact, and nothing else."""

    stage: str
    """The stage, such as filter."""
    version: int
    """Increased when the stage's code gives different rows for the same input."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Digest of each input, by name."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings that change the output, as JSON has them."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Digest of weights, configuration and tokenizer of each model, by name."""

    def as_json(self) -> dict[str, Any]:
        """Return the recipe as the manifest has it."""
        return {
            "stage": self.stage,
            "version": self.version,
            "inputs": dict(sorted(self.inputs.items())),
            "settings": dict(sorted(self.settings.items())),
            "models": dict(sorted(self.models.items())),
        }

    @property
    def key(self) -> str:
        """Digest of the recipe: two runs with the same key give the same bytes."""
        return content_id("recipe", json.dumps(self.as_json(), sort_keys=True))


@dataclass(frozen=True)
class Shard:
    """A shard that was written, or a file that is not a table (its ``table`` is empty)."""

    table: str
    file: str
    rows: int
    sha256: str
    counts: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the shard as journal and manifest have it."""
        return {
            "table": self.table,
            "file": self.file,
            "rows": self.rows,
            "sha256": self.sha256,
            "counts": dict(sorted(self.counts.items())),
        }


@dataclass(frozen=True)
class Artifact:
    """A finished artifact."""

    folder: Path
    key: str
    shards: tuple[Shard, ...]
    snapshots: tuple[str, ...]
    built: Built = "reused"
    """How this run obtained it."""
    remade: tuple[str, ...] = ()
    """Files that were damaged and rebuilt in this run."""
    this_run: Mapping[str, int] = field(default_factory=dict)
    """Counts of this run alone, such as rows scored anew and rows from the score cache."""

    @property
    def digest(self) -> str:
        """Digest of the content: equal content has an equal digest, regardless of its recipe."""
        return content_id("artifact", *(x for s in self.shards for x in (s.table, s.sha256)), *self.snapshots)

    @property
    def counts(self) -> dict[str, int]:
        """The counts of all shards, added up."""
        total: Counter[str] = Counter()
        for shard in self.shards:
            total.update(shard.counts)
        return dict(sorted(total.items()))

    def rows(self, table: str) -> int:
        """Return the number of rows of ``table``."""
        return sum(s.rows for s in self.shards if s.table == table)

    def table(self, name: str) -> pa.Table:
        """Return the rows of table ``name``; raises DamagedShard if a shard was altered."""
        return pa.concat_tables(self.piece(shard) for shard in self.shards_of(name))

    def shards_of(self, name: str) -> tuple[Shard, ...]:
        """Return the shards of table ``name``, in their order."""
        return tuple(s for s in self.shards if s.table == name)

    def piece(self, shard: Shard, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of one shard, all columns or some; raises DamagedShard if it was altered."""
        path = self.folder / shard.file
        if not intact(path, shard.sha256):
            raise _damaged(path)
        return pq.read_table(path, columns=None if columns is None else list(columns))

    def snapshot(self, sha256: str) -> bytes:
        """Return an input file as the run read it; raises DamagedShard if it was altered."""
        path = self.folder / "snapshots" / sha256
        if not intact(path, sha256):
            raise _damaged(path)
        return path.read_bytes()


def is_finished(folder: Path) -> bool:
    """Return whether ``folder`` holds a finished artifact."""
    return (folder / "manifest.json").is_file()


def open_artifact(folder: Path) -> Artifact:
    """Return the finished artifact in ``folder``; raises MissingStage if there is none."""
    if not is_finished(folder):
        raise MissingStage(
            f"{folder.name} has not run: there is no result in {folder}",
            remedy=f"run `nextset {_command(folder.name)} STUDY` (or `nextset run STUDY`) first",
        )
    manifest = read_manifest(folder)
    shards = tuple(Shard(**s) for s in manifest["shards"])
    return Artifact(folder, manifest["key"], shards, tuple(manifest["snapshots"]))


def is_current(folder: Path, recipe: Recipe) -> bool:
    """Return whether ``folder`` holds the artifact of ``recipe``, according to its manifest."""
    return is_finished(folder) and read_manifest(folder)["key"] == recipe.key


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest as JSON has it; raises DamagedShard if it is not a manifest of this format."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError
        manifest["key"], manifest["recipe"], manifest["shards"], manifest["snapshots"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _damaged(path) from None
    return dict(manifest)


def intact(path: Path, sha256: str) -> bool:
    """Return whether the file ``path`` exists with the content that was written."""
    return path.is_file() and file_sha256(path) == sha256


def _damaged(path: Path) -> DamagedShard:
    stage = path.parent.name if path.parent.name != "snapshots" else path.parent.parent.name
    if path.name == "manifest.json":
        remedy = f"delete {path.parent} and run `nextset {_command(stage)} STUDY`"
    else:
        remedy = f"run `nextset {_command(stage)} STUDY`, which rebuilds only that file"
    return DamagedShard(f"{path} is missing, truncated or altered", remedy=remedy)


def _command(stage: str) -> str:
    """Return the command that makes the artifact ``stage``."""
    commands = {
        "mask_words": "fill",
        "fluency": "fill",
        "score_pilot": "score",
        "score_held_out": "filter",
        "filter_report": "filter",
        "score_release": "audit",
        "score_release_held_out": "audit",
        "score_audit": "audit",
        "release": "release build",
        "release_report": "release build",
        "dataset_version": "release build",
        "validate_report": "validate report",
        "validator": "validate predict",
    }
    return {**commands, "validate": "validate apply"}.get(stage, stage)
