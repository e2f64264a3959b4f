from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.judgments.log_entry import Entry
from nextset.validation.plan.counting_rules import count
from nextset.validation.plan.events import AssignedItem, BatchAssigned, Event, PersonLeft, SessionClosed
from nextset.validation.plan.state import State, fold
from tests.validation.plan.sample_plans import at, entry, gate_answer, joins, opened

KNOWN = {"u1", "u2", "u3"}


def dealt(person: str, *unit_ids: str, session: str = "1") -> BatchAssigned:
    parts = {"g": "gold", "r": "rest"}
    items = tuple(AssignedItem(u, parts.get(u[0], "unit")) for u in unit_ids)  # type: ignore[arg-type]
    return BatchAssigned(session=session, person=person, batch=1, items=items)


def study(*more: Event, people: str = "ABCD", **session: object) -> State:
    events: list[Event] = [opened(["u1", "u2", "u3"], **session)]  # type: ignore[arg-type]
    for person in people:
        events += [*joins(person), dealt(person, "u1", "u2", "g1", "r1", "left out")]
    return fold([*events, *more])


def why(*entries: Entry, state: State | None = None) -> list[str]:
    return [c.why_not for c in count(entries, state or study(), KNOWN)]


def test_of_the_states_of_an_annotation_the_last_before_the_close_holds() -> None:
    first = entry("u1", "A", 1, seconds=10)
    second, third = (replace(first, digest=str(s), answered_at=at(s)) for s in (20, 30))
    assert why(first, third, second) == ["superseded", "", "superseded"]
    closed = study(SessionClosed(session="1", at=at(25)))
    assert why(first, third, second, state=closed) == ["superseded", "after the close", ""]
    assert why(third, state=closed) == ["after the close"]
    assert why(second, replace(second, answered_at=at(25)), state=closed) == ["superseded", ""]


def test_what_another_account_changed_is_not_the_authors() -> None:
    own = entry("u1", "A", 1, verdict="invalid")
    star = replace(own, changed_by="admin", digest="reformatted")
    changed = replace(star, verdict="incoherent", digest="changed")
    again = replace(own, verdict="incoherent", digest="own", answered_at=at(90))
    assert why(own, star) == ["", "superseded"]
    assert why(own, changed) == ["", "changed by another"]
    assert why(changed, own) == ["changed by another", ""]
    assert why(own, changed, again) == ["superseded", "superseded", ""]
    # of an annotation that was read only after a change, the first state counts
    assert why(star) == [""]
    assert why(star, changed) == ["", "changed by another"]
    assert why(star, again) == ["changed by another", ""]


def test_answers_of_two_servers_have_the_same_number_and_are_two() -> None:
    """A copied session went on in both copies: numbers of projects and annotations are given twice."""
    assert why(entry("u1", "A", 5, seconds=20), replace(entry("u2", "A", 5, seconds=30), nth=1)) == ["", ""]


def test_the_later_in_the_log_holds_where_times_are_the_same_or_unknown() -> None:
    first = entry("u1", "A", 1)
    assert why(first, replace(first, digest="other")) == ["superseded", ""]
    unknown = replace(first, answered_at="")
    assert why(unknown, replace(unknown, digest="other")) == ["superseded", ""]


@pytest.mark.parametrize("outcome", ["declined", "skipped", "invalid", "altered"])
def test_no_verdict_is_no_judgment(outcome: str) -> None:
    nothing = entry("u1", "A", 1, outcome=outcome)  # type: ignore[arg-type]
    assert why(nothing, entry("u1", "A", 2)) == [outcome, ""]


def test_the_lower_annotation_number_of_a_person_counts() -> None:
    assert why(entry("u1", "A", 10), entry("u1", "A", 9), entry("u2", "A", 11)) == ["second answer", "", ""]


def test_in_the_project_of_another_person_nothing_counts() -> None:
    stranger = entry("u1", "B", 1, project="work-1-A")
    assert why(stranger, entry("u1", "B", 2)) == ["another person's project", ""]
    # With another key the pseudonym cannot be compared; the project says who it is.
    relabelled = replace(stranger, key="k2", judge="someone")
    (counted,) = count([relabelled], study(), KNOWN)
    assert (counted.person, counted.why_not) == ("A", "")


def test_what_was_not_asked_does_not_count() -> None:
    assert why(entry("u3", "A", 1), entry("left out", "A", 2), entry("u1", "Z", 3)) == [
        "not assigned",
        "unknown unit",
        "not assigned",
    ]
    assert why(entry("u1", "A", 1, session="7")) == ["unknown session"]


@pytest.mark.parametrize("way", ["gate", "left"])
def test_what_is_withdrawn_does_not_count_and_makes_room(way: str) -> None:
    withdrawal: Event = (
        gate_answer("A", consent=False)
        if way == "gate"
        else PersonLeft(session="1", person="A", at=at(99), why="withdrew")
    )
    answers = [entry("u1", person, i) for i, person in enumerate("ABCD", 1)]
    assert why(*answers) == ["", "", "", "more than the overlap"]
    assert why(*answers, state=study(withdrawal)) == ["consent withdrawn", "", "", ""]
    file = entry("u2", "account-A", "#1", session="")
    assert why(file, state=study(withdrawal)) == ["consent withdrawn"]


def test_who_stopped_has_judged() -> None:
    left = PersonLeft(session="1", person="A", at=at(5), why="stopped")
    assert why(entry("u1", "A", 1), state=study(left)) == [""]


