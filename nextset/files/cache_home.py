"""Where nextset keeps what it can make again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["cache_home", "user_cache"]


def cache_home() -> Path:
    """nextset's folder of caches: ``NEXTSET_CACHE``, or `user_cache`.

    Raises OSError where there is no home to be found.
    """
    own = os.environ.get("NEXTSET_CACHE")
    return Path(own).expanduser().absolute() if own else user_cache()


def user_cache() -> Path:
    """``nextset`` in the user's cache folder: ``XDG_CACHE_HOME``, or ``~/.cache``; OSError without a home."""
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "nextset"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (Path.home raises RuntimeError)
    if not home.is_absolute():
        raise OSError(errno.ENOENT, "no home folder to keep a cache in; set NEXTSET_CACHE", "~")
    return home / ".cache" / "nextset"
