"""What a stage leaves behind: a folder of Parquet shards and a manifest.

    out/filter/
        manifest.json            recipe, shards with rows and sha256, counts by reason
        kept-00000.parquet
        rejected-00000.parquet
        snapshots/<sha256>       files that people wrote, as this run read them

This module reads them; `nextset.artifacts.build` makes them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.errors import DamagedShard, MissingStage
from nextset.records.content_ids import content_id

__all__ = ["Artifact", "Recipe", "Shard", "built", "intact", "is_current", "open_artifact", "read_manifest"]

FORMAT = 1
Built = Literal["made", "resumed", "repaired", "reused"]


@dataclass(frozen=True)
class Recipe:
    """What decides the content of an artifact, and nothing else."""

    stage: str
    """The stage, such as filter."""
    version: int
    """Raised when the stage's code gives other rows for the same input."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Digest of each input, by name."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings that change the output, as JSON has them."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Digest of weights, configuration and tokenizer of each model, by name."""

    def as_json(self) -> dict[str, Any]:
        """The recipe as it stands in the manifest."""
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
    """A shard that was written, or a file that is no table (its ``table`` is empty)."""

    table: str
    file: str
    rows: int
    sha256: str
    counts: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """The shard as it stands in journal and manifest."""
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
    """How this run came by it."""
    remade: tuple[str, ...] = ()
    """Files that were damaged and made again in this run."""

    @property
    def digest(self) -> str:
        """Digest of the content: equal content, equal digest, whatever made it."""
        return content_id("artifact", *(x for s in self.shards for x in (s.table, s.sha256)), *self.snapshots)

    @property
    def counts(self) -> dict[str, int]:
        """What was counted while the shards were made, summed."""
        total: Counter[str] = Counter()
        for shard in self.shards:
            total.update(shard.counts)
        return dict(sorted(total.items()))

    def rows(self, table: str) -> int:
        """The number of rows of ``table``."""
        return sum(s.rows for s in self.shards if s.table == table)

    def table(self, name: str) -> pa.Table:
        """The rows of table ``name``; raises DamagedShard when a shard is not what was written."""
        return pa.concat_tables(self.piece(shard) for shard in self.shards_of(name))

    def shards_of(self, name: str) -> tuple[Shard, ...]:
        """The shards of table ``name``, in their order."""
        return tuple(s for s in self.shards if s.table == name)

    def piece(self, shard: Shard, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one shard, all columns or some; raises DamagedShard when it is not what was written."""
        path = self.folder / shard.file
        if not intact(path, shard.sha256):
            raise _damaged(path)
        return pq.read_table(path, columns=None if columns is None else list(columns))

    def snapshot(self, sha256: str) -> bytes:
        """The file that a person wrote, as the run read it; raises DamagedShard when it was altered."""
        path = self.folder / "snapshots" / sha256
        if not intact(path, sha256):
            raise _damaged(path)
        return path.read_bytes()


def built(folder: Path) -> bool:
    """Whether a finished artifact lies in ``folder``."""
    return (folder / "manifest.json").is_file()


def open_artifact(folder: Path) -> Artifact:
    """The finished artifact in ``folder``; raises MissingStage when there is none."""
    if not built(folder):
        raise MissingStage(
            f"{folder.name} has not run: {folder} holds no result",
            remedy=f"run `nextset {_command(folder.name)} STUDY` (or `nextset run STUDY`) first",
        )
    manifest = read_manifest(folder)
    shards = tuple(Shard(**s) for s in manifest["shards"])
    return Artifact(folder, manifest["key"], shards, tuple(manifest["snapshots"]))


def is_current(folder: Path, recipe: Recipe) -> bool:
    """Whether ``folder`` holds what ``recipe`` gives, going by its manifest alone."""
    return built(folder) and read_manifest(folder)["key"] == recipe.key


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest as JSON has it; raises DamagedShard when it is no manifest of this format."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError
        manifest["key"], manifest["recipe"], manifest["shards"], manifest["snapshots"]
    except (ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    return dict(manifest)


def intact(path: Path, sha256: str) -> bool:
    """Whether the file ``path`` is there with the content that was written."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _damaged(path: Path) -> DamagedShard:
    stage = path.parent.name if path.parent.name != "snapshots" else path.parent.parent.name
    if path.name == "manifest.json":
        remedy = f"delete {path.parent} and run `nextset {_command(stage)} STUDY`"
    else:
        remedy = f"run `nextset {_command(stage)} STUDY`: it makes that file again, and only that"
    return DamagedShard(f"{path} is missing, cut short or altered", remedy=remedy)


def _command(stage: str) -> str:
    """The command that makes the artifact ``stage``."""
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
        "validate_report": "validate report",
        "validator": "validate predict",
    }
    return {**commands, "validate": "validate apply"}.get(stage, stage)
