"""The search for files below a folder that a person names, and that may be far larger than expected."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from nextset.errors import InputError

__all__ = ["MAX_ENTRIES", "check_ending", "files_below", "yaml_files"]

MAX_ENTRIES = 20_000
"""The most files and folders that are looked at; the largest set of templates has a few hundred."""


def files_below(folder: Path, suffixes: Collection[str], error: type[InputError]) -> list[Path]:
    """Return the files with one of ``suffixes`` in or below ``folder``, sorted, without following links.

    Raises ``error`` if there are more than `MAX_ENTRIES` files and folders, and as `check_ending` does.
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
        for file in (Path(at, name) for name in (*files, *folders)):
            if file.suffix in suffixes:
                paths.append(file)
            elif not file.relative_to(folder).as_posix().startswith("."):
                check_ending(file, suffixes, error)
    return sorted(paths)


def yaml_files(folder: Path, error: type[InputError]) -> list[Path]:
    """Return the files ``*.yaml`` in ``folder``, sorted; raises ``error`` as `check_ending` does."""
    for file in sorted(folder.glob("[!.]*")):
        check_ending(file, {".yaml"}, error)
    return sorted(folder.glob("*.yaml"))


def check_ending(file: Path, suffixes: Collection[str], error: type[InputError]) -> None:
    """Raise ``error`` if ``file`` is not read only because it ends in another form of one of ``suffixes``."""
    ending = file.suffix.lower()
    right = ".yaml" if ending == ".yml" else ending
    if file.suffix not in suffixes and right in suffixes:
        remedy = f"rename it to {file.with_suffix(right).name}, or move it to another folder"
        raise error(f"a file that ends in {file.suffix} is not read", file=file, remedy=remedy)
