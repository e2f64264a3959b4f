"""Breaks: when the next batch opens, and batches that are planned anew before they do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nextset.validation.judgments.pseudonyms import KEY_VARIABLE
from nextset.validation.plan.event_log import EventLog
from nextset.validation.plan.events import BatchAssigned, BatchPushed, Event, PersonLeft
from nextset.validation.plan.state import Participant, fold
from nextset.validation.session.batch_breaks import break_end, stale_batches
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.pull import pull_session
from tests.validation.plan.sample_plans import Played, at, facts, gate_answer, joins, opened, settings
from tests.validation.session.sample_annotators import answer_all, gate_answers, pass_gate
from tests.validation.session.sample_study import SESSION, made_study
from tests.validation.studio import Studio

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_a_break_is_from_the_last_answer_on() -> None:
    last = NOW - timedelta(minutes=3)
    assert break_end(last, NOW, 10) == (NOW + timedelta(minutes=7)).isoformat()
    assert break_end(None, NOW, 10) == ""
    assert break_end(last, NOW, 0) == ""


def test_nobody_waits_longer_than_the_break_on_account_of_the_servers_clock() -> None:
    ahead = NOW + timedelta(hours=5)
    assert break_end(ahead, NOW, 10) == (NOW + timedelta(minutes=10)).isoformat()


def in_a_break() -> Played:
    """A session of A and B who answered a batch each; the next one of A waits."""
    study = Played(facts(12), settings(batch=4, overlap=2))
    study.events += [opened(list(study.units), overlap=2), *joins("A"), *joins("B")]
    for dealt in study.deal():
        for item in dealt.items:
            study.answer(dealt.person, item.unit_id)
    (dealt,) = study.deal(["A"])
    sent = study.events.pop()
    assert isinstance(sent, BatchPushed)
    assert isinstance(study.events[-1], BatchAssigned)
    return study


def stale(study: Played) -> list[tuple[str, int]]:
    session = fold(study.events).current
    assert session is not None
    return [(p.person, b.batch) for p, b in stale_batches(session, study.assigner().coverage)]


def test_a_batch_waits_until_its_break_is_over() -> None:
    assert stale(in_a_break()) == []


@pytest.mark.parametrize(
    "event",
    [
        gate_answer("A", declined=("d1",), at=at(500)),
        gate_answer("A", consent=False, at=at(500)),
        PersonLeft(session="1", person="A", at=at(500), why="stopped"),
        PersonLeft(session="1", person="A", at=at(500), why="withdrew"),
    ],
)
def test_a_batch_of_declined_domains_or_of_who_left_is_planned_anew(event: Event) -> None:
    study = in_a_break()
    study.events.append(event)
    assert stale(study) == [("A", 2)]
    study.events.append(gate_answer("B", declined=("d0", "d1"), at=at(501)))
    assert stale(study) == [("A", 2)], "what was sent to B stays"


def test_a_batch_with_a_unit_that_has_enough_judgments_is_planned_anew() -> None:
    study = in_a_break()
    people = fold(study.events).sessions["1"].people
    waiting = (item for item in people["A"].batches[1].items if item.part == "unit")
    unit_id = next(item.unit_id for item in waiting if item.unit_id not in people["B"].items)
    study.answer("C", unit_id, session="", seconds=600)
    assert stale(study) == []
    study.answer("D", unit_id, session="", seconds=601)
    assert stale(study) == [("A", 2)]


def test_a_domain_that_is_declined_in_a_break_is_not_sent(
    tmp_path: Path, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a key that only these tests have")
    asked = SESSION.replace("batch: 12, person: 100, pause: 0", "batch: 6, person: 100, pause: 60")
    study, client = made_study(tmp_path / "study", 12, asked + "    overlap: 1\n"), studio.client()
    ana = studio.annotator("ana@breaks.example")
    person = open_session(study, client, [ana.email]).people[0].person
    told = session_materials(study)

    def part() -> Participant:
        return EventLog(study.judgments).state.sessions["1"].people[person]

    projects = part().projects
    gate = pass_gate(studio, ana, projects["gate"], told.briefing.comprehension)
    pull_session(study, client)
    work = part().projects["work"]
    answer_all(studio, ana, work)
    opens = pull_session(study, client).advanced.waiting[person]
    waiting = part().batches[1]
    domains = {told.facts[i.unit_id].domain for i in waiting.items if i.part == "unit"}
    assert len(domains) > 1
    declined = min(domains)
    ana.edit(gate, *gate_answers(told.briefing.comprehension, (declined,)))
    advanced = pull_session(study, client).advanced
    assert advanced.waiting == {person: opens}, "the break is as long as it was"
    _, before, anew = part().batches
    assert (before.cancelled, before.items) == (waiting.items, ())
    assert {told.facts[i.unit_id].domain for i in anew.items if i.part == "unit"} == domains - {declined}
    assert pull_session(study, client).advanced.waiting == {person: opens}
    assert len(part().batches) == 3
    assert client.counts([int(work)])[int(work)].tasks == len(part().batches[0].items)
