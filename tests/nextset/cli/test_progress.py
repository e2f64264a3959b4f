"""Progress in a log: share done, rate and time left, also while no part ends."""

from __future__ import annotations

import io
import threading

import pytest

from nextset.artifacts.part_progress import note_share
from nextset.cli.progress_bar import StageProgress, bars
from nextset.cli.remaining_time import Pace


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (StageProgress("score", 12), "score: preparing, 12 s so far"),
        (StageProgress("score", 30, 0, 2), "score: 0 of 2 parts (0%), 30 s so far"),
        (
            StageProgress("score", 60, 3, 12, Pace(3 / 60, 180)),
            "score: 3 of 12 parts (25%), 3.0 parts/min, about 3 min left",
        ),
        (
            StageProgress("fill", 20, 50.5, 60, Pace(2, 4.75)),
            "fill: 50 of 60 parts (84%), 2.0 parts/s, about 5 s left",
        ),
        (
            StageProgress("score", 7200, 1, 4, Pace(0.5 / 3600, 21_600)),
            "score: 1 of 4 parts (25%), 0.5 parts/h, about 6 h left",
        ),
    ],
)
def test_a_line_says_how_far_a_stage_is(progress: StageProgress, line: str) -> None:
    assert progress.line() == line


class Log(io.StringIO):
    """What is written to it, and whether something was."""

    def __init__(self) -> None:
        super().__init__()
        self.has_line = threading.Event()

    def flush(self) -> None:
        self.has_line.set()


def test_a_log_gets_lines_while_a_part_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    monkeypatch.setattr("sys.stderr", log)
    with bars(quiet=False, seconds=0.01) as progress:
        tick = progress("score")
        assert log.has_line.wait(20)
        tick(1, 4)
        log.has_line.clear()
        assert log.has_line.wait(20)
        tick(4, 4)
    lines = log.getvalue().splitlines()
    assert lines[0] == "score: preparing, 0 s so far"
    assert lines[-1] == "score: 1 of 4 parts (25%), 0 s so far"


def test_a_log_counts_the_share_of_the_part_that_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    monkeypatch.setattr("sys.stderr", log)
    note_share(0.5)  # no bar: nothing happens
    with bars(quiet=False, seconds=0.01) as progress:
        tick = progress("score")
        tick(1, 4)
        note_share(0.5)
        note_share(0.2)  # another pass over the same part
        log.has_line.clear()
        assert log.has_line.wait(20)
        tick(4, 4)
    assert log.getvalue().splitlines()[-1].startswith("score: 1 of 4 parts (38%)")
