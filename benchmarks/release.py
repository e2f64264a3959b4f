"""The whole walk: studies/first_look from its templates to the report, first and second time.

python benchmarks/release.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.figures import figure, ran

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Measure in a copy of the study, so that nothing is there already."""
    nextset = [sys.executable, "-m", "nextset"]
    with tempfile.TemporaryDirectory() as scratch:
        study = Path(scratch) / "first_look"
        shutil.copytree(ROOT / "studies" / "first_look", study, ignore=shutil.ignore_patterns("out"))
        first = ran([*nextset, "run", study])
        second = ran([*nextset, "run", study])
    help_ = min((ran([*nextset, "--help"]) for _ in range(5)), key=lambda r: r.seconds)
    figure("first run of first_look", first.seconds, "under 90 s", first.seconds < 90, "s")
    figure("first run, memory", first.megabytes, "measured only", True, "MB")
    figure("second run of first_look", second.seconds, "under 10 s", second.seconds < 10, "s")
    figure("second run, memory", second.megabytes, "measured only", True, "MB")
    figure("nextset --help", help_.seconds, "under 0.5 s", help_.seconds < 0.5, "s")


if __name__ == "__main__":
    main()