def test_more_than_the_overlap_is_counted_in_each_session_and_not_in_a_pilot() -> None:
    answers = [entry("u1", person, i) for i, person in enumerate("DCBA", 1)]
    assert why(*answers) == ["", "", "", "more than the overlap"]
    assert why(*answers, state=study(kind="pilot")) == ["", "", "", ""]
    late = replace(answers[0], answered_at=at(50))
    assert why(late, *answers[1:]) == ["more than the overlap", "", "", ""]
    later = [
        SessionClosed(session="1", at=at(99)),
        opened(["u1"], "2", kind="adjudication", overlap=1),
        *joins("E", "2"),
        dealt("E", "u1", session="2"),
    ]
    (*_, last) = count([*answers[:3], entry("u1", "E", 9, session="2")], study(*later), KNOWN)
    assert last.is_verdict
    assert last.kind == "adjudication"


def test_gold_and_rest_are_no_verdicts_of_units() -> None:
    gold, rest = count([entry("g1", "A", 1), entry("r1", "A", 2)], study(), KNOWN)
    assert (gold.part, gold.counts, gold.is_verdict) == ("gold", True, False)
    assert (rest.part, rest.counts, rest.is_verdict) == ("rest", True, False)


def test_only_a_drawn_unit_has_one_more_than_the_whole_part_of_the_overlap() -> None:
    state = study(overlap=1.3)
    drawn = state.sessions["1"].asked.drawn
    assert len(drawn & {"u1", "u2"}) == len(drawn) == 1, "of three units 0.9, rounded to one"
    for unit_id in ("u1", "u2"):
        reasons = why(*(entry(unit_id, person, i) for i, person in enumerate("ABC", 1)), state=state)
        n = 1 + (unit_id in drawn)
        assert reasons == [""] * n + ["more than the overlap"] * (3 - n)


def test_more_people_than_the_overlap_can_answer_a_gold_item() -> None:
    assert why(*(entry("g1", person, i) for i, person in enumerate("ABCD", 1))) == [""] * 4


def test_files_count_once_a_person_and_unit() -> None:
    file = entry("u1", "account-A", 7, session="")
    (counted,) = count([file], study(), KNOWN)
    assert (counted.person, counted.kind, counted.is_verdict) == ("A", "file", True)
    assert why(file, entry("u1", "A", 9)) == ["second answer", ""]
    assert why(file, replace(file, digest="edited", answered_at=at(99))) == ["superseded", ""]
    assert why(file, replace(file, annotation="5")) == ["second answer", ""]
    assert why(file, replace(file, unit_id="nowhere")) == ["", "unknown unit"]
    other_key = replace(file, key="k2", answered_at=at(99))
    assert why(file, other_key) == ["", "second answer"]
    assert why(other_key, file) == ["second answer", ""]
    line = entry("u2", "somebody", "#3", session="", answered_at="")
    assert why(line, replace(line, annotation="#1", digest="corrected")) == ["superseded", ""]
    (gold,) = count([entry("g1", "account-A", 7, session="")], study(), KNOWN)
    assert (gold.part, gold.counts) == ("gold", True)


entries = st.lists(
    st.builds(
        entry,
        unit_id=st.sampled_from(["u1", "u2", "u3", "g1", "r1", "left out", "nowhere"]),
        person=st.sampled_from(["A", "B", "C", "D", "Z", "account-A"]),
        annotation=st.integers(1, 12),
        session=st.sampled_from(["", "1", "1", "1", "7"]),
        outcome=st.sampled_from(["judged", "judged", "judged", "declined", "skipped", "invalid"]),
        verdict=st.sampled_from(["valid", "invalid", "incoherent"]),
        project=st.sampled_from(["work-1-A", "work-1-B", "work-1-C", "work-1-D", "", "elsewhere"]),
        key=st.sampled_from(["k1", "k1", "k1", "k2"]),
        digest=st.just(""),
    ),
    max_size=25,
)
changes = st.sampled_from(
    [
        (),
        (SessionClosed(session="1", at=at(30)),),
        (gate_answer("A", consent=False),),
        (PersonLeft(session="1", person="B", at=at(3), why="withdrew"),),
    ]
)


@given(entries, changes, st.randoms(), st.sampled_from([1, 1.5, 2, 3]))
def test_nothing_is_lost_and_the_order_of_pulls_does_not_matter(
    found: list[Entry], more: tuple[Event, ...], shuffle: random.Random, overlap: float
) -> None:
    found = [replace(e, answered_at=at(10 + i), digest=str(i)) for i, e in enumerate(found)]
    state = study(*more, overlap=overlap)
    counted = count(found, state, KNOWN)
    assert [c.entry for c in counted] == found
    assert all(c.counts == (not c.why_not) for c in counted)
    shuffled = shuffle.sample(found, len(found))
    by_entry = {c.entry: c for c in count(shuffled, state, KNOWN)}
    assert by_entry == {c.entry: c for c in counted}
    # Pulled twice: the second is the same state of the same annotation.
    twice = count([*found, *shuffled], state, KNOWN)
    assert {c.entry for c in twice if c.counts} == {c.entry for c in counted if c.counts}
    assert sum(c.counts for c in twice) == sum(c.counts for c in counted)
    verdicts = [c for c in counted if c.is_verdict]
    assert max(Counter((c.person, c.entry.unit_id) for c in verdicts).values(), default=0) <= 1
    of_session = Counter(c.entry.unit_id for c in verdicts if c.entry.session)
    assert all(n <= state.sessions["1"].asked.of(unit_id) for unit_id, n in of_session.items())


@given(entries)
def test_what_counts_counts_also_alone(found: list[Entry]) -> None:
    found = [replace(e, answered_at=at(10 + i), digest=str(i)) for i, e in enumerate(found)]
    holding = [c.entry for c in count(found, study(), KNOWN) if c.counts]
    assert all(c.counts for c in count(holding, study(), KNOWN))
