from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from nextset.errors import StudyError
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.events import PersonLeft, SessionClosed
from nextset.validation.plan.state import fold
from tests.validation.plan.sample_plans import Played, at, facts, gate_answer, joins, opened, settings

PAIRS = (("a", "b"), ("c", "d"), ("e", "f"), ("a", "c"))


def play(n: int = 30, people: str = "ABC", gold: int = 0, **asked: Any) -> Played:
    played = Played(
        facts(n, PAIRS), settings(**asked), {f"g{i}": ItemFacts("d0", ("a", "b")) for i in range(gold)}
    )
    played.events.append(opened(list(played.units)))
    for person in people:
        played.events += joins(person)
    return played


def units_of(played: Played, person: str, session: str = "1", part: str = "unit") -> list[str]:
    items = fold(played.events).sessions[session].people[person].items.values()
    return [i.unit_id for i in items if i.part == part]


def answer_all(played: Played, session: str = "1", **how: Any) -> int:
    """Everybody answers what is open; how many answers that were."""
    assigner = played.assigner()
    current = fold(played.events).current
    assert current is not None
    n = 0
    for person, participant in current.people.items():
        for unit_id in assigner.coverage.open_items(person) if participant.active else ():
            played.answer(person, unit_id, session, **how)
            n += 1
    return n


def to_the_end(played: Played, session: str = "1", **how: Any) -> None:
    while played.deal() or answer_all(played, session, **how):
        answer_all(played, session, **how)


def verdicts(played: Played) -> Counter[str]:
    return Counter(c.entry.unit_id for c in played.counted() if c.is_verdict)


def test_every_unit_is_judged_by_as_many_as_the_overlap() -> None:
    played = play(people="ABCDE")
    to_the_end(played)
    assert verdicts(played) == dict.fromkeys(played.units, 3)
    assert {c.why_not for c in played.counted()} == {""}


def test_the_next_batch_comes_when_the_last_is_answered() -> None:
    played = play(people="A")
    (batch,) = played.deal()
    assert len(batch.items) == 10
    assert played.deal() == []
    for item in batch.items[1:]:
        played.answer("A", item.unit_id, outcome="skipped")
    assert played.assigner().ready() == ()
    played.answer("A", batch.items[0].unit_id)
    assert played.assigner().ready() == ("A",)
    (following,) = played.deal()
    assert not {i.unit_id for i in following.items} & {i.unit_id for i in batch.items}


def test_each_person_has_an_order_of_their_own_within_what_is_wanted_first() -> None:
    played = play(n=100, batch=9)
    a, b, c = (batch.items for batch in played.deal())
    assert [i.unit_id for i in a] != [i.unit_id for i in b] != [i.unit_id for i in c]
    # A batch of 9 for 3 people, each unit 3 times: the first 9 units.
    assert {i.unit_id for i in a} == {i.unit_id for i in b} == {i.unit_id for i in c}
    assert {i.unit_id for i in a} == {f"u{i}" for i in range(9)}


def test_a_window_is_what_the_first_round_covers() -> None:
    played = play(n=100, batch=9, people="ABC")
    played.events[0] = opened(list(played.units), overlap=3, agree=2)
    a, b, c = (batch.items for batch in played.deal())
    # 9 units for 3 people, each asked of 2 first: 9 · 3 / 2 = 14 units
    assert {i.unit_id for i in (*a, *b)} <= {f"u{i}" for i in range(14)}
    assert len({i.unit_id for i in (*a, *b, *c)}) > 9


def test_when_people_agree_nobody_else_is_asked() -> None:
    played = play(agree=2)
    played.events[0] = opened(list(played.units), agree=2)
    to_the_end(played, verdict="invalid")
    assert verdicts(played) == dict.fromkeys(played.units, 2)


def test_when_people_differ_more_are_asked_up_to_the_overlap() -> None:
    played = play(n=6, people="A", agree=2)
    played.events[0] = opened(list(played.units), agree=2)
    to_the_end(played, verdict="invalid")
    played.events += joins("B")
    to_the_end(played, verdict="valid")
    played.events += [*joins("C"), *joins("D")]
    to_the_end(played, verdict="incoherent")
    assert verdicts(played) == dict.fromkeys(played.units, 3)


