"""Goodness of fit, with scipy and worked arithmetic as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nextset.extensions.ambiguity.retrieval.crossed_variance import FEW_TITLES, CrossedClusters
from nextset.extensions.ambiguity.retrieval.goodness_of_fit import FitTest, cohens_w_interval, goodness_of_fit


def fit(groups: list[int], base: list[float], questions: list[int], titles: list[int]) -> FitTest:
    rows = np.tile(np.array(base), (len(groups), 1))
    clusters = CrossedClusters(np.array(questions, np.int64), np.array(titles, np.int64))
    return goodness_of_fit(np.array(groups, np.int64), rows, clusters)


def test_worked_arithmetic() -> None:
    # 2 of 10 against ½: (2 − 5)² / 5 + (8 − 5)² / 5 = 3.6; w = √(3.6 / 10) = 0.6
    found = fit([0] * 2 + [1] * 8, [0.5, 0.5], [0] * 10, list(range(10)))
    assert found.chi_squared == pytest.approx(3.6)
    assert found.effect == pytest.approx(0.6)
    assert found.degrees == 1
    assert found.p == found.p_design == pytest.approx(stats.chi2.sf(3.6, 1))
    assert (found.method, found.design_effect, found.note) == ("chi-squared", 1.0, None)


def test_small_expected_counts_of_two_groups_are_tested_exactly() -> None:
    found = fit([0] * 4, [0.5, 0.5], [0] * 4, list(range(4)))
    assert found.method == "exact binomial"
    assert found.p == pytest.approx(2 * 0.5**4)  # all four alike, on either side


def test_small_expected_counts_of_three_groups_are_noted() -> None:
    found = fit([0, 1, 2, 2], [0.5, 0.25, 0.25], [0] * 4, list(range(4)))
    assert found.method == "chi-squared"
    assert found.note is not None


def test_degenerate_cases_say_why() -> None:
    empty = np.zeros((0, 2))
    none = goodness_of_fit(np.zeros(0, np.int64), empty, CrossedClusters(*(np.zeros(0, np.int64),) * 2))
    assert none == FitTest(n=0, note="no row has a known group and a base rate")
    zero = fit([0, 1], [1.0, 0.0], [0, 0], [0, 1])
    assert (zero.p, zero.chi_squared) == (None, None)
    assert zero.note is not None


def test_passages_of_one_person_count_once() -> None:
    # ten people with three passages each: chi-squared is three times too large
    groups = [0] * 6 + [1] * 24
    found = fit(groups, [0.5, 0.5], [0] * 30, [i // 3 for i in range(30)])
    assert found.chi_squared == pytest.approx(10.8)
    assert found.design_effect == pytest.approx(3)
    assert found.p_design == pytest.approx(stats.chi2.sf(3.6, 1))


def test_questions_that_find_the_same_people_add_nothing() -> None:
    groups = [0] * 2 + [1] * 8
    found = fit(groups * 5, [0.5, 0.5], [q for q in range(5) for _ in groups], list(range(10)) * 5)
    assert found.chi_squared == pytest.approx(18)
    # five times the same ten people: each question adds nothing
    assert found.design_effect == pytest.approx(5)
    assert found.freedom == pytest.approx(9)  # ten people
    assert found.p_design == pytest.approx(stats.f.sf(3.6, 1, 9))


@given(
    counts=st.lists(st.integers(0, 30), min_size=2, max_size=4).filter(lambda c: sum(c) > 0),
    weights=st.lists(st.floats(0.05, 1), min_size=4, max_size=4),
)
def test_the_published_test_is_that_of_scipy(counts: list[int], weights: list[float]) -> None:
    base = np.array(weights[: len(counts)]) / sum(weights[: len(counts)])
    groups = [g for g, n in enumerate(counts) for _ in range(n)]
    found = fit(groups, base.tolist(), [0] * len(groups), list(range(len(groups))))
    oracle = stats.chisquare(counts, base * sum(counts))
    assert found.chi_squared == pytest.approx(oracle.statistic)
    if found.method == "chi-squared":
        assert found.p == pytest.approx(oracle.pvalue)
    else:
        exact = stats.binomtest(counts[0], sum(counts), base[0])
        assert found.p == pytest.approx(exact.pvalue)
    if len(groups) < FEW_TITLES:
        assert (found.p_design, found.effect_low) == (None, None)
        return
    assert found.effect_low is not None
    assert found.effect_high is not None
    assert found.effect is not None
    assert 0 <= found.effect_low <= found.effect + 1e-9
    assert found.effect_high >= found.effect - 1e-9


def test_the_interval_of_cohens_w_holds_what_its_quantiles_say() -> None:
    low, high = cohens_w_interval(10.0, 1, 100)
    assert stats.ncx2.sf(10.0, 1, low**2 * 100) == pytest.approx(0.025, abs=1e-6)
    assert stats.ncx2.cdf(10.0, 1, high**2 * 100) == pytest.approx(0.025, abs=1e-6)
    assert cohens_w_interval(0.0, 1, 100)[0] == 0
