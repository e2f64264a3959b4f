"""Each fault of a scoring run once or twice; benchmarks/scoring.py --faults has the full counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FAULTS = {"killed": 2, "full": 2, "changed": 1, "cut": 1, "spoilt": 1}


@pytest.fixture(scope="module")
def outcomes(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What came of each run."""
    counts = [f"{fault}={runs}" for fault, runs in FAULTS.items()]
    command = [sys.executable, "-m", "tests.scoring.faulty_runs", str(tmp_path_factory.mktemp("runs")), "1"]
    done = subprocess.run([*command, *counts], cwd=root, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_ends_in_a_clear_error_or_goes_on_to_the_same_bytes(
    outcomes: dict[str, list[dict[str, Any]]], fault: str
) -> None:
    assert [run for run in outcomes[fault] if not run["ok"]] == []
    assert len(outcomes[fault]) == FAULTS[fault]


def test_memory_that_runs_out_changes_no_label(root: Path) -> None:
    command = [sys.executable, "-m", "tests.scoring.short_of_memory", "100", "2"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    halved, too_little = json.loads(done.stdout)
    assert halved["same"]
    assert 0 < halved["tokens"] < 1 << 16
    assert "there is not enough memory for" in too_little["error"]
