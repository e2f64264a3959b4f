"""How long a start is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.validation.label_studio.start_watch import QUIET, StartWatch, last_change


def test_a_start_that_makes_progress_is_waited_for_and_said_once_a_minute() -> None:
    watch = StartWatch(1000.0)
    # Twenty minutes, asked once a second; the database changes every 200 s.
    lines = [watch.look(1000.0 + second, change=1 + second // 200) for second in range(1200)]
    told = [second for second, line in enumerate(lines) if line]
    assert told == list(range(60, 1200, 60))
    assert "still creating its database: 1140 seconds so far" in lines[1140]
    assert "140 seconds ago" in lines[1140]  # 1140 = 5 × 200 + 140


def test_a_start_that_changes_nothing_is_given_up() -> None:
    watch = StartWatch(0.0)
    watch.look(100.0, change=7)
    watch.look(100.0 + QUIET, change=7)
    with pytest.raises(TimeoutError):
        watch.look(100.0 + QUIET + 1.0, change=7)


def test_the_last_change_is_that_of_the_newest_file(tmp_path: Path) -> None:
    assert last_change(tmp_path) == 0
    log, database = tmp_path / "server.log", tmp_path / "label_studio.sqlite3"
    log.touch()
    before = last_change(tmp_path)
    database.write_bytes(b"migrated")
    assert last_change(tmp_path) >= before
    assert last_change(tmp_path) == max(log.stat().st_mtime_ns, database.stat().st_mtime_ns)
