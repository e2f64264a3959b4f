"""The folder of nextset's caches."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["cache_home", "user_cache"]


def cache_home() -> Path:
    """Return nextset's cache folder: ``NEXTSET_CACHE``, or `user_cache`.

    Raises OSError if there is no home folder.
    """
    own = os.environ.get("NEXTSET_CACHE")
    return Path(own).expanduser().absolute() if own else user_cache()


def user_cache() -> Path:
    """Return the folder ``nextset`` in ``XDG_CACHE_HOME`` or ``~/.cache``; raises OSError without a home."""
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "nextset"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (Path.home raises RuntimeError)
    if not home.is_absolute():
        raise OSError(errno.ENOENT, "there is no home folder for the cache; set NEXTSET_CACHE", "~")
    return home / ".cache" / "nextset"
