"""The dataset as a folder with Parquet, card and templates, written completely or not at all."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import ArtifactError
from nextset.files.atomic_files import parquet_bytes, replace_folder, write_atomically

__all__ = ["DATA_FILE", "DatasetFolder", "write_dataset_folder"]

DATA_FILE = "data/test-00000-of-00001.parquet"
"""The path of the items in the folder; the card's front matter names it."""


@dataclass(frozen=True)
class DatasetFolder:
    """A dataset that was written."""

    folder: Path
    """The folder."""
    rows: int
    """Its items."""
    sha256: str
    """Digest of the Parquet file."""


def write_dataset_folder(
    folder: Path, items: pa.Table, card: str, templates: Mapping[str, bytes] | None = None
) -> DatasetFolder:
    """Write ``items`` sorted by id, ``card`` as README.md, and ``templates`` (by sha256) into ``folder``.

    An existing folder is replaced once the new one is complete. The same input gives the same bytes.
    Raises ArtifactError if there are no items, since `datasets` cannot load an empty file.
    """
    if not items.num_rows:
        raise ArtifactError(
            "there are no items to release",
            remedy="keep more with a different filter.rule, judge more hypotheses, or write more templates",
        )
    work = folder.with_name(folder.name + ".partial")
    shutil.rmtree(work, ignore_errors=True)
    raw = parquet_bytes(items.sort_by("id"))
    write_atomically(work / DATA_FILE, raw)
    write_atomically(work / "README.md", card.encode())
    for sha256, content in sorted((templates or {}).items()):
        write_atomically(work / "templates" / sha256, content)
    replace_folder(folder, work)
    return DatasetFolder(folder, items.num_rows, hashlib.sha256(raw).hexdigest())
