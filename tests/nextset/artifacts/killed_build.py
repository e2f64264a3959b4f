"""Builds an artifact again and again, killed at another file operation each time; prints what came of it.

Run as a program of its own, so that it can fork before any thread has begun.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build

EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"}


def recipe(version: int) -> Recipe:
    return Recipe("test", version)


def make(folder: Path, version: int) -> None:
    def part(i: int) -> Part:
        return Part("rows", lambda: PartResult(pa.table({"x": [version * 100 + i] * 5}), {"n": i}))

    build(folder, recipe(version), lambda: [part(i) for i in range(3)], snapshots={"text.yaml": b"text"})


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def killed_at(folder: Path, nth: int) -> bool:
    """Build version 2 in a child that is killed at its nth file operation; whether it was."""
    child = os.fork()
    if child == 0:
        seen = 0

        def hook(event: str, args: tuple[object, ...]) -> None:
            nonlocal seen
            if event in EVENTS and str(folder) in str(args[0]):
                seen += 1
                if seen == nth:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        make(folder, 2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main() -> None:
    scratch = Path(sys.argv[1])
    whole = scratch / "whole"
    make(whole, 2)
    wanted = content(whole)
    different, killed = [], 0
    for nth in range(1, 1000):
        folder = scratch / f"at-{nth}"
        make(folder, 1)
        if not killed_at(folder, nth):
            break
        killed += 1
        make(folder, 2)
        left_over = [p.name for p in scratch.iterdir() if p.name.startswith(f"at-{nth}.")]
        if content(folder) != wanted or left_over:
            different.append([nth, left_over])
        shutil.rmtree(folder)
    sys.stdout.write(json.dumps({"killed": killed, "different": different}))


main()
