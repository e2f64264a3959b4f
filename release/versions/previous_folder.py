"""The folder of the version that release.previous names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from nextset.errors import StudyError, examples
from nextset.release.hub.hub_reference import local_version
from nextset.release.version_folder.release_manifest import MANIFEST
from nextset.study.release_settings import VERSION

__all__ = ["previous_folder"]

_BUILT = "out/dataset"


def previous_folder(named: str, place: Callable[[str], Path]) -> Path:
    """Return the folder of the version ``named`` in release.previous, downloaded if it is on the Hub.

    ``place`` turns a path in study.yaml into the path on this machine. Raises StudyError if ``named`` is
    neither a folder nor a version on the Hub, and the errors of `local_version`.
    """
    folder = place(named)
    if folder.is_dir() or (named.count("/") == 1 and "@" in named):
        return local_version(named, place)
    built = sorted(p.parent.name for p in place(_BUILT).glob(f"*/{MANIFEST}"))
    versions = [f"{_BUILT}/{name}" for name in built if re.fullmatch(f".+-{VERSION}", name)]
    raise StudyError(
        f"release.previous is {named!r}, but there is no folder {folder}",
        remedy=f"name a version by its path in the study's folder ({examples(versions)}), or a version on "
        "the Hub as ORG/NAME@v1.0.0"
        if versions
        else "name the folder of a version, relative to the study's folder, or a version on the Hub as "
        "ORG/NAME@v1.0.0",
    )
