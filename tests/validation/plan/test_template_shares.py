"""The interval that holds at every look, and the templates whose units wait."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.interval import Interval, wilson
from nextset.validation.plan.domains_and_groups import ItemFacts
from nextset.validation.plan.events import BatchAssigned, SessionOpened
from nextset.validation.plan.sequential_interval import sequential_interval
from nextset.validation.plan.template_shares import template_shares
from tests.validation.plan.sample_plans import Played, joins, opened, settings


def test_the_upper_end_without_a_hit_by_hand() -> None:
    """M(u) = ∫ ((1 − tu)/(1 − u))ⁿ dt = (1 − (1 − u)ⁿ⁺¹) / ((n + 1) u (1 − u)ⁿ) is 40 at the end."""
    for n in (5, 24, 100):
        found = sequential_interval(0, n)
        assert found is not None
        u = found.high
        assert (1 - (1 - u) ** (n + 1)) / ((n + 1) * u * (1 - u) ** n) == pytest.approx(40)
        assert (found.low, found.point) == (0, 0)
    # a floor of 0.2 takes 24 units of which none is valid: 23 leave the end above it
    ends = [sequential_interval(0, n) for n in (23, 24)]
    assert [end is not None and end.high < 0.2 for end in ends] == [False, True]
    assert sequential_interval(0, 0) is None


@given(st.integers(0, 60), st.integers(0, 60))
def test_it_is_wider_than_an_interval_for_one_look(hits: int, others: int) -> None:
    n = hits + others
    found, once = sequential_interval(hits, n), wilson(hits, n)
    if found is None or once is None:
        assert n == 0
        return
    assert 0 <= found.low <= found.point <= found.high <= 1
    assert found.high >= once.high - 1e-9
    assert found.low <= once.low + 1e-9
    mirrored = sequential_interval(others, n)
    assert mirrored is not None
    assert mirrored.high == pytest.approx(1 - found.low)


def test_looking_after_every_unit_misses_the_floor_as_rarely_as_it_says() -> None:
    """Of 2,000 templates whose share is the floor, at most 1 in 40 is ever below it; Wilson's: far more."""
    random = np.random.default_rng(0)
    hits = (random.random((2000, 150)) < 0.3).cumsum(axis=1)

    def missed(interval: Callable[[int, int], Interval | None]) -> float:
        few, ever = 0, np.zeros(2000, np.bool_)
        for n in range(1, 151):
            while (end := interval(few, n)) is not None and end.high < 0.3:
                few += 1  # fewer hits than this leave the interval below the floor
            ever |= hits[:, n - 1] < few
        return float(ever.mean())

    assert missed(sequential_interval) <= 0.025
    assert missed(wilson) > 0.1


def test_shares_by_template() -> None:
    facts = {f"u{i}": ItemFacts("d", (), "bad" if i < 40 else "good" if i < 45 else None) for i in range(50)}
    valid = {**{f"u{i}": False for i in range(30)}, **{f"u{i}": True for i in (40, 41, 45)}}
    enough = {*valid, "u30"}  # u30 has a tie
    bad, good = template_shares(facts, valid, enough, 0.2)
    # 40 units less 30 with a verdict and one with a tie
    assert (bad.template, bad.units, bad.judged, bad.valid, bad.waiting) == ("bad", 40, 30, 0, 9)
    assert bad.high < 0.2
    assert (good.template, good.units, good.judged, good.valid, good.waiting) == ("good", 5, 2, 2, 0)
    assert [s.waiting for s in template_shares(facts, valid, enough, None)] == [0, 0]
    # below the end of its interval no template waits
    assert [s.waiting for s in template_shares(facts, valid, enough, bad.high)] == [0, 0]


def queue(stop_below: float | None) -> tuple[Played, list[str]]:
    """A session with 60 units, those with an even number of a template that no answer calls valid."""
    units = {f"u{i:02}": ItemFacts("d0", (f"g{i}",), "bad" if i % 2 == 0 else "good") for i in range(60)}
    played = Played(units, settings(batch=60, run=60, rest_every=200, gold_every=50, overlap=1))
    order = sorted(units)
    played.events.append(opened(order, overlap=1, stop_below=stop_below))
    played.events += joins("A")
    for unit_id in order[:50]:
        verdict = "invalid" if int(unit_id[1:]) % 2 == 0 else "valid"
        played.answer("C", unit_id, session="", verdict=verdict)
    return played, order


def test_units_of_a_poor_template_wait_at_the_end_and_are_never_dropped() -> None:
    played, order = queue(0.2)
    played.settings = settings(batch=3, run=60, rest_every=200, gold_every=50, overlap=1)
    first = played.deal()[0]
    # of the ten that are left the five of the good template come first, in windows of three
    assert {item.unit_id for item in first.items} == {"u51", "u53", "u55"}
    (share,) = played.assigner().waiting_templates()
    assert (share.template, share.judged, share.valid, share.waiting) == ("bad", 25, 0, 5)
    assert sorted(answer_everything(played, first)) == order[50:]


def answer_everything(played: Played, batch: BatchAssigned) -> list[str]:
    """The units in the order in which A answers them."""
    done: list[str] = []
    while True:
        for item in batch.items:
            if item.part == "unit":
                played.answer("A", item.unit_id, verdict="valid")
                done.append(item.unit_id)
            else:
                played.answer("A", item.unit_id)
        dealt = played.deal()
        if not dealt:
            return done
        batch = dealt[0]


@pytest.mark.parametrize("stop_below", [None, 0.01])
def test_without_a_floor_or_above_it_nothing_waits(stop_below: float | None) -> None:
    played, _ = queue(stop_below)
    assert played.assigner().waiting_templates() == ()


def test_what_was_assigned_stays_and_the_log_gives_the_same_batches() -> None:
    played, order = queue(0.2)
    answers, played.entries = played.entries, []
    played.settings = settings(batch=4, run=60, rest_every=200, gold_every=50, overlap=1)
    before = played.deal()[0]
    assert {item.unit_id for item in before.items} == set(order[:4])
    played.entries = answers[4:]
    held = played.assigner().coverage.open_items("A")
    assert held == set(order[:4])
    for unit_id in sorted(held):
        played.answer("A", unit_id, verdict="valid")
    again = Played(played.units, played.settings)
    again.events, again.entries = list(played.events), list(played.entries)
    assert played.deal() == again.deal()


def test_a_log_without_a_floor_is_read() -> None:
    from dataclasses import asdict

    from nextset.files.json_records import dataclass_of

    fields = asdict(opened(["u1"]))
    del fields["stop_below"]
    assert dataclass_of(fields, SessionOpened).stop_below is None
