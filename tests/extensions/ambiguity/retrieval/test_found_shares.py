"""Shares of groups among what is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.retrieval.found_shares import (
    corrected_tests,
    cutoffs,
    group_shares,
    group_tests,
)
from nextset.extensions.ambiguity.retrieval.retrieval_records import GroupShare, Scope
from nextset.interval import wilson
from tests.extensions.ambiguity.retrieval.found import found_by


def shares(rows: list[GroupShare], scope: Scope, part: str = "") -> dict[str, GroupShare]:
    return {s.group: s for s in rows if (s.scope, s.part) == (scope, part)}


def test_a_worked_example() -> None:
    # Who is a nurse? Ada (f), Bo (m), Ada again, Cy (unknown); base rate ¾ women
    found = found_by(
        [(0, "Ada", "f"), (0, "Bo", "m"), (0, "Ada", "f"), (0, "Cy", "?")], ["nurse"], (0.75, 0.25)
    )
    female = shares(list(group_shares(found, ("all",))), "all")["female"]
    assert (female.count, female.known, female.unknown, female.titles) == (2, 3, 1, 3)
    assert female.share == pytest.approx(2 / 3)
    assert female.disparity == pytest.approx(2 / 3 - 0.75)
    assert female.ratio == pytest.approx(2 / 3 / 0.75)
    assert female.design_effect == pytest.approx((4 + 1) / 3)  # two passages on Ada: Σm² / Σm
    assert (female.low, female.disparity_low) == (None, None)  # of two people alone
    once = shares(list(group_shares(found.titles(), ("all",))), "all")["female"]
    assert (once.count, once.known, once.share, once.counted) == (1, 2, 0.5, "titles")


def test_the_interval_of_one_question_is_wilsons_of_its_titles() -> None:
    # six people, the first with two passages: Σm² / Σm = (4 + 5) / 7
    rows = [(0, "Ada", "f"), *((0, f"p{i}", "f" if i < 2 else "m") for i in range(5)), (0, "Ada", "f")]
    female = shares(list(group_shares(found_by(rows, ["nurse"], (0.75, 0.25)), ("all",))), "all")["female"]
    assert female.design_effect == pytest.approx(9 / 7)
    assert female.freedom is None
    n = 7 / (9 / 7)
    expected = wilson(4 / 7 * n, n)
    assert expected is not None
    assert female.low == pytest.approx(expected.low)
    assert female.disparity_high == pytest.approx(expected.high - 0.75)


def test_occupations_and_questions_are_parts_of_all() -> None:
    rows = [(q, f"p{q}{i}", "f" if i < q else "m") for q in range(4) for i in range(3)]
    found = found_by(rows, ["nurse", "nurse", "judge", ""])
    every = list(group_shares(found, ("all", "occupation", "question")))
    assert shares(every, "all")["female"].count == 6
    assert shares(every, "occupation", "nurse")["female"].count == 1
    assert shares(every, "occupation", "judge")["female"].count == 2
    assert [shares(every, "question", f"q{i}")["female"].count for i in range(4)] == [0, 1, 2, 3]
    assert {s.part for s in every if s.scope == "occupation"} == {"nurse", "judge"}


def test_questions_without_a_base_rate_have_shares_but_are_not_compared() -> None:
    found = found_by([(0, "Ada", "f"), (1, "Bo", "m")], ["nurse", "judge"], (0.5, 0.5))
    base = found.base.copy()
    base[1] = np.nan
    female = shares(list(group_shares(replace(found, base=base), ("all",))), "all")["female"]
    assert (female.share, female.known, female.compared) == (0.5, 2, 1)
    assert (female.disparity, female.base_rate) == (0.5, 0.5)


def test_base_rates_that_fit_each_occupation_leave_no_disparity() -> None:
    rows = [(q, f"p{q}{i}", "f" if i < 8 * (q % 2) + 1 else "m") for q in range(8) for i in range(10)]
    found = found_by(rows, ["judge", "nurse"] * 4)
    base = np.tile([[0.1, 0.9], [0.9, 0.1]], (4, 1))
    female = shares(list(group_shares(replace(found, base=base), ("all",))), "all")["female"]
    assert female.disparity == pytest.approx(0)
    (test,) = group_tests(replace(found, base=base), ("all",))
    assert test.chi_squared == pytest.approx(0)


def test_nobody_known() -> None:
    found = found_by([(0, "Ada", "?")], ["nurse"])
    female = shares(list(group_shares(found, ("all",))), "all")["female"]
    assert (female.share, female.low, female.disparity, female.ratio) == (None, None, None, None)
    (test,) = group_tests(found, ("all",))
    assert test.p is None
    assert test.note is not None


def test_questions_without_an_answer_are_counted() -> None:
    answers = found_by([(0, "Ada", "f")], ["nurse", "judge"], counted="answers")
    female = shares(list(group_shares(answers, ("all",))), "all")["female"]
    assert (female.known, female.unknown) == (1, 1)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from("ABCDEF"), st.sampled_from("fm?")),
        min_size=1,
        max_size=40,
    )
)
def test_counts_add_up(rows: list[tuple[int, str, str]]) -> None:
    of_title = {title: group for _, title, group in rows}
    found = found_by([(q, t, of_title[t]) for q, t, _ in rows], ["a", "a", "b", "b", "c"])
    every = list(group_shares(found, ("all", "occupation", "question")))
    for own in ([s for s in every if s.scope == scope] for scope in ("all", "occupation", "question")):
        female = [s for s in own if s.group == "female"]
        male = [s for s in own if s.group == "male"]
        assert sum(s.known + s.unknown for s in female) == len(rows)
        for one, other in zip(female, male, strict=True):
            assert one.count + other.count == one.known
            if one.share is not None and other.share is not None:
                assert one.share + other.share == pytest.approx(1)
                assert one.disparity == pytest.approx(-(other.disparity or 0))
                assert (one.disparity_low is None) == (other.disparity_high is None)
                if one.disparity_low is not None:
                    assert one.disparity_low == pytest.approx(-(other.disparity_high or 0), abs=1e-9)


def test_the_first_passages() -> None:
    assert cutoffs(100) == (1, 5, 10, 20, 50, 100)
    assert cutoffs(7) == (1, 5, 7)
    assert cutoffs(1) == (1,)
    found = found_by([(0, "Ada", "f"), (0, "Bo", "m"), (1, "Cy", "m")], ["a", "b"])
    assert [s.count for s in group_shares(found.at(1), ("all",))] == [1, 1]


def test_p_values_are_corrected_within_their_scope() -> None:
    rows = [(q, f"p{q}{i}", "f" if i < 2 else "m") for q in range(3) for i in range(20)]
    tests = corrected_tests(list(group_tests(found_by(rows, ["a", "b", "c"]), ("all", "question"))))
    one, three = tests[0], tests[1:]
    assert (one.comparisons, one.p_corrected) == (1, one.p_design)
    assert {t.comparisons for t in three} == {3}
    assert three[0].p_design is not None
    assert three[0].p_corrected == pytest.approx(3 * three[0].p_design)