def test_only_as_many_are_asked_as_could_make_them_agree() -> None:
    played = play(n=1, people="ABCDE")
    played.events[0] = opened(["u0"], overlap=3, agree=2)
    played.answer("X", "u0", session="", verdict="valid")
    assert played.assigner().coverage.missing("u0") == 1
    played.answer("Y", "u0", session="", verdict="invalid")
    assert played.assigner().coverage.missing("u0") == 1
    played.answer("Z", "u0", session="", verdict="incoherent")
    assert played.assigner().coverage.missing("u0") == 0
    assert played.assigner().coverage.enough("u0")


@pytest.mark.parametrize("outcome", ["declined", "skipped", "invalid"])
def test_what_a_person_declined_is_not_asked_in_a_later_session(outcome: Any) -> None:
    played = play(n=2, people="A")
    to_the_end(played, outcome=outcome)
    later = opened(list(played.units), "2")
    played.events += [SessionClosed(session="1", at=at(9999)), later, *joins("A", "2")]
    to_the_end(played, "2")
    # What could not be read as an answer is asked again.
    assert len(units_of(played, "A", "2")) == (2 if outcome == "invalid" else 0)


def test_who_declines_gives_the_place_to_another() -> None:
    played = play(n=6, people="ABCD")
    played.deal(["A"])
    answer_all(played, outcome="declined")
    to_the_end(played)
    assert verdicts(played) == dict.fromkeys(played.units, 3)
    assert "A" not in {c.person for c in played.counted() if c.is_verdict}


@pytest.mark.parametrize("why", ["stopped", "withdrew"])
def test_what_was_open_is_planned_anew_when_a_person_leaves(why: str) -> None:
    played = play(n=6, people="ABC")
    played.deal()
    played.answer("A", units_of(played, "A")[0])
    left = PersonLeft(session="1", person="A", at=at(50), why=why)  # type: ignore[arg-type]
    played.events += [left, *joins("D")]
    to_the_end(played)
    assert verdicts(played) == dict.fromkeys(played.units, 3)
    assert len(units_of(played, "D")) == (5 if why == "stopped" else 6)


def test_a_declined_domain_is_not_dealt_nor_waited_for() -> None:
    played = play(people="AB")
    played.events.append(gate_answer("A", declined=("d0",)))
    played.deal()
    assert {played.units[u].domain for u in units_of(played, "A")} == {"d1"}
    played.events.append(gate_answer("B", declined=("d1",)))
    assigner = played.assigner()
    open_items = assigner.coverage.open_items("B")
    assert {played.units[u].domain for u in open_items if u in played.units} == {"d0"}
    assert assigner.coverage.missing("u1") == 2


def test_people_who_have_yet_to_pass_the_gate_are_people_who_may_judge() -> None:
    played = play(n=6, people="AB")
    played.events += [*joins("C")[:3], *joins("D", passed=False)]
    assert played.assigner().understaffed_units() == ()
    played.events.append(gate_answer("D", consent=False))
    played.events.append(gate_answer("C", consent=False))
    to_the_end(played)
    assert len(played.assigner().understaffed_units()) == 6


def test_a_pilot_that_everyone_has_judged_needs_nobody_else() -> None:
    played = play(n=6, people="AB")
    played.events[0] = opened(list(played.units), kind="pilot")
    to_the_end(played)
    assert played.assigner().understaffed_units() == ()


def test_nobody_reads_more_than_the_budget() -> None:
    played = play(person=7, batch=5, people="ABC", gold=3, gold_every=2)
    to_the_end(played)
    for person in "ABC":
        assert len(units_of(played, person)) + len(units_of(played, person, part="gold")) == 7
    assert len(played.assigner().understaffed_units()) == sum(
        n < 3 for n in (verdicts(played)[u] for u in played.units)
    )


def test_gold_comes_once_among_so_many_and_each_once() -> None:
    played = play(n=60, people="ABC", gold=5, gold_every=8, batch=12)
    to_the_end(played)
    for person in "ABC":
        items = fold(played.events).sessions["1"].people[person].items.values()
        order = [i.part for i in items if i.part != "rest"]
        assert order[:40].count("gold") == 5
        gold = units_of(played, person, part="gold")
        assert len(gold) == len(set(gold)) == 5
    assert len({tuple(units_of(played, p, part="gold")) for p in "ABC"}) > 1


