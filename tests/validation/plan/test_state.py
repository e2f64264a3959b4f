from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nextset.errors import JudgmentError
from nextset.validation.plan.event_log import append_events, read_events
from nextset.validation.plan.event_order import MergedEvent, Place, StoredEvent
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchCancelled,
    BatchPushed,
    Event,
    PersonJoined,
    PersonLeft,
    ProjectMade,
    SessionClosed,
)
from nextset.validation.plan.state import Participant, State, fold
from tests.validation.plan.sample_plans import at, gate_answer, joins, opened


def of(state: State, person: str, session: str = "1") -> Participant:
    return state.sessions[session].people[person]


def test_events_add_up() -> None:
    item, rest = AssignedItem("u1", "unit"), AssignedItem("r1", "rest", 0)
    events = [
        opened(["u1", "u2"]),
        *joins("A"),
        *joins("B", declined=("d1",)),
        BatchAssigned(session="1", person="A", batch=1, items=(item, rest)),
        BatchPushed(session="1", person="A", batch=1),
        BatchAssigned(session="1", person="A", batch=2, items=(AssignedItem("u2", "unit"),)),
        BatchAssigned(session="1", person="B", batch=1, items=(item,)),
    ]
    state = fold(events)
    assert state.current is state.sessions["1"]
    assert [(b.batch, b.pushed) for b in of(state, "A").batches] == [(1, True), (2, False)]
    assert list(of(state, "A").items) == ["u1", "r1", "u2"]
    assert state.sessions["1"].assigned_to == {"u1": ("A", "B"), "r1": ("A",), "u2": ("A",)}
    assert state.owners["1", "work-1-B"] == "B"
    assert state.accounts["account-A"] == "A"
    assert of(state, "B").declined == ("d1",)
    closed = fold([*events, SessionClosed(session="1", at=at(99))])
    assert closed.current is None
    assert closed.sessions["1"].closed_at == at(99)


def test_who_passed_a_gate_needs_it_again_only_under_other_guidelines() -> None:
    events: list[Event] = [
        opened(["u1"]),
        *joins("A", declined=("d1",)),
        SessionClosed(session="1", at=at(9)),
    ]
    joined = PersonJoined(session="2", at=at(11), person="A", account="account-A")
    same = of(fold([*events, opened(["u1"], "2"), joined]), "A", "2")
    assert same.active
    assert same.declined == ("d1",)
    other = of(fold([*events, opened(["u1"], "2", guidelines="g2"), joined]), "A", "2")
    assert other.needs_gate
    assert not other.active


def test_a_gate_under_other_guidelines_is_another_gate() -> None:
    events: list[Event] = [opened(["u1"]), *joins("A"), SessionClosed(session="1", at=at(9))]
    events += [opened(["u1"], "2", guidelines="g2"), *joins("A", "2"), gate_answer("A", declined=("d1",))]
    state = fold(events)
    assert of(state, "A").declined == ("d1",)
    assert of(state, "A", "2").declined == ()


@pytest.mark.parametrize("gate", [{"consent": False}, {"passed": False}])
def test_nobody_is_active_before_the_gate_is_passed(gate: dict[str, Any]) -> None:
    state = fold([opened(["u1"]), *joins("A", **gate), *joins("B")[:3]])
    assert of(state, "A").needs_gate
    assert of(state, "B").needs_gate
    assert not of(state, "A").withdrew
    assert of(fold([opened(["u1"]), *joins("A", **gate), gate_answer("A")]), "A").active


def test_the_last_answer_to_the_gate_holds() -> None:
    events: list[Event] = [opened(["u1"]), *joins("A")]
    back = fold([*events, gate_answer("A", consent=False)])
    assert of(back, "A").withdrew
    assert not of(back, "A").active
    again = fold([*events, gate_answer("A", consent=False), gate_answer("A", declined=("d0",))])
    assert not of(again, "A").withdrew
    assert of(again, "A").active
    assert of(again, "A").declined == ("d0",)


