"""The time from a command to its answer: help, status, lint and preview.

    python -m benchmarks.cli [a finished study]

Without a study, studies/first_look runs first, which takes about a minute.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Ran, figure, ran

ROOT = Path(__file__).parents[1]
NEXTSET = (sys.executable, "-m", "nextset")


def cli_figures(study: Path | None = None) -> None:
    """Print the figures of the commands for ``study``; each is the faster of two runs."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["NEXTSET_CACHE"] = str(Path(scratch) / "cache")
        if study is None:
            study = Path(scratch) / "first_look"
            shutil.copytree(ROOT / "studies" / "first_look", study, ignore=shutil.ignore_patterns("out"))
            ran([*NEXTSET, "run", study])
        first = ran([*NEXTSET, "status", study])
        figure("status after a change, CPU", first.cpu_seconds, "none", True, "s")
        again = _faster("status", study)
        figure("status, nothing changed", again.seconds, "≤ 0.8 s", again.seconds <= 0.8, "s")
        figure("status, nothing changed, CPU", again.cpu_seconds, "≤ 0.5 s", again.cpu_seconds <= 0.5, "s")
        for name, goal, arguments in (
            ("--help", 0.3, ["--help"]),
            ("lint of all shipped templates", 2.0, ["lint", ROOT / "bbnli_templates"]),
            ("preview", 4.0, ["preview", study]),
        ):
            seconds = _faster(*arguments).seconds
            figure(name, seconds, f"≤ {goal:g} s", seconds <= goal, "s")


def _faster(*arguments: str | Path) -> Ran:
    return min((ran([*NEXTSET, *arguments]) for _ in range(2)), key=lambda run: run.seconds)


if __name__ == "__main__":
    cli_figures(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
