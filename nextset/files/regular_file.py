"""Regular files: a file of decisions is not taken for missing if something else is in its place."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from nextset.errors import InputError

__all__ = ["has_file", "kind_of_path", "require_file"]

_REMEDY = "restore the file, or move away what is in its place"


def has_file(path: Path, error: type[InputError], remedy: str = _REMEDY) -> bool:
    """Return True if ``path`` is a regular file or a link to one, and False if it does not exist.

    Raises ``error`` with ``remedy`` for anything else: a folder, a pipe, a device, a broken link.
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

    Reading from a pipe or a device could take forever. Raises FileNotFoundError if ``path`` does not exist,
    PermissionError, and ``error`` also for a path through a file, a loop of links, or too long a name.
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
    """Return the broken link among ``path`` and the folders above it; None if there is none."""
    return next((p for p in (path, *path.parents) if p.is_symlink() and not p.exists()), None)


def kind_of_path(path: Path) -> str:
    """Return the kind of ``path`` or its target: file, folder, pipe, socket or device. Raises OSError."""
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
