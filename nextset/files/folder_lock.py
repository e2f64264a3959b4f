"""A lock that lets one process at a time work in a folder, with a note that names that process."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from nextset.errors import StudyHeld
from nextset.files.atomic_files import write_atomically
from nextset.files.json_records import DamagedJson, JsonRecord, parse_record

__all__ = ["locked_folder"]


class _Holder(JsonRecord):
    """The process that has locked a folder."""

    pid: int
    host: str
    command: str


@contextmanager
def locked_folder(folder: Path, command: str) -> Iterator[None]:
    """Lock ``folder`` for this process. The lock is re-entrant.

    The operating system releases the lock if the process is killed. Raises StudyHeld with the process,
    machine and command that hold the lock.
    """
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / ".held-by.json"
    lock = FileLock(folder / ".lock", is_singleton=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StudyHeld(
            f"another run works in this folder: {_describe(note)}", remedy="wait until it ends, or stop it"
        ) from None
    outermost = lock.lock_counter == 1
    try:
        if outermost:
            holder = _Holder(pid=os.getpid(), host=socket.gethostname(), command=command)
            write_atomically(note, holder.model_dump_json().encode())
        yield
    finally:
        if outermost:
            note.unlink(missing_ok=True)
        lock.release()


def _describe(note: Path) -> str:
    try:
        held = parse_record(note.read_bytes() if note.is_file() else b"", _Holder)
    except (OSError, DamagedJson):
        return "a process that has just started"
    return f"process {held.pid} on {held.host} ({held.command})"
