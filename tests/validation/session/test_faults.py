"""Each fault once, with the gateway in the path; benchmarks/validation.py --faults has a thousand."""

from __future__ import annotations

from pathlib import Path

from tests.validation.session.faulty_sessions import ANSWER_FAULTS, FAULTS, Tally, faulty_session
from tests.validation.studio import Studio


def test_nothing_acknowledged_is_lost_overwritten_or_doubled(tmp_path: Path, studio: Studio) -> None:
    people = [studio.annotator(f"fault-{i}@example.org") for i in range(2)]
    tally = Tally()
    faulty_session(studio, people, tmp_path / "study", 3, list(FAULTS), tally)
    assert tally.good, tally
    assert tally.cycles == len(FAULTS)
    assert tally.answers > 10
    assert tally.again >= len(ANSWER_FAULTS)
    assert set(tally.faults) == {*FAULTS, "server killed during open"}
