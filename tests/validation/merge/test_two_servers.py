"""A session on a real Label Studio, and one of another server whose projects have the same numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.study.study_folder import Study
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.merge.merge_copies import merge_judgments
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.session.close import close_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.person_projects import existing_projects
from nextset.validation.session.pull import pull_session
from nextset.validation.session.session_status import session_status
from tests.validation.merge.two_copies import MARKS, add_session, counted, units_of, whys
from tests.validation.session.sample_annotators import answer_all, pass_gate
from tests.validation.session.sample_study import SESSION, made_study
from tests.validation.studio import Annotator, Studio


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key for the tests, long enough")


def judge_all(study: Study, studio: Studio, annotator: Annotator) -> None:
    """Pass the gate and answer everything that is dealt."""
    client, done = studio.client(), set[int]()
    right = session_materials(study).briefing.comprehension
    session = EventLog(study.judgments).state.current
    assert session is not None
    (participant,) = session.people.values()
    if participant.needs_gate:
        pass_gate(studio, annotator, participant.projects["gate"], right)
    pull_session(study, client)
    work = EventLog(study.judgments).state.sessions[session.opened.session].people[participant.person]
    answer_all(studio, annotator, work.projects["work"], done=done)
    pull_session(study, client)


def test_a_session_goes_on_after_a_merge_and_never_touches_projects_of_the_other_server(
    tmp_path: Path, studio: Studio
) -> None:
    settings = SESSION + "    overlap: 1\n"
    a, b = made_study(tmp_path / "a", 6, settings), made_study(tmp_path / "b", 6, settings)
    ann, client = studio.annotator("ann-merge@example.org"), studio.client()
    open_session(a, client, [ann.email])
    units = units_of(b)
    add_session(b, MARKS["b"], {"zoe": dict.fromkeys(units[:4], "valid")}, overlap=1)
    # on the other server the projects happened to get the numbers of ann's
    (participant,) = EventLog(a.judgments).state.sessions["1"].people.values()
    plan = b.judgments / PLAN_NAME
    plan.write_text(
        plan.read_text().replace('"project": "1"', f'"project": "{participant.projects["gate"]}"')
    )
    merge_judgments(a, b.folder)  # ours is open meanwhile

    existing = existing_projects(client, EventLog(a.judgments).state)
    assert set(existing) == {("1", participant.projects["gate"])}
    judge_all(a, studio, ann)
    session = EventLog(a.judgments).state.sessions["1"]
    (ann_here,) = session.people.values()
    dealt = {u for u, item in ann_here.items.items() if item.part == "unit"}
    assert dealt == set(units[4:])  # what zoe judged elsewhere is not asked again
    status = session_status(a, client)
    assert status is not None
    assert (status.session, status.enough, status.to_pull) == ("1", 6, 0)
    close_session(a, client)
    assert sum(c.is_verdict for c in counted(a)) == 6
    merge_judgments(b, a.folder)
    assert whys(a) == whys(b)
    assert {s.closed_at is None for s in EventLog(b.judgments).state.sessions.values()} == {False}

    # the other organiser opens the next session on the merged copy, here on the same server
    file = b.folder / "study.yaml"
    file.write_text(file.read_text().replace("overlap: 1", "overlap: 2"))
    again = Study.load(b.folder)
    opened = open_session(again, client, [ann.email])
    assert opened.session == "3"
    judge_all(again, studio, ann)
    close_session(again, client)
    third = EventLog(b.judgments).state.sessions["3"]
    (ann_there,) = third.people.values()
    assert {u for u, i in ann_there.items.items() if i.part == "unit"} == set(units[:4])
    assert len([c for c in counted(again) if c.is_verdict]) == 10
    done = merge_judgments(a, b.folder)
    assert [s.there for s in done.sessions if s.new] == ["3"]
    assert whys(a) == whys(b)
