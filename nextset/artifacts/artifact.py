"""Artifacts: a stage's output folder with Parquet shards and a manifest.

    out/filter/
        manifest.json            recipe, shards with rows and sha256, counts by reason, digest of itself
        kept/00000.parquet       a table is a folder, which `datasets.load_dataset` opens
        rejected/00000.parquet
        snapshots/NAME           hand-written files, as this run read them

This module reads artifacts; `nextset.artifacts.build` makes them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.manifest import MANIFEST, Shard, command_of, read_manifest
from nextset.errors import ArtifactError, DamagedShard, MissingStage
from nextset.files.atomic_files import other_files
from nextset.files.file_hash import file_sha256
from nextset.html.notebook_html import TableHead, notebook_block, notebook_line, notebook_table
from nextset.records.content_ids import content_id

if TYPE_CHECKING:
    import pandas as pd
    from datasets import Dataset

__all__ = ["Artifact", "Recipe", "current_digest", "intact", "is_current", "is_finished", "open_artifact"]

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
    """The settings that change the output, as JSON data."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Digest of weights, configuration and tokenizer of each model, by name."""

    def as_json(self) -> dict[str, Any]:
        """Return the recipe as JSON data, as in the manifest."""
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


@dataclass(frozen=True, repr=False)
class Artifact:
    """A finished artifact."""

    folder: Path
    key: str
    shards: tuple[Shard, ...]
    snapshots: Mapping[str, str]
    """The sha256 of each snapshot, by its name."""
    built: Built = "reused"
    """made, resumed, repaired or reused: how this run obtained it."""
    remade: tuple[str, ...] = ()
    """Files that were damaged and rebuilt in this run."""
    this_run: Mapping[str, int] = field(default_factory=dict)
    """Counts of this run only, such as rows scored anew and rows from the score cache."""
    command: str = ""
    """The command that makes it, without ``nextset``."""

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} {self.rows(name):,}" for name in self.tables)
        return f"<Artifact {self.folder.name}: {tables or 'no tables'}>"

    def _repr_html_(self) -> str:
        """Return the tables with their rows and columns, the counts and the digest, for notebooks."""
        rows = [(name, self.rows(name), self._columns(name)) for name in self.tables]
        counts = list(self.counts.items())
        return notebook_block(
            notebook_line("artifact with the digest", title=self.folder.name, code=self.digest),
            notebook_table(("table", "rows", "columns"), rows) if rows else notebook_line("no tables"),
            notebook_table(("count", "rows"), counts) if counts else "",
        )

    def _columns(self, table: str) -> str:
        """Return the names of the columns of ``table``, or why they cannot be read."""
        try:
            return ", ".join(self.schema(self.shards_of(table)[0]).names)
        except (DamagedShard, OSError) as e:
            return str(e)

    @property
    def digest(self) -> str:
        """Digest of the content: equal content has an equal digest, regardless of its recipe."""
        files = [x for s in self.shards for x in (s.table, s.sha256)]
        return content_id("artifact", *files, *(x for item in sorted(self.snapshots.items()) for x in item))

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, in their order."""
        return tuple(dict.fromkeys(s.table for s in self.shards if s.table))

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

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of table ``name``, with all columns or with ``columns``.

        Raises ArtifactError if there is no such table, DamagedShard if a shard was altered.
        """
        return pa.concat_tables(self.piece(shard, columns) for shard in self._shards(name))

    def head(self, table: str, rows: int = 5, columns: Sequence[str] | None = None) -> TableHead:
        """Return the first rows of ``table``, for a notebook.

        Raises ArtifactError if there is no such table or column, DamagedShard if a shard was altered, and
        ValueError if ``rows`` is less than 0.
        """
        if rows < 0:
            raise ValueError(f"rows is {rows}: it must be 0 or more")
        if isinstance(columns, str) or (columns is not None and not columns):
            raise ValueError(f"columns is {columns!r}: it must be a list of at least one name")
        shards = self._shards(table)
        known = self.schema(shards[0]).names
        shown = known if columns is None else list(columns)
        unknown = [name for name in shown if name not in known]
        if unknown:
            raise ArtifactError(
                f"table {table!r} of {self.folder} has no column {unknown[0]!r}",
                remedy=f"use one of {', '.join(known)}",
            )
        records: list[Mapping[str, Any]] = []
        for shard in shards:
            if len(records) == rows:
                break
            records += self.piece(shard, shown).slice(0, rows - len(records)).to_pylist()
        return TableHead(table, self.rows(table), tuple(shown), tuple(records))

    def _shards(self, table: str) -> tuple[Shard, ...]:
        """Return the shards of ``table``; raises ArtifactError if there is no such table."""
        if table not in self.tables:
            raise ArtifactError(
                f"{self.folder} has no table {table!r}",
                remedy=f"use one of {', '.join(self.tables)}"
                if self.tables
                else "use its files: it has no tables",
            )
        return self.shards_of(table)

    def to_pandas(self, table: str) -> pd.DataFrame:
        """Return the rows of ``table`` as a pandas DataFrame; raises as `table` does."""
        return cast("pd.DataFrame", self.table(table).to_pandas())

    def to_dataset(self, table: str) -> Dataset:
        """Return the rows of ``table`` as a `datasets.Dataset` in memory; raises as `table` does."""
        from datasets import Dataset
        from datasets.table import InMemoryTable

        return Dataset(InMemoryTable(self.table(table)))

    def shards_of(self, name: str) -> tuple[Shard, ...]:
        """Return the shards of table ``name``, in their order."""
        return tuple(s for s in self.shards if s.table == name)

    def piece(self, shard: Shard, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of one shard, with all or some columns; raises DamagedShard if it was altered."""
        with pq.ParquetFile(pa.BufferReader(self._content(shard.file, shard.sha256))) as file:
            return file.read(None if columns is None else list(columns))

    def schema(self, shard: Shard) -> pa.Schema:
        """Return the columns of one shard; raises DamagedShard if it was altered."""
        return pq.read_schema(pa.BufferReader(self._content(shard.file, shard.sha256)))

    def snapshot(self, name: str) -> bytes:
        """Return an input file as the run read it; raises DamagedShard if it was altered."""
        return self._content(f"snapshots/{name}", self.snapshots[name])

    def damaged(self, *, deep: bool) -> tuple[str, ...]:
        """Return the files that are missing or differ in size, or with ``deep`` in content.

        Snapshots, which are small, are always read.
        """
        files = [s.file for s in self.shards if not _is_whole(self.folder / s.file, s, deep)]
        written = ((f"snapshots/{name}", sha256) for name, sha256 in self.snapshots.items())
        return (*files, *(file for file, sha256 in written if not intact(self.folder / file, sha256)))

    def others(self) -> tuple[str, ...]:
        """Return the files that nextset did not write: `datasets.load_dataset` would read them as rows."""
        written = (*(s.file for s in self.shards), *(f"snapshots/{name}" for name in self.snapshots))
        return other_files(self.folder, {MANIFEST, *written})

    def check(self, shard: Shard) -> None:
        """Raise DamagedShard if ``shard`` was altered, without holding it in memory."""
        if not intact(self.folder / shard.file, shard.sha256):
            raise self._damage(shard.file)

    def _content(self, file: str, sha256: str) -> bytes:
        """Return the bytes of ``file`` once they match its hash, so that only checked bytes are used."""
        path = self.folder / file
        raw = path.read_bytes() if path.is_file() else b""
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise self._damage(file)
        return raw

    def _damage(self, file: str) -> DamagedShard:
        return DamagedShard(
            f"{self.folder / file} is missing, truncated or altered",
            remedy=f"run `nextset {self.command} STUDY`, which rebuilds only that file",
        )


def is_finished(folder: Path) -> bool:
    """Return whether ``folder`` holds a finished artifact."""
    return (folder / MANIFEST).is_file()


def open_artifact(folder: Path) -> Artifact:
    """Return the finished artifact in ``folder``; raises as `read_manifest` does."""
    manifest = read_manifest(folder)
    command = manifest.command or command_of(folder.name)
    return Artifact(folder, manifest.key, manifest.shards, manifest.snapshots, command=command)


def is_current(folder: Path, recipe: Recipe) -> bool:
    """Return whether ``folder`` holds the artifact of ``recipe``; raises DamagedShard if its manifest is."""
    try:
        return read_manifest(folder).key == recipe.key
    except MissingStage:
        return False


def current_digest(folder: Path, recipe: Recipe) -> str:
    """Return the digest of the artifact of ``recipe`` in ``folder``; `stale` if it is missing or different.

    Raises DamagedShard if its manifest is damaged.
    """
    return open_artifact(folder).digest if is_current(folder, recipe) else "stale"


def intact(path: Path, sha256: str) -> bool:
    """Return whether the file ``path`` exists with the content that was written."""
    return path.is_file() and file_sha256(path) == sha256


def _is_whole(path: Path, shard: Shard, deep: bool) -> bool:
    if deep:
        return intact(path, shard.sha256)
    return path.is_file() and path.stat().st_size == shard.bytes
