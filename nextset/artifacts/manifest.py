"""The manifest of an artifact: its recipe, its files with their hashes, and the digest of itself."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from nextset.errors import DamagedShard, MissingStage, NewerFormat, newer_format
from nextset.files.atomic_files import write_atomically
from nextset.files.json_records import DamagedJson, DigestedRecord, parse_digested
from nextset.open_table import OpenTable

__all__ = ["MANIFEST", "Manifest", "Shard", "command_of", "read_manifest", "write_manifest"]

MANIFEST = "manifest.json"
"""The manifest's name in the artifact's folder."""
_INDENT = 2
_FORMAT: Literal[2] = 2

FileName = Annotated[str, Field(pattern=r"^[^./\\\p{C}][^/\\\p{C}]*(/[^./\\\p{C}][^/\\\p{C}]*)*$")]
"""A path below the artifact's folder, with slashes."""
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""The hash of a file, in hex."""
Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Shard:
    """A shard that was written, or a file that is not a table (its ``table`` is empty)."""

    table: str
    file: FileName
    rows: Count
    bytes: Count
    sha256: Sha256
    counts: Mapping[str, int]


class Manifest(DigestedRecord):
    """The contents of an artifact."""

    format: Literal[2] = _FORMAT
    """The format of this file; 1 had no digest."""
    key: str
    """Digest of the recipe."""
    recipe: Mapping[str, Any]
    """Everything that decided the content."""
    shards: tuple[Shard, ...]
    """The files, in the order of the plan."""
    snapshots: Mapping[FileName, Sha256]
    """The hash of each file that people wrote, by its name."""
    made_with: Mapping[str, str]
    """Versions of the libraries."""
    command: str = ""
    """The command that makes the artifact, without ``nextset``; empty in manifests of earlier versions."""


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the artifact in ``folder``.

    Raises MissingStage if there is none, or if an earlier version of nextset wrote it, NewerFormat if a newer
    version did, and DamagedShard if it was altered.
    """
    if not (folder / MANIFEST).is_file():
        raise MissingStage(
            f"{folder.name} has not run: there is no result in {folder}",
            remedy=f"run `nextset {command_of(folder.name)} STUDY` (or `nextset run STUDY`) first",
        )
    raw = (folder / MANIFEST).read_bytes()
    try:
        return parse_digested(raw, Manifest, _INDENT)
    except DamagedJson as e:
        written = _unchecked(raw)
        made_with = written.get("made_with")
        author = made_with.get("nextset") if isinstance(made_with, dict) else None
        if newer := newer_format(written.get("format"), _FORMAT, author):
            raise NewerFormat(f"{folder / MANIFEST}: {newer[0]}", remedy=newer[1]) from None
        if written.get("format") == 1 and "digest" not in written:
            raise MissingStage(
                f"{folder} was made by an earlier version of nextset",
                remedy=f"run `nextset run STUDY`, which rebuilds it; if that fails, delete {folder} first",
            ) from None
        raise DamagedShard(
            f"{folder / MANIFEST} is damaged: {e}",
            remedy=f"delete {folder} and run `nextset {command_of(folder.name)} STUDY` again",
        ) from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest`` to ``folder``, with its digest."""
    write_atomically(folder / MANIFEST, manifest.as_bytes(_INDENT))


def _unchecked(raw: bytes) -> dict[str, Any]:
    """Return the object in ``raw`` as another version of nextset may have written it; empty if it is none."""
    try:
        manifest = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


class _Maker(Protocol):
    """What a stage says about the artifacts that it makes."""

    @property
    def command(self) -> str:
        """The command that makes the artifact with the stage's name, without ``nextset``."""

    @property
    def artifacts(self) -> Mapping[str, str]:
        """The commands of further artifacts by name, or by the beginning of a name and an asterisk."""


_MAKERS: OpenTable[_Maker] = OpenTable("nextset.stages", "stage")


@functools.cache
def command_of(artifact: str) -> str:
    """Return the command that makes ``artifact``, without ``nextset``: its name if no stage declares it."""
    if artifact in _MAKERS:
        return _MAKERS[artifact].command
    further = {name: command for maker in _MAKERS for name, command in maker.artifacts.items()}
    return next((command for name, command in further.items() if fnmatchcase(artifact, name)), artifact)
