"""A fractional overlap: exactly a share of the units is drawn for one more judgment, by seed."""

from __future__ import annotations

import math
import random
from dataclasses import asdict, replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.agreement.bootstrap import BOOTSTRAP
from nextset.validation.agreement.counted_answers import counted_answers
from nextset.validation.agreement.study_coefficients import reported_agreement
from nextset.validation.judgments.judgment_log import append
from nextset.validation.plan.event_log import EventLog, append_events, read_events
from nextset.validation.plan.events import SessionOpened
from nextset.validation.plan.judgments_per_unit import judgments_per_unit
from nextset.validation.plan.state import fold
from nextset.validation.session.open import session_materials
from nextset.validation.session.organiser_warnings import opening_warnings, session_warnings
from nextset.validation.session.session_status import session_status
from tests.validation.plan.sample_plans import Played, entry, facts, joins, opened, settings
from tests.validation.report.test_data_collection import unit_table
from tests.validation.session.sample_study import SESSION, made_study

OVERLAPS = st.integers(10, 500).map(lambda tenths: tenths / 10) | st.floats(1, 50)
UNITS = st.lists(st.uuids().map(lambda u: u.hex), unique=True, max_size=60)


@given(OVERLAPS, UNITS, st.integers(0, 5))
def test_all_units_together_have_as_many_judgments_as_the_overlap_says(
    overlap: float, units: list[str], seed: int
) -> None:
    asked = judgments_per_unit(overlap, units, seed)
    exact = Decimal(str(overlap)) * len(units)
    assert sum(map(asked.of, units)) == int(exact.quantize(Decimal(1), ROUND_HALF_UP))
    assert {asked.of(u) for u in units} <= {math.floor(overlap), math.ceil(overlap)}
    assert asked.most == max((asked.of(u) for u in units), default=math.floor(overlap))
    assert asked.of("of another session") == math.floor(overlap)


@given(UNITS, st.integers(0, 5), st.randoms())
def test_the_same_units_whatever_their_order(units: list[str], seed: int, shuffle: random.Random) -> None:
    shuffled = shuffle.sample(units, len(units))
    assert judgments_per_unit(1.2, units, seed) == judgments_per_unit(1.2, shuffled, seed)


@given(UNITS, st.integers(0, 5), OVERLAPS, OVERLAPS)
def test_the_units_of_a_smaller_share_are_among_those_of_a_larger(
    units: list[str], seed: int, one: float, other: float
) -> None:
    fewer, more = sorted((judgments_per_unit(x, units, seed).drawn for x in (one, other)), key=len)
    assert fewer <= more


def test_the_overlap_counts_as_it_is_written() -> None:
    # 1.1 is a little more than 11/10 as a float: 0.1 of 5 is half a unit, and of 15 one and a half
    sizes = [len(judgments_per_unit(1.1, [f"u{i}" for i in range(n)], 0).drawn) for n in (4, 5, 14, 15, 25)]
    assert sizes == [0, 1, 1, 2, 3]


def test_another_seed_draws_others() -> None:
    units = [f"u{i}" for i in range(100)]
    drawn = [judgments_per_unit(1.2, units, seed).drawn for seed in range(20)]
    assert {len(d) for d in drawn} == {20}
    assert len(set(drawn)) == 20


def test_the_drawn_units_are_no_more_often_among_the_first() -> None:
    """They would be judged before annotators have practice, and agreement would be that of beginners."""
    played = Played(facts(400), settings())
    order = sorted(played.units)
    drawn = judgments_per_unit(1.5, order, 0).drawn
    assert 70 < sum(u in drawn for u in order[:200]) < 130


def play(overlap: float, n: int = 50, people: str = "ABCD", **others: object) -> Played:
    played = Played(facts(n), settings(overlap=overlap))
    played.events.append(opened(list(played.units), overlap=overlap, **others))  # type: ignore[arg-type]
    for person in people:
        played.events += joins(person)
    return played


def to_the_end(played: Played) -> None:
    while played.deal():
        for person in fold(played.events).sessions["1"].people:
            for unit_id in sorted(played.assigner().coverage.open_items(person)):
                played.answer(person, unit_id, verdict="valid")


@pytest.mark.parametrize("overlap", [1, 1.2, 1.5, 2.26])
def test_a_session_asks_for_exactly_these(overlap: float) -> None:
    played = play(overlap)
    to_the_end(played)
    session = fold(played.events).sessions["1"]
    given_ = [c.entry.unit_id for c in played.counted() if c.is_verdict]
    assert len(given_) == round(50 * overlap)
    assert all(given_.count(u) == session.asked.of(u) for u in played.units)
    assert {c.why_not for c in played.counted()} == {""}
    coverage = played.assigner().coverage
    assert all(coverage.enough(u) for u in played.units)
    assert not coverage.missing("u0")


def test_agreement_is_of_the_units_that_were_judged_twice() -> None:
    played = play(1.2)
    to_the_end(played)
    rows = reported_agreement(
        "nli", counted_answers(played.counted()), [], unit_table(played), enough=None, bootstrap=BOOTSTRAP
    )
    found = next(r for r in rows if (r.name, r.by, r.of) == ("per_cent", "all", "verdict"))
    assert (found.value, found.units, found.ratings) == (100, 10, 20)
    assert found.note == "from units with two ratings or more: 10; units excluded with one rating: 40"


def test_the_log_holds_what_says_which_units_were_drawn(tmp_path: Path) -> None:
    units = [f"u{i}" for i in range(10)]
    append_events(tmp_path, [opened(units, overlap=1.2)])
    again = fold(read_events(tmp_path).events).sessions["1"]
    assert again.asked == judgments_per_unit(1.2, units, 0)
    assert len(again.asked.drawn) == 2


def test_a_log_of_whole_numbers_is_read_and_written_as_before(tmp_path: Path) -> None:
    append_events(tmp_path, [opened(["u0"])])
    (event,) = read_events(tmp_path).events
    assert isinstance(event, SessionOpened)
    assert event == opened(["u0"])
    assert isinstance(event.overlap, int)
    assert '"overlap": 3,' in (tmp_path / "plan.jsonl").read_text()
    assert asdict(replace(event, overlap=1.2))["overlap"] == 1.2


def test_without_a_session_the_settings_draw_from_all_units(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 10, SESSION + "    overlap: 1.2\n")
    units = sorted(session_materials(study).unit_ids)
    append(study.judgments, [entry(u, "A", f"#{i}", session="") for i, u in enumerate(units)])
    found = session_status(study)
    assert found is not None
    assert (found.enough, found.begun) == (8, 2)


def test_the_organiser_hears_how_many_units_need_another_annotator(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 10, SESSION + "    overlap: 1.2\n")
    materials = session_materials(study)
    event = opened(sorted(materials.unit_ids), overlap=1.2, key=materials.key_name,
                   guidelines=materials.briefing.version)  # fmt: skip
    append_events(study.judgments, [event, *joins("A")])
    said = session_warnings(materials, EventLog(study.judgments))
    assert any(w.startswith("2 units need 2 annotators and the session has 1: ") for w in said)
    unchecked = "no native speaker has checked the page's wording in 'en'"
    assert unchecked not in said, "it is said when people are invited, not at every pull"
    assert opening_warnings(materials, EventLog(study.judgments)) == (unchecked, *said)
