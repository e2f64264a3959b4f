"""The folder of the score cache and its files."""

from __future__ import annotations

from pathlib import Path

from nextset.files.cache_home import cache_home

__all__ = ["cache_files", "cache_folder"]


def cache_folder() -> Path:
    """Return the folder of the score cache, shared by all studies."""
    return cache_home() / "scores"


def cache_files() -> list[Path]:
    """Return the files of the score cache by name, including damaged files that were set aside."""
    folder = cache_folder()
    return sorted([*folder.glob("*.sqlite"), *folder.glob("*.sqlite.damaged")])
