"""Payable time: everything that was answered, capped, rounded up."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.plan.events import AssignedItem, BatchAssigned
from nextset.validation.report.payable_time import CAP, PayableTime, payable_csv, payable_time
from tests.validation.plan.sample_plans import Played, at, facts, joins, opened, settings


def played() -> Played:
    return Played(facts(9), settings())


def test_everything_that_was_answered_is_paid() -> None:
    study = played()
    # in files: the plan knows nobody, and the answers are there all the same
    first = study.answer("A", "u0", session="", verdict="valid")
    study.edit(first)
    for unit_id, outcome in (("u1", "declined"), ("u2", "skipped"), ("u3", "invalid")):
        study.answer("A", unit_id, session="", outcome=outcome)
    study.answer("B", "u0", session="")
    study.answer("", "u0", session="", outcome="invalid")  # it does not say who answered
    a, b = payable_time(study.counted())
    # 4 items of 4 s; the edited one is one item
    assert a == PayableTime(
        person="A", items=4, judged=1, declined=1, skipped=1, unreadable=1, altered=0, without_time=0,
        over_cap=0, cap_seconds=300, seconds=16, minutes=1,
    )  # fmt: skip
    assert (b.person, b.items, b.seconds) == ("B", 1, 4)


def test_a_row_that_moved_to_another_line_is_one_item() -> None:
    study = played()
    first = study.answer("A", "u0", session="")
    study.entries[:] = [replace(first, annotation="#3"), replace(first, annotation="#7", digest="another")]
    (row,) = payable_time(study.counted())
    assert (row.items, row.seconds) == (1, 4)


@given(st.lists(st.none() | st.floats(0, 10_000), max_size=9))
def test_the_cap_and_the_rounding(times: list[float | None]) -> None:
    study = played()
    for i, seconds in enumerate(times):
        made = study.answer("A", f"u{i}", session="")
        study.entries[-1] = type(made)(
            **{**{n: getattr(made, n) for n in made.__slots__}, "seconds": seconds}
        )
    rows = payable_time(study.counted())
    assert len(rows) == bool(times)
    for row in rows:
        exact = sum(min(t or 0.0, CAP) for t in times)
        assert row.items == len(times)
        assert exact - 1e-6 <= row.seconds < exact + 1 + 1e-6
        assert row.minutes * 60 >= row.seconds - 1
        assert row.over_cap == sum((t or 0) > CAP for t in times)
        assert row.without_time == sum(not t for t in times)


def test_the_csv() -> None:
    study = played()
    study.answer("A", "u0", session="")
    (row,) = csv.DictReader(io.StringIO(payable_csv(payable_time(study.counted())).decode()))
    assert row["person"] == "A"
    assert row["cap_seconds"] == "300"
    assert row["minutes"] == "1"
    assert payable_csv([]).decode().startswith("person,items,judged,declined,skipped,")


def test_an_item_is_paid_once_and_nobody_is_paid_for_anothers_project() -> None:
    study = played()
    study.events += [opened(list(study.units)), *joins("A"), *joins("B")]
    items = tuple(AssignedItem(u, "unit") for u in ("u0", "u1"))
    study.events.append(BatchAssigned(session="1", person="A", batch=1, items=items))
    study.answer("A", "u0")
    study.answer("A", "u0")  # deleted, and given again under another number
    study.answer("A", "u1", outcome="altered")  # Somebody had changed the text,
    study.answer("A", "u1")  # and it was asked again.
    intruder = study.answer("B", "u1", project="work-1-A")
    study.edit(intruder)
    (row,) = payable_time(study.counted())
    # u0 once, u1 twice: 3 × 4 s
    assert (row.person, row.items, row.judged, row.altered, row.seconds) == ("A", 3, 2, 1, 12)


def test_claims_beyond_the_times_of_the_answers_are_not_paid() -> None:
    study = played()
    study.events += [opened(list(study.units)), *joins("A")]
    items = tuple(AssignedItem(f"u{i}", "unit") for i in range(6))
    study.events.append(BatchAssigned(session="1", person="A", batch=1, items=items))
    for i in range(5):
        study.answer("A", f"u{i}")
    later = study.answer("A", "u5")
    study.entries[:] = [replace(e, seconds=100_000.0) for e in study.entries]
    study.entries[-1] = replace(study.entries[-1], answered_at=at(5 + 3600))
    assert later.session == "1"
    (row,) = payable_time(study.counted())
    # claimed: 6 × 300 s; possible: 300 s before the first, 4 × 1 s between five, 300 s of the hour after them
    assert (row.seconds, row.over_cap, row.ruled_out) == (604, 6, 1800 - 604)
    study.entries[:] = [
        replace(e, seconds=s) for e, s in zip(study.entries, (-5.0, None, 0.0, 2, 1, 9), strict=True)
    ]
    (row,) = payable_time(study.counted())
    assert (row.seconds, row.ruled_out) == (12, 0)
