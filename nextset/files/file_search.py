"""The search for files below a folder that a person names, and that may be far larger than expected."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from nextset.errors import InputError

__all__ = ["MAX_ENTRIES", "files_below"]

MAX_ENTRIES = 20_000
"""The most files and folders that are looked at; the largest set of templates has a few hundred."""


def files_below(folder: Path, suffixes: Collection[str], error: type[InputError]) -> list[Path]:
    """Return the files with one of ``suffixes`` in or below ``folder``, sorted, without following links.

    Raises ``error`` if there are more than `MAX_ENTRIES` files and folders.
    """
    paths, seen = [], 0
    for at, folders, files in os.walk(folder):
        seen += len(folders) + len(files)
        if seen > MAX_ENTRIES:
            raise error(
                f"this folder contains more than {MAX_ENTRIES:,} files and folders",
                file=folder,
                remedy="name a folder that contains only the files you mean",
            )
        paths += [Path(at, name) for name in (*files, *folders) if Path(name).suffix in suffixes]
    return sorted(paths)
