"""How long people will work, from the times so far; nothing where these are too few."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nextset.validation.plan.events import AssignedItem, BatchAssigned, PersonLeft, SessionClosed
from nextset.validation.session.working_hours import WorkingHours, answer_times, working_hours
from nextset.validation.session.workload import Workload
from tests.validation.plan.sample_plans import Played, at, facts, joins, opened, settings


def work(items: int) -> Workload:
    return Workload(
        judgments=items, gold=0, rest=0, items=items, items_a_person=items, batches_a_person=1, not_covered=0
    )


def hours(times: dict[str, list[float]], items: int = 100, people: int = 2) -> WorkingHours:
    return working_hours(times, work(items), people)


TWO = {"A": [10.0, 30.0] * 10, "B": [20.0, 60.0] * 10}


def test_an_example_by_hand() -> None:
    found = hours(TWO)
    # The means are 20 and 40 s, so an item takes 30 s, and 100 items 3,000 s.
    assert (found.people_known, found.answers, found.seconds) == (2, 40, 30)
    assert found.same_people is not None
    assert found.same_people.point == pytest.approx(3000 / 3600)
    # The variances are 20 · 10² / 19 and 20 · 20² / 19. Each reads 50 items: s² of a mean of two means is
    # v (1/20 + 1/50) / 2² for each person.
    one, other = 2000 / 19 * 0.07 / 4, 8000 / 19 * 0.07 / 4
    s = math.sqrt(one + other)
    assert s == pytest.approx(3.0349, abs=1e-4)
    # Degrees of freedom: (p + q)² / (p² / 19 + q² / 19) with q = 4 p, 25/17 · 19 = 27.94; t is 2.0486.
    assert (one + other) ** 2 / ((one**2 + other**2) / 19) == pytest.approx(27.94, abs=0.01)
    factor = math.exp(2.0486 * s / 30)
    assert found.same_people.high / found.same_people.point == pytest.approx(factor, rel=1e-4)
    assert found.same_people.point / found.same_people.low == pytest.approx(factor, rel=1e-4)
    assert factor == pytest.approx(1.2303, abs=1e-4)
    assert (found.other_people, found.more_people) == (None, 3)


def test_of_fewer_people_it_is_not_known_who_they_are() -> None:
    found = hours(TWO, items=100, people=1)
    assert found.same_people is not None
    # v (1/20 + 1/100) / 2² each, and the variance of 20 and 40, 200, by 1/1 − 1/2, with one degree of freedom
    one, other, between = 2000 / 19 * 0.06 / 4, 8000 / 19 * 0.06 / 4, 200 / 2
    whole = one + other + between
    freedom = whole**2 / (one**2 / 19 + other**2 / 19 + between**2)
    from scipy.stats import t

    factor = math.exp(float(t.ppf(0.975, freedom)) * math.sqrt(whole) / 30)
    assert found.same_people.high == pytest.approx(3000 / 3600 * factor)
    assert factor > 10


def test_other_people_differ_as_those_do_who_are_known() -> None:
    times = {name: [float(mean)] * 20 for name, mean in zip("ABCDE", (20, 25, 30, 35, 40), strict=True)}
    found = hours(times, items=360, people=10)
    # the variance of the means is 62.5, and of 5 and 10 means apart 62.5 (1/5 + 1/10); t of 4 is 2.7764
    factor = math.exp(2.7764 * math.sqrt(62.5 * 0.3) / 30)
    assert found.other_people is not None
    assert found.other_people.point == pytest.approx(3.0)
    assert found.other_people.high == pytest.approx(3 * factor, rel=1e-4)
    assert found.other_people.low == pytest.approx(3 / factor, rel=1e-4)
    assert found.more_people == 0
    # five are known, and ten work: the pace of the same people is not known
    assert (found.same_people, found.more_answers) == (None, 100)


def test_a_few_items_each_vary_more_than_the_many_answers_before() -> None:
    times = {name: [10.0, 30.0] * 40 for name in "ABCDE"}  # one pace, b is 0
    found = hours(times, items=10, people=2)
    assert found.same_people is not None
    assert found.other_people is not None
    from scipy.stats import t

    # Five items each: v is 80 · 10² / 79; c = v (1/5 − 1/80), of five people with 79 degrees of freedom each.
    v = 8000 / 79
    c = v * (1 / 5 - 1 / 80)
    factor = math.exp(float(t.ppf(0.975, 5 * 79)) * math.sqrt(c / 2) / 20)
    assert found.other_people.high / found.other_people.point == pytest.approx(factor)
    whole = v * (1 / 80 + 1 / 5) / 5 + c * (1 / 2 - 1 / 5)
    freedom = whole**2 / (5 * ((v * (1 / 80 + 1 / 5) / 25) ** 2 + (c * 0.3 / 5) ** 2) / 79)
    factor = math.exp(float(t.ppf(0.975, freedom)) * math.sqrt(whole) / 20)
    assert found.same_people.high / found.same_people.point == pytest.approx(factor)


def test_a_pace_is_known_from_twenty_timed_answers_on() -> None:
    found = hours({"A": TWO["A"], "B": TWO["B"][:19]})
    assert (found.same_people, found.more_answers, found.people_known) == (None, 1, 1)
    assert hours(TWO).more_answers == 0
    assert hours({"A": TWO["A"]}).more_answers == 20
    assert hours({}).more_answers == 40
    assert hours({}).seconds is None
    alone = hours({"A": TWO["A"], "B": TWO["B"][:19]}, people=1)
    assert alone.same_people is not None
    assert alone.same_people.point == pytest.approx(100 * 20 / 3600)


def test_others_are_known_by_five_people() -> None:
    times = dict.fromkeys("ABCDE", TWO["A"])
    assert hours(times).other_people is not None
    found = hours({**times, "E": TWO["A"][:19]})
    assert (found.other_people, found.more_people) == (None, 1)


def test_times_that_are_all_the_same_leave_no_doubt() -> None:
    found = hours({"A": [36.0] * 20, "B": [36.0] * 20}).same_people
    assert found is not None
    assert found.low == found.point == found.high == pytest.approx(1.0)


@pytest.mark.parametrize("longest", [1e-90, 1e-160, 1e-200, 5e-324, 300.0])
@pytest.mark.parametrize("people", [1, 2, 9])
def test_times_as_short_as_a_number_can_be_give_an_interval(longest: float, people: int) -> None:
    found = hours({name: [5e-324, longest] * 10 for name in "ABCDE"}, people=people)
    for interval in (found.same_people, found.other_people):
        assert interval is None or interval.low <= interval.point <= interval.high < math.inf
    assert found.other_people is not None


def test_no_items_take_no_time_that_is_known() -> None:
    assert hours(TWO, items=0).same_people is None
    assert hours({}, items=0, people=0).more_answers == 0


def played() -> Played:
    study = Played(facts(9), settings())
    study.events.append(opened(list(study.units)))
    for person in "AB":
        items = (*(AssignedItem(u, "unit") for u in study.units), AssignedItem("rest", "rest", 0))
        study.events += [*joins(person), BatchAssigned(session="1", person=person, batch=1, items=items)]
    return study


def timed(study: Played, person: str, unit_id: str, seconds: float | None, **how: object) -> None:
    made = study.answer(person, unit_id, **how)  # type: ignore[arg-type]
    study.entries[-1] = replace(made, seconds=seconds)


def test_whatever_was_answered_counts_once_and_is_capped() -> None:
    study = played()
    timed(study, "A", "u0", 5.0, verdict="valid")
    timed(study, "A", "u1", 6.0, outcome="declined")
    timed(study, "A", "u2", 7.0, outcome="invalid")
    timed(study, "A", "rest", 8.0)
    timed(study, "A", "u3", 4000.0)  # over lunch
    timed(study, "A", "u4", None)
    study.edit(study.entries[0], seconds=9.0)  # thought again
    timed(study, "B", "u0", 3.0, session="")
    assert answer_times(study.counted()) == {"A": [9.0, 6.0, 7.0, 8.0, 300], "B": [3.0]}


def test_adjudications_and_people_who_withdrew_say_nothing() -> None:
    study = played()
    timed(study, "A", "u0", 5.0)
    timed(study, "B", "u0", 6.0)
    study.events += [
        PersonLeft(session="1", person="B", at=at(90), why="withdrew"),
        SessionClosed(session="1", at=at(99)),
        opened(["u0"], "2", kind="adjudication", overlap=1),
        *joins("A", "2"),
        BatchAssigned(session="2", person="A", batch=1, items=(AssignedItem("u1", "unit"),)),
    ]
    timed(study, "A", "u1", 60.0, session="2")
    assert answer_times(study.counted()) == {"A": [5.0]}
