"""Where scores are kept."""

from __future__ import annotations

from pathlib import Path

from nextset.cache_home import cache_home

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """The folder of the score cache, shared by all studies."""
    return cache_home() / "scores"
