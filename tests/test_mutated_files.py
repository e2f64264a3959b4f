"""Files that people write, mutated: each is read, or refused in few lines; benchmarks/faults.py has more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hand_written_files import FILES
from tests.mutated_files import SCREEN


@pytest.mark.slow
def test_a_mutated_file_is_read_or_refused(root: Path, tmp_path: Path) -> None:
    count = 6 * len(FILES)
    command = [sys.executable, "-m", "tests.mutated_files", str(tmp_path / "files"), "7", str(count)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == count
    assert [o for o in outcomes if o["result"] not in ("read", "refused")] == []
    assert [o for o in outcomes if o["result"] == "refused" and o["characters"] > SCREEN] == []
    assert sum(o["result"] == "refused" for o in outcomes) > count / 2
