"""The script that serves Label Studio with gunicorn: several processes on one Unix socket."""

from __future__ import annotations

from pathlib import Path

from nextset.files.atomic_files import write_atomically

__all__ = ["PROCESSES", "THREADS", "write_script"]

PROCESSES = 2
"""The number of processes that answer requests."""

THREADS = 4
"""The number of threads per process: while one waits for the database, others answer."""

_SCRIPT = Path(__file__).with_suffix(".txt")
"""The script; it is not a module of nextset, because it runs in Label Studio's environment."""


def write_script(folder: Path) -> Path:
    """Write the script into ``folder``, next to Django's settings, and return its path."""
    path = folder / "nextset_serve.py"
    write_atomically(path, _SCRIPT.read_bytes())
    return path
