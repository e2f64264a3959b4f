"""Small dataset versions as folders, with a true manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from nextset.files.atomic_files import parquet_bytes
from nextset.html.content_warning import CONTENT_WARNING
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    ReleaseManifest,
    ReleaseModel,
    manifest_bytes,
)

__all__ = ["CANARY", "REAL_MODEL", "list_files", "make_version", "rewrite_manifest"]

CANARY = "0f9a6c1e-55aa-4c1b-9d1f-2b4f5b0c7a11"
REAL_MODEL = ReleaseModel(name="org/model@abc", revision="1" * 64, role="filter", pinned=True)

_CARD = """---
license: cc-by-4.0
configs:
- config_name: items
  default: true
  data_files:
  - split: test
    path: data/items/test-*.parquet
---
# {name} {version}

> {warning}

Canary: {canary}
"""


def make_version(
    folder: Path,
    version: str = "1.0.0",
    *,
    shards: int = 2,
    changed: Sequence[int] = (),
    word: str = "tidy",
    **manifest: Any,
) -> Path:
    """Write a version with ``shards`` Parquet files of three rows; those in ``changed`` say ``word``."""
    files = []
    for i in range(shards):
        said = word if i in changed else "punctual"
        rows = {
            "id": [f"{i:04d}-{k}" for k in range(3)],
            "hypothesis": [f"The left-handed person {k} is {said}." for k in range(3)],
            "canary": [CANARY] * 3,
        }
        path = f"data/items/test-{i:05d}-of-{shards:05d}.parquet"
        raw = parquet_bytes(pa.table(rows))
        files.append(_write(folder, path, raw, rows=3, config="items", split="test"))
    card = _CARD.format(name="lefties", version=version, warning=CONTENT_WARNING, canary=CANARY)
    files.append(_write(folder, "README.md", card.encode()))
    files.append(_write(folder, "CITATION.cff", f"cff-version: 1.2.0\nversion: {version}\n".encode()))
    files.append(_write(folder, "templates/0a", b"domain: handedness\n"))
    made: dict[str, Any] = {
        "name": "lefties", "version": version, "previous": None, "kind": "items", "license": "cc-by-4.0",
        "authors": ("A. Author",), "languages": ("en",), "canary": CANARY, "content_warning": CONTENT_WARNING,
        "judge": "people", "verdicts": {"aggregated": True}, "models": (REAL_MODEL,), "waivers": (),
        "columns": {}, "study": {}, "nextset": "0.1.0", "private": False, "gated": False,
    }  # fmt: skip
    whole = ReleaseManifest(files=tuple(sorted(files, key=lambda f: f.path)), **{**made, **manifest})
    (folder / MANIFEST).write_bytes(manifest_bytes(whole))
    return folder


def _write(folder: Path, path: str, raw: bytes, **table: Any) -> PublishedFile:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(raw)
    return PublishedFile(path=path, bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest(), **table)


def list_files(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in ``folder`` by path."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def rewrite_manifest(folder: Path, manifest: ReleaseManifest, *paths: str) -> None:
    """Write ``manifest`` with the present size and hash of ``paths``."""
    files = []
    for file in manifest.files:
        if file.path in paths:
            raw = (folder / file.path).read_bytes()
            file = replace(file, bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())
        files.append(file)
    (folder / MANIFEST).write_bytes(manifest_bytes(replace(manifest, files=tuple(files))))
