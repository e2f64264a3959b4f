"""What comes next for a person: each step, and that nobody who is not active is led to the work."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.gateway.next_step import next_step
from nextset.validation.gateway.participations import Participation
from nextset.validation.plan.events import PersonLeft
from nextset.validation.plan.state import Batch, Participant, Session
from tests.validation.plan.sample_plans import at, gate_answer, opened

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
LATER = (NOW + timedelta(minutes=10)).isoformat()
PROJECTS = {"gate": "7", "work": "8"}


def batch(number: int, *, pushed: bool, opens: str = "") -> Batch:
    return Batch(number, (), pushed, opens)


def left(why: Any) -> PersonLeft:
    return PersonLeft(session="1", person="a-1", at=at(5), why=why)


def part(
    *, closed: bool = False, here: frozenset[str] = frozenset({"7", "8"}), **person: Any
) -> Participation:
    fields: dict[str, Any] = {"gate": gate_answer("a-1"), "projects": PROJECTS}
    participant = Participant(person="a-1", account="b", **{**fields, **person})
    session = Session(opened(["u1"]), at(9) if closed else None, {"a-1": participant})
    return Participation(Path("study"), "key", session, participant, here, None)


def step(
    part: Participation, *, item_left: bool = False, pulling: bool = False
) -> tuple[str, int | None, bool]:
    found = next_step(part, item_left=item_left, pulling=pulling, now=NOW)
    return found.step, found.project, found.pull


def test_the_gate_comes_first_and_a_moment_while_its_answer_is_taken_in() -> None:
    assert step(part(gate=None)) == ("gate", 7, False)
    assert step(part(gate=None), pulling=True) == ("moment", None, False)
    assert step(part(gate=None, projects={})) == ("moment", None, True), "the gate has to be made first"
    assert step(part(gate=None, here=frozenset())) == ("moment", None, True), "it is on another server"


def test_the_work_while_there_is_an_item() -> None:
    assert step(part(batches=(batch(1, pushed=True),)), item_left=True) == ("work", 8, False)
    assert step(part(batches=(batch(1, pushed=True),)), item_left=True, pulling=True) == ("work", 8, False)


def test_a_moment_while_a_batch_is_taken_in_or_due() -> None:
    done = batch(1, pushed=True)
    assert step(part(batches=(done,)), pulling=True) == ("moment", None, False)
    assert step(part(batches=(done, batch(2, pushed=False)))) == ("moment", None, True)
    assert step(part(batches=(done, batch(2, pushed=False, opens=NOW.isoformat())))) == ("moment", None, True)


def test_a_break_until_the_next_batch_opens() -> None:
    resting = part(batches=(batch(1, pushed=True), batch(2, pushed=False, opens=LATER)))
    assert step(resting) == ("break", 7, False)
    found = next_step(resting, item_left=False, pulling=False, now=NOW)
    assert found.opens == datetime.fromisoformat(LATER)


def test_done_when_no_batch_waits() -> None:
    assert step(part(batches=(batch(1, pushed=True),))) == ("done", 7, False)
    assert step(part()) == ("done", 7, False)


def test_those_who_do_not_agree_did_not_understand_or_withdrew() -> None:
    no = gate_answer("a-1", consent=False)
    assert step(part(gate=no, own_gate=no)) == ("disagreed", 7, False)
    failed = gate_answer("a-1", passed=False)
    tries = {"gate": failed, "retry": failed}
    assert step(part(gate=failed, own_gate=failed, tries=tries)) == ("misunderstood", 7, False)
    assert step(part(withdrew=True, left=left("withdrew"))) == ("disagreed", 7, False)
    assert step(part(withdrew=True, left=left("withdrew"), gate=None)) == ("disagreed", 7, False)


def test_who_failed_or_disagreed_in_an_earlier_session_is_asked_at_the_gate_of_this_one() -> None:
    failed, no = gate_answer("a-1", passed=False), gate_answer("a-1", consent=False)
    assert step(part(gate=failed)) == ("gate", 7, False)
    assert step(part(gate=no)) == ("gate", 7, False)
    assert step(part(gate=failed, own_gate=no)) == ("disagreed", 7, False), "failed elsewhere, said no here"
    assert step(part(gate=no, withdrew=True)) == ("disagreed", 7, False)


def test_those_who_stopped_and_sessions_that_ended() -> None:
    assert step(part(left=left("stopped")), item_left=True) == ("stopped", None, False)
    assert step(part(closed=True), item_left=True) == ("closed", 7, False)


participations = st.builds(
    part,
    closed=st.booleans(),
    here=st.sets(st.sampled_from(["7", "8"])).map(frozenset),
    gate=st.none() | st.builds(gate_answer, st.just("a-1"), consent=st.booleans(), passed=st.booleans()),
    own_gate=st.none() | st.builds(gate_answer, st.just("a-1"), consent=st.booleans()),
    left=st.none() | st.sampled_from(["stopped", "withdrew"]).map(left),
    withdrew=st.booleans(),
    projects=st.sampled_from([{}, {"gate": "7"}, PROJECTS]),
    batches=st.lists(
        st.builds(
            batch,
            st.integers(1, 9),
            pushed=st.booleans(),
            opens=st.sampled_from(["", NOW.isoformat(), LATER]),
        ),
        max_size=3,
    ).map(tuple),
)


@given(participations, st.booleans(), st.booleans())
def test_nobody_who_is_not_active_is_led_to_the_work(
    part: Participation, item_left: bool, pulling: bool
) -> None:
    found = next_step(part, item_left=item_left, pulling=pulling, now=NOW)
    if found.step == "work":
        assert item_left
        assert part.open
        assert part.participant.active
    if found.step == "gate":
        assert found.project == 7
        assert part.participant.left is None
    assert (found.opens is not None) == (found.step == "break")
    assert not (found.pull and pulling), "it is pulled already"
    assert found.step == "moment" or not found.pull
    assert found.project in ({7, None} if found.step != "work" else {8, None})
