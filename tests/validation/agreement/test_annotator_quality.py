"""Annotators by hand, and the intervals against statsmodels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from nextset.interval import difference, wilson
from nextset.records.arrow_schema import table_of
from nextset.validation.agreement.annotator_quality import JudgeRow, SpeedRow, judge_rows, speed_rows
from nextset.validation.agreement.answers_by_annotator import Answer, first_raters, others_label
from nextset.validation.agreement.coefficients import per_cent
from nextset.validation.agreement.confusion import ConfusionRow, confusion_rows
from nextset.validation.agreement.ratings import Rating, Votes


def answer(judge: str, unit: str, label: str | None, order: int = 0, seconds: float | None = None) -> Answer:
    at = f"2026-01-01T{order:06}"
    return Answer(unit_id=unit, judge=judge, label=label, answered_at=at, seconds=seconds)


def said(judge: str, labels: str) -> list[Answer]:
    """One character a unit, in order; a full stop where the judge declined."""
    return [answer(judge, f"u{i}", None if c == "." else c, i, 2.0 * i) for i, c in enumerate(labels)]


def test_what_the_others_say() -> None:
    found = others_label([*said("1", "vvv."), *said("2", "viv."), *said("3", "vi.v")])
    assert {at: label for at, label in found.items() if at[1] == "1"} == {
        ("u0", "1"): "v", ("u1", "1"): "i", ("u2", "1"): "v",
    }  # fmt: skip
    # On u1 the others of judge 2 are v and i: a tie. On u3 judge 3 is alone.
    assert ("u1", "2") not in found
    assert ("u3", "3") not in found


def test_the_first_raters_of_a_unit() -> None:
    answers = [
        answer("1", "u", "v", 3), answer("2", "u", None, 1), answer("3", "u", "i", 2),
        answer("4", "u", "v", 4), answer("1", "w", "v", 9),
    ]  # fmt: skip
    assert first_raters(answers, 2) == {("u", "1"), ("u", "3"), ("w", "1")}


def test_votes_asked_for_only_on_disagreement_would_lower_the_agreement() -> None:
    # Four units on which the first two agree, and one with a third vote: 4 of 5 pairs, not 5 of 7.
    labels = {"a": "vv", "b": "ii", "c": "vv", "d": "ii", "e": "viv"}
    answers = [answer(str(j), u, c, j) for u, said in labels.items() for j, c in enumerate(said)]
    first = first_raters(answers, 2)
    asked = [Rating(a.unit_id, a.judge, a.label or "") for a in answers if (a.unit_id, a.judge) in first]
    assert per_cent(Votes.of(asked)).value == 80.0


def test_a_row_by_hand() -> None:
    gold = {"g1": "v", "g2": "i"}
    rows = judge_rows(
        [
            *said("1", "vvvvvi"), *said("2", "vvvvv."), *said("3", "vvvviv"),
            answer("1", "g1", "v", 10, 4.0), answer("1", "g2", "v", 11, 4.0), answer("2", "g1", None, 12),
        ],
        gold,
    )  # fmt: skip
    one, two, three = rows
    # Judge 1: on u0 to u3 the others say v; on u4 they tie; on u5 judge 3 alone says v, and judge 1 says i.
    assert (one.judged, one.declined, one.others_n, one.others) == (6, 0, 5, wilson(4, 5))
    assert (one.gold_n, one.gold) == (2, wilson(1, 2))
    # The first third is u0, the last one u5 (one unit each): from 1 to 0.
    assert (one.first, one.last) == (1.0, 0.0)
    assert one.drift is not None
    assert one.drift.point == -1.0
    # Times 0, 2, 4, 6, 8, 10 and twice 4.
    assert one.seconds_median == 4.0
    assert (two.judged, two.declined, two.declined_share, two.gold_n) == (5, 1, 1 / 6, 0)
    assert two.gold is None
    # Judge 3 said i of u4, where the others say v, and v of u5, where judge 1 alone says i.
    assert (three.others_n, three.others) == (6, wilson(4, 6))
    assert table_of(rows, JudgeRow).num_rows == 3


def test_no_drift_and_no_speed_over_time_without_times() -> None:
    answers = [*said("1", "vvvvvi"), *said("2", "vvvvvv"), *said("3", "vvvvvv")]
    ordered = judge_rows(answers, {})[0]
    assert (ordered.first, ordered.last) == (1.0, 0.5)  # two units each, the last of them i
    midnight = "2026-01-01T00:00:00+00:00"
    for at in ("", midnight):  # unknown, or of a table with days only: the order would be that of ids
        rows = judge_rows([replace(a, answered_at=at) for a in answers], {})
        assert [(row.first, row.last, row.drift) for row in rows] == [(None, None, None)] * 3
        assert rows[0].others == ordered.others
    one_unknown = [replace(answers[0], answered_at=""), *answers[1:]]
    assert [row.drift is None for row in judge_rows(one_unknown, {})] == [True, False, False]
    assert speed_rows([replace(a, answered_at="") for a in answers]) == []


def test_confusion_by_hand() -> None:
    found = confusion_rows(
        [*said("1", "vi."), *said("2", "vv."), *said("3", "vvi"), answer("1", "g", "i")], {"g": "v"}
    )

    def row(judge: str, reference: str, label: str, n: int, gold: bool = False) -> ConfusionRow:
        return ConfusionRow(
            judge=judge, against="gold" if gold else "others", reference=reference, said=label, n=n
        )

    # Judges 2 and 3 have a tie on u1; nobody else judged u2.
    assert found == [
        row("1", "v", "i", 1, gold=True), row("1", "v", "i", 1), row("1", "v", "v", 1),
        row("2", "v", "v", 1), row("3", "v", "v", 1),
    ]  # fmt: skip


def test_speed_by_tenths() -> None:
    answers = [answer("1", f"u{i}", "v", i, float(i)) for i in range(20)]
    found = speed_rows([*answers[::-1], answer("2", "u", "v", 0, None), answer("3", "u", "v", 0, 7.0)])
    assert [r.seconds_median for r in found if r.judge == "1"] == [2 * i + 0.5 for i in range(10)]
    assert found[-1] == SpeedRow(judge="3", decile=1, answers=1, seconds_median=7.0)
    assert {r.judge for r in found} == {"1", "3"}


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_the_interval_of_a_difference_is_that_of_statsmodels(a: int, n: int, b: int, m: int) -> None:
    first, last = wilson(min(a, n), n), wilson(min(b, m), m)
    assert first is not None
    assert last is not None
    found = difference(first, last)
    low, high = confint_proportions_2indep(min(b, m), m, min(a, n), n, compare="diff", method="newcomb")
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)
    assert found.low - 1e-12 <= found.point <= found.high + 1e-12
