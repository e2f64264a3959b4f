"""A lock that lets one process at a time work in a folder, with a note that names that process."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from nextset.errors import StudyHeld

__all__ = ["locked_folder"]


@contextmanager
def locked_folder(folder: Path, command: str) -> Iterator[None]:
    """Lock ``folder`` for this process. The lock is re-entrant.

    The lock is the operating system's, so a killed process leaves none behind. Raises StudyHeld with
    the process, machine and command that hold it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / ".held-by.json"
    lock = FileLock(folder / ".lock", is_singleton=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StudyHeld(
            f"another run works on this study: {_describe(note)}", remedy="wait until it ends, or stop it"
        ) from None
    outermost = lock.lock_counter == 1
    try:
        if outermost:
            holder = {"pid": os.getpid(), "host": socket.gethostname(), "command": command}
            note.write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        if outermost:
            note.unlink(missing_ok=True)
        lock.release()


def _describe(note: Path) -> str:
    try:
        held = json.loads(note.read_text(encoding="utf-8"))
        return f"process {held['pid']} on {held['host']} ({held['command']})"
    except (OSError, ValueError, KeyError):
        return "a process that has just started"
