"""A session that goes on here after a merge with a copy that had gone on with it on another server."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from nextset.validation.judgments.judgment_log import append_merged, read
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import Role
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from tests.validation.session.sample_annotators import judged, pass_gate
from tests.validation.session.sample_study import SESSION, made_study
from tests.validation.studio import Studio


def test_answers_older_than_those_of_the_other_copy_are_taken_in(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key that only these tests have")
    study, client = made_study(tmp_path / "study", 6, SESSION + "    overlap: 1\n"), studio.client()
    ana = studio.annotator("ana@merged.example")
    person = open_session(study, client, [ana.email]).people[0].person

    def project(role: Role) -> str:
        return EventLog(study.judgments).state.sessions["1"].people[person].projects[role]

    pass_gate(studio, ana, project("gate"), session_materials(study).briefing.comprehension)
    pull_session(study, client)
    one, *others = studio.task_numbers(int(project("work"))).values()
    ana.answer(one, *judged("invalid"))
    assert pull_session(study, client).taken.new == 1

    (here,) = read(study.judgments).entries
    later = datetime.fromisoformat(here.answered_at) + timedelta(hours=2)
    there = [
        replace(
            here, annotation=str(10_000 + i), answered_at=(later + timedelta(minutes=i)).isoformat(), nth=1
        )
        for i in range(6)
    ]
    append_merged(study.judgments, there)
    for task in others:
        ana.answer(task, *judged("invalid"))
    pulled = pull_session(study, client)
    assert pulled.taken.new == len(others)
    assert (pulled.taken.on_server, pulled.taken.in_log) == (len(others) + 1, len(others) + 1)
    assert not [w for w in pulled.taken.warnings if "deleted" in w]
