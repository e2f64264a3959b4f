"""The search for files below a folder that people name, which may be a far larger one than they meant."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from nextset.errors import InputError

__all__ = ["MAX_ENTRIES", "files_below"]

MAX_ENTRIES = 20_000
"""The most files and folders that are looked at; the largest set of templates has a few hundred."""


def files_below(folder: Path, suffixes: Collection[str], error: type[InputError]) -> list[Path]:
    """Return what has one of ``suffixes`` in ``folder`` and below it, sorted, without following links.

    Raises ``error`` if there is more than `MAX_ENTRIES` to look at.
    """
    found, seen = [], 0
    for at, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > MAX_ENTRIES:
            raise error(
                f"this folder holds more than {MAX_ENTRIES:,} files and folders",
                file=folder,
                remedy="name the folder that holds only these files",
            )
        found += [Path(at, name) for name in (*files, *folders) if Path(name).suffix in suffixes]
    return sorted(found)
