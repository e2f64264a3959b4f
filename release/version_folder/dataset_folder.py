"""The folder of a dataset version, written under a temporary name and renamed when it is complete."""

from __future__ import annotations

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nextset.files.atomic_files import check_folder_places, parquet_bytes, replace_folder, write_atomically
from nextset.files.file_hash import file_sha256
from nextset.folded_names import ascii_name
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    manifest_bytes,
)

__all__ = ["DatasetFolder", "Place", "config_name"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of rows: the config, the split, and a folder within the config."""

    config: str
    """The config, such as items."""
    split: str
    """The split, such as test."""
    domain: str = ""
    """The domain's folder, if there is a config per domain."""

    @property
    def stem(self) -> str:
        """The path of the rows' files, up to the number."""
        return "/".join(p for p in ("data", self.config, self.domain, self.split) if p)


def config_name(text: str) -> str:
    """Return ``text`` as the name of a config and folder: letters, digits, dash and underscore."""
    return ascii_name(text, "_", "_-").strip("_") or "other"


class DatasetFolder:
    """A dataset folder that is being written, next to its final place."""

    def __init__(self, folder: Path) -> None:
        self.work = folder.with_name(folder.name + ".partial")
        check_folder_places(folder)
        shutil.rmtree(self.work, ignore_errors=True)
        self._files: dict[str, PublishedFile] = {}
        self._columns: dict[str, pa.Schema] = {}

    @property
    def files(self) -> tuple[PublishedFile, ...]:
        """The files that were written so far, by path."""
        return tuple(self._files[path] for path in sorted(self._files))

    @property
    def schemas(self) -> Mapping[str, pa.Schema]:
        """The columns of each config."""
        return self._columns

    def write(self, path: str, raw: bytes) -> None:
        """Write a file that is not a table, or replace it."""
        write_atomically(self.work / path, raw)
        self._files[path] = PublishedFile(path=path, bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())

    def add(self, path: str, write: Callable[[Path], None]) -> None:
        """Call ``write`` with the full path of a file, and record the file that it writes."""
        target = self.work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write(target)
        self._files[path] = PublishedFile(path=path, bytes=target.stat().st_size, sha256=file_sha256(target))

    def write_rows(self, tables: Iterable[tuple[Place, pa.Table]]) -> None:
        """Write each table as a Parquet file, numbered within its place; skip empty tables."""
        written: dict[Place, list[PublishedFile]] = defaultdict(list)
        for place, table in tables:
            if table.num_rows:
                self._columns.setdefault(place.config, table.schema)
                written[place].append(self._shard(place, len(written[place]), table))
        for place, files in written.items():
            for i, file in enumerate(files):
                path = f"{place.stem}-{i:05d}-of-{len(files):05d}.parquet"
                (self.work / file.path).rename(self.work / path)
                self._files[path] = replace(file, path=path)

    def _shard(self, place: Place, i: int, table: pa.Table) -> PublishedFile:
        path = f"{place.stem}-{i:05d}.parquet"
        raw = parquet_bytes(table)
        write_atomically(self.work / path, raw)
        return PublishedFile(
            path=path,
            bytes=len(raw),
            sha256=hashlib.sha256(raw).hexdigest(),
            rows=table.num_rows,
            config=place.config,
            split=place.split,
        )

    def batches(
        self, config: str, split: str, rows: int = 10_000, columns: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """Yield the rows of a split that was written, with all or some ``columns``, in tables of at most
        ``rows`` rows."""
        for file in self.files:
            if (file.config, file.split) == (config, split):
                with pq.ParquetFile(self.work / file.path, pre_buffer=False) as parquet:
                    for batch in parquet.iter_batches(batch_size=rows, columns=columns and list(columns)):
                        yield pa.Table.from_batches([batch])

    def write_manifest(self, manifest: ReleaseManifest) -> None:
        """Write manifest.json, which lists the files that were written so far."""
        write_atomically(self.work / MANIFEST, manifest_bytes(replace(manifest, files=self.files)))

    def finish(self, folder: Path) -> None:
        """Move the folder to ``folder``."""
        replace_folder(folder, self.work)
