"""Where nextset keeps what it can reckon again: scores, and digests of weights."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["cache_folder", "cache_home"]


def cache_home() -> Path:
    """nextset's folder of caches: ``NEXTSET_CACHE``, or ``nextset`` in the user's cache folder.

    That is ``XDG_CACHE_HOME``, or ``~/.cache``. Raises OSError where there is no home to be found.
    """
    own = os.environ.get("NEXTSET_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "nextset"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (Path.home raises RuntimeError)
    if not home.is_absolute():
        raise OSError(errno.ENOENT, "no home folder to keep a cache in; set NEXTSET_CACHE", "~")
    return home / ".cache" / "nextset"


def cache_folder() -> Path:
    """The folder of the score cache, shared by all studies."""
    return cache_home() / "scores"
