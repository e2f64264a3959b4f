"""The files of a dataset version by path and hash, and their differences from the manifest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nextset.errors import ArtifactError, examples
from nextset.files.file_hash import file_sha256
from nextset.release.version_folder.release_manifest import MANIFEST, ReleaseManifest, parse_manifest

__all__ = [
    "FileDifference",
    "VersionFile",
    "changed_folder",
    "changes_since",
    "folder_differences",
    "hashed",
    "version_files",
]

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs from the manifest."""

    path: str
    """Its path in the version."""
    what: Literal["missing", "altered", "extra"]
    """missing, altered, or extra: not in the manifest."""
    detail: str
    """The difference, as text; may be empty."""

    def __str__(self) -> str:
        return f"{self.path} is {self.what}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class VersionFile:
    """A file of a version, as it was read once; the Hub must hold the same content."""

    path: str
    bytes: int
    """Its size."""
    sha256: str
    """The hash of its content, in hex."""
    git_hash: str
    """The hash that git, and so the Hub, uses for the content of a file outside LFS."""


def hashed(file: Path, path: str) -> VersionFile:
    """Return the size and both hashes of ``file``, whose path in the version is ``path``, from one read.

    Raises OSError if the file cannot be read.
    """
    with file.open("rb") as f:
        size, read = os.fstat(f.fileno()).st_size, 0
        sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while chunk := f.read(_CHUNK):
            sha256.update(chunk)
            git.update(chunk)
            read += len(chunk)
    return VersionFile(path, read, sha256.hexdigest(), git.hexdigest())


def version_files(folder: Path, manifest: ReleaseManifest) -> Mapping[str, VersionFile]:
    """Return every file of the version by path, including manifest.json. Each file is read once.

    Raises ArtifactError if a file, or the manifest on disk, differs from ``manifest``.
    """
    files, changed = {}, []
    for listed in manifest.files:
        here = _hashed(folder, listed.path)
        if here is None or (here.bytes, here.sha256) != (listed.bytes, listed.sha256):
            changed.append(listed.path)
        else:
            files[listed.path] = here
    try:
        raw = (folder / MANIFEST).read_bytes()
        same = parse_manifest(raw, str(folder / MANIFEST)) == manifest
    except (OSError, ArtifactError):
        raw, same = b"", False
    if changed or not same:
        raise changed_folder(folder, changed if same else [MANIFEST, *changed])
    git = hashlib.sha1(b"blob %d\0" % len(raw), usedforsecurity=False)
    git.update(raw)
    own = VersionFile(MANIFEST, len(raw), hashlib.sha256(raw).hexdigest(), git.hexdigest())
    return {**files, MANIFEST: own}


def changes_since(folder: Path, files: Mapping[str, VersionFile]) -> list[str]:
    """Return the paths of ``files`` that changed in ``folder`` since they were read."""
    return [path for path, file in files.items() if _hashed(folder, path) != file]


def changed_folder(folder: Path, paths: Sequence[str]) -> ArtifactError:
    """Return the error that names the files of ``folder`` that changed during a push."""
    return ArtifactError(
        f"{folder}: the folder changed while it was pushed: {examples(paths)}; this push has not set a tag",
        remedy="wait until nothing else writes into the folder, build the version again, "
        "then run the same command again",
    )


def _hashed(folder: Path, path: str) -> VersionFile | None:
    """Return the current file ``path`` of ``folder``, or None if it is missing, a link or a pipe."""
    file = folder / path
    try:
        if not file.is_file() or (file.is_symlink() and path != MANIFEST):
            return None
        return hashed(file, path)
    except OSError:
        return None


def folder_differences(folder: Path, manifest: ReleaseManifest) -> tuple[FileDifference, ...]:
    """Return the differences between the files in ``folder`` and the manifest, by path."""
    differences: list[FileDifference] = []
    for file in manifest.files:
        here = folder / file.path
        if here.is_symlink() or not here.is_file():
            differences.append(FileDifference(file.path, "missing", "a link" if here.is_symlink() else ""))
        elif here.stat().st_size != file.bytes:
            detail = f"{here.stat().st_size:,} bytes instead of {file.bytes:,}"
            differences.append(FileDifference(file.path, "altered", detail))
        elif file_sha256(here) != file.sha256:
            differences.append(FileDifference(file.path, "altered", "different SHA-256"))
    known = {MANIFEST, *(file.path for file in manifest.files)}
    for path in _paths(folder):
        if path not in known:
            differences.append(FileDifference(path, "extra", "not in the manifest"))
    return tuple(sorted(differences, key=lambda d: d.path))


def _paths(folder: Path) -> Iterable[str]:
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or not file.is_dir():
            yield file.relative_to(folder).as_posix()
