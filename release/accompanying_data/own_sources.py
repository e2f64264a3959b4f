"""The source of the authors' own rules, measures and scorers, which a dataset version carries as text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nextset.artifacts.artifact import is_finished, open_artifact
from nextset.folded_names import ascii_name
from nextset.release.accompanying_data.score_selection import SCORE_STAGES

__all__ = ["OWN_CODE", "OwnSource", "own_sources"]

OWN_CODE = "own_code"
"""The folder of the files in a dataset version. nextset and `datasets` neither read nor run them."""

_SNAPSHOTS = "own/"
_USES: Mapping[str, str] = {"filter": "rule", **dict.fromkeys(SCORE_STAGES, "scorer"), "audit": "measure"}
"""The use of own code in each stage, by the stage's folder under out/."""


@dataclass(frozen=True, slots=True)
class OwnSource:
    """A file of the authors with code that a stage ran."""

    path: str
    """Its path in the dataset version, such as own_code/rules.py."""
    sha256: str
    """The hash of its content, in hex."""
    uses: tuple[str, ...]
    """The uses of its code: rule, scorer, measure."""
    source: bytes
    """Its content, as the stages read it."""


def own_sources(out: Path) -> tuple[OwnSource, ...]:
    """Return the files with own code that the stages in the folder ``out`` ran, by path.

    A stage stores each of its files as the snapshot own/FILE. Two files of the same name get a part of their
    hash in their names. Raises DamagedShard if a snapshot was altered.
    """
    names: dict[str, str] = {}
    uses: dict[str, dict[str, None]] = {}
    contents: dict[str, bytes] = {}
    for stage, use in _USES.items():
        if not is_finished(out / stage):
            continue
        artifact = open_artifact(out / stage)
        for snapshot in artifact.snapshots:
            if snapshot.startswith(_SNAPSHOTS):
                raw = artifact.snapshot(snapshot)
                digest = hashlib.sha256(raw).hexdigest()
                contents[digest] = raw
                names.setdefault(digest, _file_name(snapshot))
                uses.setdefault(digest, {})[use] = None
    shared = [name.casefold() for name in names.values()]
    return tuple(
        sorted(
            (
                OwnSource(
                    f"{OWN_CODE}/{_distinct(name, digest, shared)}",
                    digest,
                    tuple(uses[digest]),
                    contents[digest],
                )
                for digest, name in names.items()
            ),
            key=lambda own: own.path,
        )
    )


def _file_name(snapshot: str) -> str:
    """Return the file's name in ASCII letters, digits, dashes and underscores, with the ending .py."""
    stem = ascii_name(PurePosixPath(snapshot).stem, "_", "_-")[:100]
    return f"{stem or '_'}.py"


def _distinct(name: str, digest: str, names: list[str]) -> str:
    """Return ``name`` with a part of ``digest``, if several of ``names`` are equal to it except in case."""
    return name if names.count(name.casefold()) == 1 else f"{name.removesuffix('.py')}-{digest[:12]}.py"