@pytest.mark.parametrize(
    "withdrawal",
    [gate_answer("A", "2", consent=False), PersonLeft(session="2", person="A", at=at(12), why="withdrew")],
)
def test_consent_is_taken_back_for_all_sessions_and_given_again_for_those_to_come(withdrawal: Event) -> None:
    events: list[Event] = [
        opened(["u1"]),
        *joins("A"),
        SessionClosed(session="1", at=at(9)),
        opened(["u1"], "2"),
        *joins("A", "2")[:3],
        withdrawal,
    ]
    state = fold(events)
    assert of(state, "A", "1").withdrew
    assert of(state, "A", "2").withdrew
    events += [SessionClosed(session="2", at=at(13)), opened(["u1"], "3"), *joins("A", "3")[:3]]
    assert of(fold(events), "A", "3").needs_gate
    events.append(gate_answer("A", "3", at=at(14)))
    assert [of(fold(events), "A", s).withdrew for s in "123"] == [True, True, False]
    assert of(fold(events), "A", "3").active


def test_an_answer_from_before_consent_was_taken_back_does_not_give_it_again() -> None:
    left = PersonLeft(session="1", person="A", at=at(20), why="withdrew")
    events: list[Event] = [opened(["u1"]), *joins("A"), left, gate_answer("A", declined=("d0",), at=at(15))]
    assert of(fold(events), "A").withdrew
    assert of(fold(events), "A").own_gate == events[-1]
    events += [SessionClosed(session="1", at=at(21)), opened(["u1"], "2"), *joins("A", "2")[:3]]
    assert of(fold(events), "A", "2").needs_gate
    assert not of(fold([*events[:5], gate_answer("A", at=at(25))]), "A").withdrew


def test_an_earlier_withdrawal_that_is_read_late_does_not_undo_a_later_one() -> None:
    left = PersonLeft(session="1", person="A", at=at(20), why="withdrew")
    late = [gate_answer("A", consent=False, at=at(18)), gate_answer("A", at=at(19), role="retry")]
    assert of(fold([opened(["u1"]), *joins("A"), left, *late]), "A").withdrew


def test_who_passed_in_one_copy_of_a_study_has_passed_in_the_other() -> None:
    """Both copies went on with session 1: there the person passed, here both tries failed after that."""
    events: list[StoredEvent] = [opened(["u1"]), *joins("A", passed=False)]
    events.append(gate_answer("A", passed=False, role="retry", at=at(9)))
    assert of(fold(events), "A").failed
    there = MergedEvent(gate_answer("A", at=at(5)), Place(at(5), 6))
    assert of(fold([*events, there]), "A").active
    assert of(fold([*events[:5], there]), "A").active


def test_consent_can_be_taken_back_at_the_gate_of_an_earlier_session() -> None:
    events: list[Event] = [opened(["u1"]), *joins("A", passed=False), SessionClosed(session="1", at=at(9))]
    events += [opened(["u1"], "2"), *joins("A", "2", at=at(10)), gate_answer("A", consent=False, at=at(12))]
    state = fold(events)
    assert of(state, "A", "2").withdrew
    own = of(state, "A", "2").own_gate
    assert own is not None
    assert own.at == at(10)  # the gate of this session has nothing new


def test_a_log_of_before_there_was_a_second_try_adds_up_as_it_did() -> None:
    """Then who had failed changed the answer at the gate, and passed."""
    events: list[Event] = [opened(["u1"]), *joins("A", passed=False, wrong=("check_1", "check_2"))]
    assert (of(fold(events), "A").page, of(fold(events), "A").may_retry) == ("retry", True)
    events.append(gate_answer("A", at=at(4)))
    assert of(fold(events), "A").active
    events.append(gate_answer("A", consent=False, passed=False, at=at(5)))
    assert (of(fold(events), "A").page, of(fold(events), "A").may_retry) == ("gate", False)


