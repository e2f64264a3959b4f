"""Faults of scoring runs, in full: every one ends in a clear error or a correct resume."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import figure

__all__ = ["scoring_fault_figures"]

RUNS = {
    "killed": ("killed at a random call", 60),
    "full": ("disk full", 12),
    "changed": ("weights replaced under the run", 10),
    "cut": ("score shard cut in half", 10),
    "spoilt": ("cache damaged under the run", 10),
}
MEGABYTES = (200, 100, 50, 25, 2)
"""Megabytes of address space that remain when a batch of up to 131,072 tokens begins."""
ROOT = Path(__file__).parents[1]


def scoring_fault_figures() -> None:
    """Try each fault in separate studies; the tests of loading cover pickles and models' own code."""
    for fault, (name, count) in RUNS.items():
        with tempfile.TemporaryDirectory() as scratch:
            outcomes = _said(["tests.scoring.faulty_runs", scratch, "0", f"{fault}={count}"])[fault]
        good = sum(run["ok"] for run in outcomes)
        figure(f"{name}, runs that ended well", good, f"{count} of {count}", good == count)
        if fault == "killed":
            kept = sum(run["kept"] > 0 for run in outcomes)
            figure("of these, with kept shards", kept, "measured only", True)
        for run in outcomes:
            if not run["ok"]:
                sys.stderr.write(f"{json.dumps(run)}\n")
    runs = _said(["tests.scoring.short_of_memory", *map(str, MEGABYTES)])
    for megabytes, run in zip(MEGABYTES, runs, strict=True):
        ended = run.get("same", False) or "needs more memory" in run.get("error", "")
        tokens = run.get("tokens", 0)
        figure(
            f"{megabytes} MB left, same labels or a clear error; tokens per batch", tokens, "ends well", ended
        )


def _said(command: list[str]) -> dict[str, list[dict[str, object]]] | list[dict[str, object]]:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)