def test_gold_has_no_place_of_its_own() -> None:
    played = play(n=100, people="A", gold=12, gold_every=8, batch=500, rest_every=500, run=500)
    (batch,) = played.deal()
    places = [i for i, item in enumerate(batch.items) if item.part == "gold"]
    assert [place // 8 for place in places] == list(range(12))
    assert len({place % 8 for place in places}) > 3


def test_every_part_is_pulled() -> None:
    played = play(n=60, people="ABC", gold=5, gold_every=8, batch=12)
    to_the_end(played)
    assert len({c.part for c in played.counted()}) == 3


def test_a_gold_item_that_is_a_unit_is_dealt_as_a_unit() -> None:
    played = play(n=4, gold_every=2, people="A")
    played.gold = {"u1": played.units["u1"]}
    to_the_end(played)
    assert units_of(played, "A", part="gold") == []
    assert len(units_of(played, "A")) == 4


def test_rest_comes_again_under_another_id() -> None:
    played = Played(facts(40), settings(batch=12, run=2), rest=2)
    played.events += [opened(list(played.units)), *joins("A"), *joins("B")]
    to_the_end(played)
    rest = [
        [i for i in fold(played.events).sessions["1"].people[p].items.values() if i.part == "rest"]
        for p in "AB"
    ]
    turns = [i.rest for i in rest[0]]
    assert turns[:2] in ([0, 1], [1, 0])
    assert turns == (turns[:2] * len(turns))[: len(turns)]
    ids = [i.unit_id for both in rest for i in both]
    assert len(set(ids)) == len(ids)
    assert all(len(unit_id) == 32 for unit_id in ids)


def test_a_batch_has_its_size_rest_and_gold_included() -> None:
    played = play(n=200, people="A", gold=9, gold_every=5, batch=25, run=1)
    sizes = []
    while dealt := played.deal():
        sizes.append(len(dealt[0].items))
        answer_all(played)
    assert max(sizes) <= 25
    assert min(sizes[:-1]) >= 23


def test_in_a_pilot_everybody_judges_everything() -> None:
    played = play(people="ABCDE")
    played.events[0] = opened([f"u{i}" for i in range(8)], kind="pilot")
    to_the_end(played)
    assert verdicts(played) == {f"u{i}": 5 for i in range(8)}


def test_what_was_judged_earlier_is_not_asked_again() -> None:
    played = play(n=10, people="AB")
    to_the_end(played)
    played.events += [SessionClosed(session="1", at=at(9999)), opened(list(played.units), "2")]
    for person in "ABC":
        played.events += joins(person, "2")
    to_the_end(played, "2")
    assert units_of(played, "A", "2") == units_of(played, "B", "2") == []
    assert len(units_of(played, "C", "2")) == 10
    assert verdicts(played) == dict.fromkeys(played.units, 3)


def test_an_adjudication_asks_somebody_else_once_more() -> None:
    played = play(n=10, people="ABC")
    to_the_end(played)
    disputed = ["u1", "u2"]
    played.events += [
        SessionClosed(session="1", at=at(9999)),
        opened(disputed, "2", kind="adjudication", overlap=1),
        *joins("A", "2"),
        *joins("D", "2"),
    ]
    to_the_end(played, "2")
    assert units_of(played, "A", "2") == []
    assert sorted(units_of(played, "D", "2")) == disputed


def test_files_cover_units_too() -> None:
    played = play(n=10, people="ABC")
    for person in "XYZ":
        played.answer(person, "u1", session="")
    to_the_end(played)
    assert all("u1" not in units_of(played, person) for person in "ABC")


def test_what_another_annotator_answered_in_a_project_is_not_waited_for() -> None:
    played = play(n=3, people="AB")
    played.deal(["A"])
    for unit_id in units_of(played, "A"):
        played.answer("B", unit_id, project="work-1-A")
    assert played.assigner().ready() == ("A", "B")
    played.deal()
    assert len(units_of(played, "B")) == 3


def test_units_that_left_the_study_are_not_dealt() -> None:
    played = play(n=5, people="A")
    del played.units["u3"]
    to_the_end(played)
    assert sorted(units_of(played, "A")) == ["u0", "u1", "u2", "u4"]


def test_without_a_session_or_rest_nothing_is_dealt() -> None:
    with pytest.raises(StudyError, match="no session is open"):
        Played(facts(1), settings()).assigner()
    played = play()
    played.rest = 0
    with pytest.raises(StudyError, match="no rest items"):
        played.assigner()


@pytest.mark.slow
def test_5000_units_get_the_verdicts_of_3_people() -> None:
    played = play(n=5000, gold=50, batch=500, person=10_000)
    while dealt := played.deal():
        for batch in dealt:
            for item in batch.items:
                played.answer(batch.person, item.unit_id)
    assert verdicts(played) == dict.fromkeys(played.units, 3)
