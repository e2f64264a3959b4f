"""Regular files: what people decided is never taken for absent because something else is in its place."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from nextset.errors import InputError

__all__ = ["has_file", "kind_of_path", "require_file"]

_REMEDY = "restore the file, or move away what is in its place"


def has_file(path: Path, error: type[InputError], remedy: str = _REMEDY) -> bool:
    """Return whether there is a regular file at ``path``, or a link to one; False only if nothing is there.

    Raises ``error`` with ``remedy`` for anything else: a folder, a pipe, a device, a link that leads nowhere.
    """
    try:
        require_file(path, error, remedy)
    except FileNotFoundError:
        dangling = _dangling(path)
        if dangling is not None:
            raise error("this link leads nowhere", file=dangling, remedy=remedy) from None
        return False
    return True


def require_file(path: Path, error: type[InputError], remedy: str = _REMEDY) -> None:
    """Raise ``error`` with ``remedy`` unless ``path`` is a regular file or a link to one.

    To read from a pipe or a device could take forever. Raises FileNotFoundError if nothing is there, and
    PermissionError; a path through a file, a loop of links and a name that is too long are ``error`` too.
    """
    try:
        kind = kind_of_path(path)
    except (FileNotFoundError, PermissionError):
        raise
    except OSError as e:
        dangling = _dangling(path) if e.errno == errno.ELOOP else None
        if dangling is not None:
            raise error("this link leads nowhere", file=dangling, remedy=remedy) from None
        raise error(f"the file cannot be read: {e.strerror}", file=path, remedy=remedy) from None
    if kind != "file":
        raise error(f"this is a {kind}, not a file", file=path, remedy=remedy)


def _dangling(path: Path) -> Path | None:
    """Return the link that leads nowhere, of ``path`` and the folders above it."""
    return next((p for p in (path, *path.parents) if p.is_symlink() and not p.exists()), None)


def kind_of_path(path: Path) -> str:
    """Return file, folder, pipe, socket or device: what is at ``path``, or its target; raises OSError."""
    mode = path.stat().st_mode
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "special file")


_KINDS = (
    (stat.S_ISREG, "file"),
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)
