"""The dataset version that an imported path belongs to: its folder, manifest and files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nextset.errors import ImportedDataError
from nextset.files.file_hash import file_sha256
from nextset.files.json_records import check_version_digest
from nextset.files.regular_file import has_file
from nextset.files.unique_keys import unique_keys

__all__ = ["check_version_files", "containing_version", "reading_manifest", "version_manifest"]

_MANIFEST = "manifest.json"


def containing_version(path: Path) -> Path | None:
    """Return the folder of the version that ``path`` is, or that has ``path`` in data/items; None without."""
    folder = path
    if not path.is_dir():
        items = [p for p in path.resolve().parents if (p.parent.name, p.name) == ("data", "items")]
        if not items:
            return None
        folder = items[0].parent.parent
    return folder if has_file(folder / _MANIFEST, ImportedDataError) else None


def version_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest in ``folder``; raises ImportedDataError if it is not a JSON object."""
    with reading_manifest(folder):
        raw = (folder / _MANIFEST).read_bytes()
        manifest = json.loads(raw, object_pairs_hook=unique_keys)
        if not isinstance(manifest, dict):
            raise ValueError("it is not an object")
        check_version_digest(raw)
        return manifest


@contextmanager
def reading_manifest(folder: Path) -> Iterator[None]:
    """Turn errors about unexpected fields or values of a manifest into ImportedDataError."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise ImportedDataError(
            f"not the manifest of a dataset version: {' '.join(str(e).split())[:200]}",
            file=folder / _MANIFEST,
            remedy="build or download the version again",
        ) from None


def check_version_files(path: Path) -> None:
    """Raise ImportedDataError if items read from ``path`` are not those that their version's manifest lists.

    ``path`` is the folder of a version or one of its files; any other path passes.
    """
    folder = containing_version(path)
    if folder is None:
        return
    manifest = version_manifest(folder)
    with reading_manifest(folder):
        version = f"{manifest['name']} {manifest['version']}"
        listed = {f["path"]: f for f in manifest["files"] if f["config"] == "items"}
        names = {p.relative_to(folder).as_posix() for p in (folder / "data" / "items").rglob("*.parquet")}
        if not path.is_dir():
            names = {path.resolve().relative_to(folder).as_posix()}
        else:
            names |= listed.keys()
        differences = {name: _difference(folder / name, listed.get(name)) for name in sorted(names)}
    for name, why in differences.items():
        if why:
            raise ImportedDataError(
                f"{why}, so these are not the items of {version}",
                file=folder / name,
                remedy=f"run `nextset release verify {folder}`, and build or download the version again; to "
                "use changed rows, copy the Parquet file out of the folder and import the copy",
            )


def _difference(file: Path, listed: Mapping[str, Any] | None) -> str:
    """Return the difference between ``file`` and its entry ``listed`` in the manifest; empty without one."""
    if listed is None:
        return "the manifest does not list this file"
    if not file.is_file():
        return "the manifest lists this file, but it is missing"
    if (file.stat().st_size, file_sha256(file)) != (listed["bytes"], listed["sha256"]):
        return "the file was changed: its size or SHA-256 differs from the manifest"
    return ""
