"""Printed figures of benchmarks, and programs that they run and measure."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Ran", "figure", "ran"]


@dataclass(frozen=True)
class Ran:
    """A program that ran."""

    seconds: float
    """Seconds from start to end."""
    cpu_seconds: float
    """User and system time of the program and its children."""
    megabytes: float
    """The most memory that the program held."""


# A process in between: a program started from a large process would be charged with its memory.
_BETWEEN = """
import json, resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([code, time.monotonic() - began, cpu, usage.ru_maxrss / 1024]))
"""


def ran(command: Sequence[str | Path]) -> Ran:
    """Run ``command`` to its end; raises CalledProcessError if it fails."""
    arguments = list(map(str, command))
    between = [sys.executable, "-I", "-S", "-c", _BETWEEN, *arguments]
    done = subprocess.run(between, stdout=subprocess.PIPE, text=True, check=True)
    code, seconds, cpu_seconds, megabytes = json.loads(done.stdout)
    if code:
        raise subprocess.CalledProcessError(code, arguments)
    return Ran(seconds, cpu_seconds, megabytes)


def figure(name: str, measured: float | str, goal: str, reached: bool, unit: str = "") -> None:
    """Print one line: name | measured | goal | ok or short."""
    shown = measured if isinstance(measured, str) else f"{measured:,}"
    if isinstance(measured, float):
        shown = f"{measured:,.4g}"
    print(f"{name} | {shown} {unit}".rstrip() + f" | {goal} | {'ok' if reached else 'short'}", flush=True)
