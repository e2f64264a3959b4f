from __future__ import annotations

from nextset.records.exposure_total import ExposureTotal
from nextset.validation.plan.events import AssignedItem, BatchAssigned, BatchPushed
from nextset.validation.plan.exposure import (
    Exposure,
    exposure,
    exposure_table,
    exposure_totals,
)
from nextset.validation.plan.state import fold
from tests.validation.plan.sample_plans import Played, facts, gate_answer, joins, opened, settings


def read(played: Played) -> tuple[Exposure, ...]:
    return exposure(fold(played.events), played.counted(), played.units)


def play() -> Played:
    played = Played(facts(5), settings())
    played.events.append(opened(list(played.units)))
    for person in "AB":
        items = (*(AssignedItem(u, "unit") for u in played.units), AssignedItem("r", "rest", 0))
        played.events += [*joins(person), BatchAssigned(session="1", person=person, batch=1, items=items)]
    played.events.append(BatchPushed(session="1", person="A", batch=1))
    return played


def test_what_people_read() -> None:
    played = play()
    first = played.answer("A", "u0")
    played.edit(first, seconds=7.0)
    played.answer("A", "u1", outcome="declined")
    played.answer("A", "u2", outcome="skipped")
    played.answer("A", "r")
    played.answer("account-A", "u0", session="")
    a, b = read(played)
    # u0: 7 s after the change, once more 4 s in a file; u1, u2 and rest: 4 s each
    assert a == Exposure(
        person="A", given=5, read=3, by_domain={"d0": 2, "d1": 1}, declined={"d1": 1}, skipped=1, seconds=23.0
    )
    # What was not pushed was not given.
    assert b == Exposure(person="B", given=0, read=0, by_domain={}, declined={}, skipped=0, seconds=0.0)


def test_the_last_state_of_an_answer_says_what_it_was() -> None:
    played = play()
    first = played.answer("A", "u1", outcome="declined")
    before = read(played)[0]
    assert (before.declined, before.seconds) == ({"d1": 1}, 4.0)
    played.edit(first, outcome="judged", verdict="invalid", seconds=3.0)
    after = read(played)[0]
    # The server has said 4 s before, so it was not less.
    assert (after.read, after.declined, after.seconds) == (1, {}, 4.0)


def test_who_withdraws_has_read_too() -> None:
    played = play()
    played.answer("A", "u0")
    before = read(played)
    played.events.append(gate_answer("A", consent=False))
    assert read(played) == before


def test_what_a_file_does_not_say_whose_it_is_was_read_by_nobody_more() -> None:
    played = play()
    played.answer("A", "u0")
    before = read(played)
    played.answer("", "u0", session="", outcome="invalid")
    assert read(played) == before


def test_totals_name_nobody() -> None:
    played = play()
    for unit_id in ("u0", "u2", "u4", "u1"):
        played.answer("A", unit_id)
    played.answer("B", "u0", outcome="declined")
    played.answer("B", "gone")
    totals = exposure_totals(read(played))
    # A read 3 of d0 and 1 of d1, B 1 of d0 and 1 that is not known any more
    assert totals == (
        ExposureTotal(domain=None, people=2, items=6, fewest=2, median=3.0, most=4, declined=1),
        ExposureTotal(domain="", people=1, items=1, fewest=1, median=1.0, most=1, declined=0),
        ExposureTotal(domain="d0", people=2, items=4, fewest=1, median=2.0, most=3, declined=1),
        ExposureTotal(domain="d1", people=1, items=1, fewest=1, median=1.0, most=1, declined=0),
    )
    table = exposure_table(totals)
    assert table.num_rows == 4
    assert not {"person", "judge"} & set(table.column_names)
    assert exposure_totals([]) == ()