def test_who_never_agreed_at_this_gate_takes_back_nothing_by_disagreeing() -> None:
    events: list[Event] = [opened(["u1"]), *joins("A"), SessionClosed(session="1", at=at(9))]
    events += [opened(["u1"], "2", guidelines="g2"), *joins("A", "2", consent=False, at=at(12))]
    assert not of(fold(events), "A", "1").withdrew


def test_who_left_can_come_back() -> None:
    left = PersonLeft(session="1", person="A", at=at(5), why="stopped")
    events: list[Event] = [opened(["u1"]), *joins("A"), left]
    assert not of(fold(events), "A").active
    assert not of(fold(events), "A").withdrew
    assert of(fold([*events, joins("A")[0]]), "A").active


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (joins("A"), "that session does not exist"),
        (
            [opened([]), ProjectMade(session="1", person="A", role="work", project="5")],
            "A does not take part",
        ),
        ([opened([]), opened([], "2")], "another one is open"),
        (
            [opened([]), *joins("A"), BatchPushed(session="1", person="A", batch=1)],
            "batch 1 was not assigned",
        ),
        (
            [opened([]), *joins("A"), BatchCancelled(session="1", person="A", batch=1)],
            "batch 1 was not assigned",
        ),
        (
            [opened([]), *joins("A"), BatchAssigned(session="1", person="A", batch=2, items=())],
            "batch 2 cannot follow 0",
        ),
    ],
)
def test_a_log_that_cannot_be_is_refused(events: list[Event], message: str) -> None:
    with pytest.raises(JudgmentError, match=message):
        fold(events)


def test_the_items_of_a_cancelled_batch_are_assigned_to_nobody() -> None:
    events: list[StoredEvent] = [opened(["u1", "u2"]), *joins("A")]
    item = AssignedItem("u1", "unit")
    events.append(BatchAssigned(session="1", person="A", batch=1, items=(item,), opens=at(90)))
    events.append(BatchCancelled(session="1", person="A", batch=1))
    part = of(fold(events), "A")
    assert (part.items, [b.waits for b in part.batches]) == ({}, [False])
    anew = BatchAssigned(session="1", person="A", batch=2, items=(AssignedItem("u2", "unit"), item))
    part = of(fold([*events, anew]), "A")
    assert (list(part.items), [b.waits for b in part.batches]) == (["u2", "u1"], [False, True])


def test_a_batch_that_was_sent_is_not_cancelled_in_another_copy() -> None:
    item = AssignedItem("u1", "unit")
    events: list[StoredEvent] = [opened(["u1"]), *joins("A")]
    events.append(BatchAssigned(session="1", person="A", batch=1, items=(item,), opens=at(90)))
    cancelled = BatchCancelled(session="1", person="A", batch=1)
    sent = BatchPushed(session="1", person="A", batch=1, texts=("t",))
    for one, other in ((cancelled, sent), (sent, cancelled)):
        for number in (6, 9):
            part = of(fold([*events, one, MergedEvent(other, Place(at(2), number))]), "A")
            assert part.texts == {"u1": "t"}
            assert [(b.items, b.pushed, b.waits) for b in part.batches] == [((item,), True, False)]


def test_15000_assigned_items_are_all_read(tmp_path: Path) -> None:
    events: list[Event] = [opened([f"{i:032x}" for i in range(5000)])]
    for person in "ABC":
        events += joins(person)
        for batch in range(1, 101):
            items = tuple(AssignedItem(f"{batch * 50 + i:032x}", "unit") for i in range(50))
            events.append(BatchAssigned(session="1", person=person, batch=batch, items=items))
            events.append(BatchPushed(session="1", person=person, batch=batch))
    append_events(tmp_path, events)
    state = fold(read_events(tmp_path).events)
    assert sum(len(p.items) for p in state.sessions["1"].people.values()) == 15_000
