"""The lock of the score cache: shared for reading and writing files, exclusive for moving them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cache_lock"]


@contextlib.contextmanager
def cache_lock(folder: Path, *, exclusive: bool) -> Iterator[None]:
    """Lock ``folder``, shared with other readers and writers, or ``exclusive`` to move or remove files.

    A file must not be moved while a process has it open: its journal would be applied to the next file of
    that name. Windows refuses to move an open file, so no lock is needed there.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    held = None
    try:
        held = os.open(folder / ".lock", (os.O_RDWR if exclusive else os.O_RDONLY) | os.O_CREAT, 0o666)
        fcntl.flock(held, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
    except OSError:
        if exclusive:
            raise
        # if this process cannot get a shared lock, no other process can get an exclusive lock to move files
    try:
        yield
    finally:
        if held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # also when a child has inherited it
            os.close(held)
