"""Choice items go through a session on a real server: people answer, and right answers are valid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nextset.validation.choice_units import right_letter
from nextset.validation.plan.event_log import EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from nextset.validation.stage import apply_judgments
from tests.validation.choice_study import choice_study
from tests.validation.session.sample_annotators import pass_gate
from tests.validation.studio import Annotator, Studio, choice


def test_people_answer_and_the_right_answers_are_counted(tmp_path: Path, studio: Studio) -> None:
    study = choice_study(tmp_path / "s", "  unit: answer\n  valid_votes: 1\n", "    overlap: 1\n")
    client = studio.client()
    people: list[Annotator] = [studio.annotator(f"{name}@choice.example") for name in ("ana",)]
    opened = open_session(study, client, [a.email for a in people])
    right = session_materials(study).briefing.comprehension

    def project(annotator: Annotator, role: Any) -> str:
        session = list(EventLog(study.judgments).state.sessions.values())[-1]
        person = next(p.person for p in opened.people if p.email == annotator.email)
        return session.people[person].projects[role]

    for annotator in people:
        pass_gate(studio, annotator, project(annotator, "gate"), right)
    pull_session(study, client)
    units = sorted(session_materials(study).unit_ids)
    for annotator in people:
        there = studio.task_numbers(int(project(annotator, "work")))
        for i, unit in enumerate(u for u in units if u in there):
            letters = [letter for letter in "abc" if (letter == right_letter(unit)) == (i % 2 == 0)]
            annotator.answer(there[unit], choice(letters[0], "answer", "context"))
    assert pull_session(study, client).not_counted == {}
    close_session(study, client)
    items = apply_judgments(study).table("items")
    found = dict(zip(items["unit_id"].to_pylist(), items["verdict"].to_pylist(), strict=True))
    judged = {u: v for u, v in found.items() if v is not None}
    assert judged == {u: "valid" if i % 2 == 0 else "invalid" for i, u in enumerate(units) if u in judged}
    assert len(judged) == len(units)
