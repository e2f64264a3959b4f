"""A dataset version for use in Python: its configs as pandas, Arrow or `datasets` tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import ArtifactError, InputError
from nextset.records.class_labels import untyped_table
from nextset.records.short_repr import short_repr
from nextset.release.hub.hub_reference import local_version
from nextset.release.version_folder.release_manifest import (
    PublishedFile,
    ReleaseManifest,
    read_release_manifest,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LoadedConfig", "LoadedVersion", "load_version"]


@short_repr
@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A config of a dataset version, such as items; its rows are read when a method returns them."""

    name: str
    """The config's name."""
    rows: int
    """The number of rows in all splits."""
    files: Mapping[str, tuple[Path, ...]]
    """The Parquet files of each split; test comes first."""

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits; test comes first."""
        return tuple(self.files)

    def to_arrow(self, split: str | None = None) -> pa.Table:
        """Return the rows of ``split``, or of all splits, with names in place of the numbers of labels.

        Raises InputError if the config has no such split, ArtifactError if a file cannot be read.
        """
        return untyped_table(self._table(split))

    def to_pandas(self, split: str | None = None) -> pd.DataFrame:
        """Return the rows of ``split``, or of all splits, with names of labels; raises as `to_arrow` does."""
        frame: pd.DataFrame = self.to_arrow(split).to_pandas()
        return frame

    def to_dataset(self) -> Any:
        """Return a `datasets.DatasetDict` by split, in which columns such as label are ClassLabel features.

        Raises ArtifactError if a file cannot be read.
        """
        from datasets import Dataset, DatasetDict

        return DatasetDict({split: Dataset(self._table(split)) for split in self.files})

    def _table(self, split: str | None) -> pa.Table:
        if split is not None and split not in self.files:
            raise InputError(
                f"the config {self.name} has no split {split!r}", remedy=f"use one of {', '.join(self.files)}"
            )
        paths = [path for name, own in self.files.items() if split in (None, name) for path in own]
        return pa.concat_tables([_rows(path) for path in paths])


@short_repr
@dataclass(frozen=True, slots=True)
class LoadedVersion(Mapping[str, LoadedConfig]):
    """A dataset version whose files are those of its manifest: a mapping from its configs' names."""

    folder: Path
    """The folder of the version on this machine."""
    manifest: ReleaseManifest
    """The version's manifest: name, version, licence, models and files."""
    configs: Mapping[str, LoadedConfig]
    """The configs by name, the main configs first."""

    def __getitem__(self, config: str) -> LoadedConfig:
        """Return the config ``config``. Raises InputError if the version has none of that name."""
        if config not in self.configs:
            raise InputError(
                f"{self.manifest.name} {self.manifest.version} has no config {config!r}",
                remedy=f"use one of {', '.join(self.configs)}",
            )
        return self.configs[config]

    def __contains__(self, config: object) -> bool:
        return config in self.configs

    def __iter__(self) -> Iterator[str]:
        return iter(self.configs)

    def __len__(self) -> int:
        return len(self.configs)


def load_version(
    source: str | Path, *, endpoint: str | None = None, progress: Progress = SILENT
) -> LoadedVersion:
    """Return the dataset version in the folder ``source``, or on the Hub as ORG/NAME@REVISION.

    A version on the Hub is downloaded once. The hash of every file is checked. Raises InputError if
    ``source`` is neither, ArtifactError if a file differs from the manifest, and ServerError if the Hub
    refuses.
    """
    folder = local_version(str(source), Path, endpoint=endpoint, progress=progress)
    manifest = read_release_manifest(folder)
    listed: dict[str, list[PublishedFile]] = {kind: [] for kind in manifest.kinds}
    for file in manifest.files:
        if file.config is not None:
            listed.setdefault(file.config, []).append(file)
    configs = {name: _config(folder, name, files) for name, files in listed.items() if files}
    return LoadedVersion(folder, manifest, configs)


def _config(folder: Path, name: str, files: list[PublishedFile]) -> LoadedConfig:
    splits: dict[str, list[Path]] = {}
    for file in sorted(files, key=lambda f: (f.split not in (None, "test"), f.split or "", f.path)):
        splits.setdefault(file.split or "test", []).append(folder / file.path)
    paths = {split: tuple(own) for split, own in splits.items()}
    return LoadedConfig(name, sum(file.rows or 0 for file in files), paths)


def _rows(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            return file.read()
    except (pa.ArrowException, OSError) as e:
        raise ArtifactError(
            f"{path} is not a readable table: {' '.join(str(e).split())[:200]}",
            remedy="build or download the version again",
        ) from None
