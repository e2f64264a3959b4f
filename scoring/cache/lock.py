"""Who may use the files of the score cache now, and who may move them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["locked"]


@contextlib.contextmanager
def locked(folder: Path, *, alone: bool) -> Iterator[None]:
    """Hold ``folder`` together with others who read and write, or ``alone`` to move or remove files.

    No file is moved while somebody has it open: its journal would be played into the next of that name.
    Windows does not let anybody move an open file, so there it needs no lock.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    held = None
    try:
        held = os.open(folder / ".lock", (os.O_RDWR if alone else os.O_RDONLY) | os.O_CREAT, 0o666)
        fcntl.flock(held, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    except OSError:
        if alone:
            raise
        # Where no lock can be had, nobody can get one to move files either.
    try:
        yield
    finally:
        if held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # also when a child has inherited it
            os.close(held)
