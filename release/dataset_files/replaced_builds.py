"""Earlier builds of a version's number: kept aside, since they may have been shared or edited."""

from __future__ import annotations

import itertools
from pathlib import Path

from nextset.release.dataset_files.release_manifest import MANIFEST, read_release_manifest
from nextset.release.hub.folder_hashes import folder_differences

__all__ = ["keep_replaced", "last_replaced"]


def keep_replaced(work: Path, target: Path) -> None:
    """Move the build in ``target`` aside if the one in ``work`` has other contents.

    Contents that somebody edited or added after the build count as well; files that are missing do not.
    """
    if target.is_dir() and _holds_more(target, work):
        target.rename(next(aside for aside in _places(target) if not aside.exists()))


def last_replaced(folder: Path) -> Path | None:
    """Return the build of ``folder`` that was moved aside last; None if there is none."""
    found = None
    for aside in _places(folder):
        if not aside.is_dir():
            return found
        found = aside
    return found


def _places(folder: Path) -> itertools.chain[Path]:
    first = folder.with_name(folder.name + ".replaced")
    more = (folder.with_name(f"{folder.name}.replaced-{i}") for i in itertools.count(2))
    return itertools.chain([first], more)


def _holds_more(target: Path, work: Path) -> bool:
    manifest = target / MANIFEST
    if manifest.is_file() and manifest.read_bytes() != (work / MANIFEST).read_bytes():
        return True
    differences = folder_differences(target, read_release_manifest(work))
    return any(difference.what != "missing" for difference in differences)
