"""Damage of every kind, in full: mutated files, flipped bits in out/, killed runs, faults of scoring.

python benchmarks/faults.py             # everything, about half an hour
python benchmarks/faults.py files       # or some of: files, flips, kills, scoring
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

# Run as a file, Python would put benchmarks/ before the clone's root on its path.
sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.damaged_results import flip_figures, kill_figures
from benchmarks.figures import figure
from benchmarks.scoring_faults import scoring_fault_figures
from tests.hand_written_files import FILES
from tests.mutated_files import SCREEN

ROOT = Path(__file__).parents[1]
MUTATED = 6_000


def main() -> None:
    """Run the parts that the arguments name, or all of them."""
    parts = {
        "files": _mutated_files,
        "flips": flip_figures,
        "kills": kill_figures,
        "scoring": scoring_fault_figures,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


def _mutated_files() -> None:
    """Run each reader of hand-written files on the same number of mutated files."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "tests.mutated_files", f"{scratch}/files", "0", str(MUTATED)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    figure(f"mutated inputs over {len(FILES)} parsers", len(outcomes), "5,000", len(outcomes) >= 5_000)
    refused = [o for o in outcomes if o["result"] == "refused"]
    figure(
        "of these, refused with an error; the others are still correct",
        len(refused),
        "measured only",
        True,
    )
    broken = [o for o in outcomes if o["result"] == "traceback"]
    figure("tracebacks", len(broken), "0", not broken)
    slow = [o for o in outcomes if o["seconds"] > 1]
    figure("over a second of CPU time", len(slow), "0", not slow)
    figure("the slowest", max(o["seconds"] for o in outcomes), "at most 1 s", not slow, "s")
    longest = max(o["characters"] for o in refused)
    figure("the longest error", longest, "a screen: 2,400", longest <= SCREEN, "characters")
    for outcome in (*broken, *slow, *(o for o in refused if o["characters"] > SCREEN)):
        sys.stderr.write(f"{json.dumps(outcome)}\n")


if __name__ == "__main__":
    main()
