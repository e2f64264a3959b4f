"""What people read in a session, before it is opened."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.state import fold
from nextset.validation.session.workload import Workload, least_people, workload
from tests.validation.plan.sample_plans import Played, facts, joins, opened, settings

PAIRS = (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))
GOLD = {f"g{i}": ItemFacts("d0", ("x", "y")) for i in range(30)}


def asked(n: int, overlap: int = 1) -> dict[str, int]:
    return dict.fromkeys(facts(n), overlap)


def of(people: int, n: int, overlap: int, gold: int = 0, **how: Any) -> Workload:
    some = dict(list(GOLD.items())[:gold])
    return workload(asked(n, overlap), people, settings(**how), facts(n, PAIRS), some)


def test_an_example_by_hand() -> None:
    # 30 units twice by 3 people: 20 judgments each. One of five items is gold: u u g u u u u g u u …, so
    # that 20 units come with 5 gold items. With a rest item after 10 others, batches of 12 hold 11 of these
    # and a rest item; 25 items are 11, 11 and 3: three batches, two rest items.
    found = of(3, 30, 2, gold=30, batch=12, gold_every=5, rest_every=10)
    assert found == Workload(
        judgments=60, gold=15, rest=6, items=81, items_a_person=27, batches_a_person=3, not_covered=0
    )


def test_a_person_reads_each_gold_item_once() -> None:
    assert of(3, 30, 2, gold=2, batch=12, gold_every=5).gold == 6


def test_items_of_the_same_groups_need_more_rest() -> None:
    alike = workload(asked(12), 1, settings(batch=20, run=3), facts(12, [("a", "b")]), {})
    assert (alike.rest, alike.batches_a_person) == (3, 1), "after each three"


def test_what_the_budget_does_not_cover_is_left() -> None:
    found = of(2, 100, 1, person=30)
    assert (found.judgments, found.not_covered) == (60, 40)
    assert least_people(asked(100), settings(person=30), 0) == 4
    assert of(4, 100, 1, person=30).not_covered == 0


def test_a_unit_needs_as_many_people_as_judge_it() -> None:
    assert least_people(asked(5, 3), settings(), 0) == 3
    found = of(2, 5, 3)
    assert (found.judgments, found.not_covered) == (10, 5)


def test_nothing_is_asked() -> None:
    assert least_people({}, settings(), 3) == 0
    nothing = Workload(
        judgments=0, gold=0, rest=0, items=0, items_a_person=0, batches_a_person=0, not_covered=0
    )
    assert workload({}, 0, settings(), {}, GOLD) == nothing
    assert workload({}, 4, settings(), {}, GOLD) == nothing


@given(
    st.dictionaries(st.sampled_from([f"u{i}" for i in range(40)]), st.integers(1, 4)),
    st.integers(1, 30), st.integers(1, 60), st.integers(2, 9), st.integers(0, 6), st.integers(1, 4),
)  # fmt: skip
def test_the_least_people_are_the_fewest_who_can(
    wanted: dict[str, int], batch: int, person: int, every: int, gold: int, run: int
) -> None:
    how = settings(batch, person, gold_every=every, run=run)
    some = dict(list(GOLD.items())[:gold])
    people = least_people(wanted, how, gold)
    found = workload(wanted, people, how, facts(40, PAIRS), some)
    assert found.not_covered == 0
    assert found.judgments == sum(wanted.values())
    if people:
        assert workload(wanted, people - 1, how, facts(40, PAIRS), some).not_covered > 0


@pytest.mark.parametrize(
    "how",
    [
        {"batch": 12, "rest_every": 6, "gold_every": 5},
        {"batch": 50, "rest_every": 10, "gold_every": 20},
        {"batch": 20, "rest_every": 10, "gold_every": 8, "run": 1},
    ],
)
def test_a_session_has_about_as_many_items(how: dict[str, Any]) -> None:
    """The same units and people, with the batches that a session assigns."""
    n, people = 240, "ABCD"
    played = Played(facts(n, PAIRS), settings(overlap=2, **how), GOLD)
    played.events.append(opened(list(played.units), overlap=2))
    for person in people:
        played.events += joins(person)
    while played.deal():
        for person in people:
            for unit_id in sorted(played.assigner().coverage.open_items(person)):
                played.answer(person, unit_id)
    session = fold(played.events).sessions["1"]
    real = Counter(i.part for p in session.people.values() for i in p.items.values())
    planned = of(4, n, 2, gold=30, **how)
    assert planned.judgments == real["unit"] == 480
    assert planned.gold == pytest.approx(real["gold"], abs=len(people))
    assert planned.items == pytest.approx(real.total(), rel=0.05)
    longest = max(len(p.batches) for p in session.people.values())
    assert planned.batches_a_person == pytest.approx(longest, abs=2)
