"""A session from open to close on a real Label Studio."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.cli.validate_text import session_text
from nextset.study.study_folder import Study
from nextset.validation.agreement.counted_answers import counted_entries
from nextset.validation.judgments.judgment_log import read
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from tests.validation.session.sample_annotators import answer_all, pass_gate
from tests.validation.session.sample_study import made_study
from tests.validation.studio import Annotator, Studio


@pytest.fixture(scope="module")
def three(studio: Studio) -> list[Annotator]:
    return [studio.annotator(f"{name}@example.org") for name in ("ana", "ben", "cleo")]


def projects(study: Study, role: str) -> dict[str, str]:
    session = list(EventLog(study.judgments).state.sessions.values())[-1]
    return {p.person: p.projects[role] for p in session.people.values() if role in p.projects}  # type: ignore[index]


def test_a_session_from_open_to_close(tmp_path: Path, studio: Studio, three: list[Annotator]) -> None:
    study = made_study(tmp_path / "study", n=12)
    client = studio.client()
    opened = open_session(study, client, [a.email for a in three])
    assert opened.units == 12
    assert [p.at for p in opened.people] == ["gate"] * 3
    by_email = {p.email: p.person for p in opened.people}
    gates = projects(study, "gate")
    assert not projects(study, "work")

    for annotator in three:
        pass_gate(
            studio,
            annotator,
            gates[by_email[annotator.email]],
            session_materials(study).briefing.comprehension,
        )
    pulled = pull_session(study, client)
    assert [b.on_server for b in pulled.advanced.pushed] == [b.planned for b in pulled.advanced.pushed]

    said: dict[str, dict[str, str]] = {}
    done: dict[str, set[int]] = {a.email: set() for a in three}
    for _ in range(4):
        works = projects(study, "work")
        for annotator in three:
            person = by_email[annotator.email]
            answers = answer_all(studio, annotator, works[person], done=done[annotator.email])
            said.setdefault(person, {}).update(answers)
        pulled = pull_session(study, client)
        if not pulled.advanced.pushed:
            break
    status = session_status(study, client)
    assert status is not None
    assert (status.enough, status.to_pull) == (12, 0)
    assert {p.state for p in status.people} == {"done"}
    assert all(p.link for p in status.people)
    assert session_text(status).count("http://") == 3

    closed = close_session(study, client)
    assert closed.taken is not None
    assert closed.taken.new == 0
    assert closed.taken.in_log == closed.taken.on_server
    units = session_materials(study).unit_ids
    counted = counted_entries(study.judgments, EventLog(study.judgments).state, units)
    verdicts = {(c.person, c.entry.unit_id): c.entry.verdict for c in counted if c.is_verdict}
    assert verdicts == {(p, u): v for p, answers in said.items() for u, v in answers.items() if u in units}
    assert len(verdicts) == 36
    assert "example.org" not in "".join(
        f.read_text(encoding="utf-8") for f in study.judgments.rglob("*.jsonl")
    )
    assert read(study.judgments).torn == []
    status = session_status(study, client)
    assert status is not None
    assert {p.link for p in status.people} == {""}
    assert "http://" not in session_text(status)
