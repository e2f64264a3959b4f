"""How a benchmark prints a figure, and how it runs a program of its own."""

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
    """From start to end."""
    cpu_seconds: float
    """User and system time of it and its children."""
    megabytes: float
    """The most memory that it held."""


# A process between: a program that is started from a large one would be charged with that one's memory.
_BETWEEN = """
import json, resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([code, time.monotonic() - began, cpu, usage.ru_maxrss / 1024]))
"""


def ran(command: Sequence[str | Path]) -> Ran:
    """Run ``command`` to its end; raises CalledProcessError when it fails."""
    arguments = list(map(str, command))
    between = [sys.executable, "-I", "-S", "-c", _BETWEEN, *arguments]
    done = subprocess.run(between, stdout=subprocess.PIPE, text=True, check=True)
    code, seconds, cpu_seconds, megabytes = json.loads(done.stdout)
    if code:
        raise subprocess.CalledProcessError(code, arguments)
    return Ran(seconds, cpu_seconds, megabytes)


def figure(name: str, measured: float | str, goal: str, reached: bool, unit: str = "") -> None:
    """One line: name | measured | goal | ok or short."""
    shown = measured if isinstance(measured, str) else f"{measured:,}"
    if isinstance(measured, float):
        shown = f"{measured:,.4g}"
    print(f"{name} | {shown} {unit}".rstrip() + f" | {goal} | {'ok' if reached else 'short'}", flush=True)
