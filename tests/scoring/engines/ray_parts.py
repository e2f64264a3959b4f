"""Parts that try what a worker stands; Ray's workers import this."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.build import PartResult

__all__ = ["dies", "dies_once", "number", "waits_once"]


def number(x: int) -> PartResult:
    """A table with one number."""
    return PartResult(pa.table({"x": [x]}), {"seen": x})


def dies() -> PartResult:
    """Never comes back: the process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number(-1)


def dies_once(note: Path, x: int) -> PartResult:
    """Kills the first process that makes it, which leaves ``note``."""
    if note.exists():
        return number(x)
    note.touch()
    return dies()


def waits_once(note: Path, where: Path, never: Path, x: int) -> PartResult:
    """Where it is begun first it tells its node through the pipe ``where``, then reads a pipe for ever."""
    if not note.exists():
        import ray

        note.touch()
        where.write_text(ray.get_runtime_context().get_node_id(), encoding="utf-8")
        never.read_bytes()
    return number(x)
