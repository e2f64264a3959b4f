"""Who may use the files of the score cache now, and who may move them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cache_lock"]


@contextlib.contextmanager
def cache_lock(folder: Path, *, exclusive: bool) -> Iterator[None]:
    """Hold ``folder`` together with others who read and write, or ``exclusive`` to move or remove files.

    No file is moved while somebody has it open: its journal would be played into the next of that name.
    Windows does not let anybody move an open file, so there it needs no lock.
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
        # Where no lock can be had, nobody can get one to move files either.
    try:
        yield
    finally:
        if held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # also when a child has inherited it
            os.close(held)
