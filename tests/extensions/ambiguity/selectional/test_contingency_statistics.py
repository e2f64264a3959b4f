"""The statistics against scipy and statsmodels, and worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable, Table2x2, mcnemar

from nextset.extensions.ambiguity.selectional.contingency_statistics import (
    chi_squared_test,
    cramers_v,
    mantel_haenszel,
    mcnemar_exact,
    odds_ratio,
)

COUNTS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=2, max_size=5)
STRATA = st.lists(st.tuples(*[st.tuples(st.integers(1, 30), st.integers(1, 30))] * 2), min_size=1, max_size=6)


def test_worked_by_hand() -> None:
    """30 of 100 and 50 of 100: 40 are expected in each, χ² = 4 · 10² (1/40 · ½ + 1/60 · ½) = 25/3 ≈ 8.33."""
    counts = np.array([[30.0, 70.0], [50.0, 50.0]])
    found = chi_squared_test(counts)
    assert found is not None
    assert found.statistic == pytest.approx(100 / 40 * 2 + 100 / 60 * 2)
    assert (found.degrees, found.least_expected) == (1, 40)
    assert cramers_v(counts) == pytest.approx(math.sqrt(found.statistic / 200))
    odds = odds_ratio(counts)
    assert odds is not None
    assert odds.point == pytest.approx(30 * 50 / (70 * 50))


@given(counts=COUNTS)
def test_chi_squared_is_that_of_scipy(counts: list[tuple[int, int]]) -> None:
    table = np.array(counts, np.float64)
    found, known = chi_squared_test(table), scipy.stats.chi2_contingency(table, correction=False)
    assert found is not None
    assert found.statistic == pytest.approx(known.statistic, abs=1e-9)
    assert found.p == pytest.approx(known.pvalue, abs=1e-12)
    assert found.degrees == known.dof
    assert cramers_v(table) == pytest.approx(
        scipy.stats.contingency.association(table.astype(int), method="cramer"), abs=1e-9
    )


@given(counts=st.tuples(*[st.tuples(st.integers(1, 60), st.integers(1, 60))] * 2))
def test_the_odds_ratio_is_that_of_statsmodels(counts: tuple[tuple[int, int], ...]) -> None:
    found, known = odds_ratio(np.array(counts, np.float64)), Table2x2(np.array(counts), shift_zeros=False)
    assert found is not None
    assert (found.low, found.point, found.high) == pytest.approx(
        (known.oddsratio_confint()[0], known.oddsratio, known.oddsratio_confint()[1])
    )


@given(strata=STRATA)
def test_mantel_haenszel_is_that_of_statsmodels(strata: list[tuple[tuple[int, int], ...]]) -> None:
    counts = np.array(strata, np.float64)
    found, known = mantel_haenszel(counts), StratifiedTable([np.array(table) for table in strata])
    assert found.odds is not None
    assert found.strata == len(strata)
    assert found.odds.point == pytest.approx(known.oddsratio_pooled)
    assert (found.odds.low, found.odds.high) == pytest.approx(known.oddsratio_pooled_confint())
    test = known.test_null_odds(correction=False)
    assert found.statistic == pytest.approx(test.statistic, abs=1e-9)
    assert found.p == pytest.approx(test.pvalue, abs=1e-12)


@given(first=st.integers(0, 40), second=st.integers(0, 40))
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    found = mcnemar_exact(first, second)
    if first + second == 0:
        assert found is None
        return
    assert found == pytest.approx(mcnemar([[0, first], [second, 0]], exact=True).pvalue)


@pytest.mark.parametrize(
    "counts", [[[0, 5], [0, 7]], [[5, 0], [7, 0]], [[0, 0], [3, 4]], [[3, 4]], [[0, 0], [0, 0]]]
)
def test_undefined_tests_are_none(counts: list[list[int]]) -> None:
    assert chi_squared_test(np.array(counts, np.float64)) is None


def test_undefined_odds_are_none() -> None:
    assert odds_ratio(np.array([[0.0, 5], [3, 4]])) is None
    nothing = mantel_haenszel(np.array([[[0.0, 0], [3, 4]], [[5, 0], [7, 0]]]))
    assert (nothing.strata, nothing.odds, nothing.p) == (0, None, None)
    one_sided = mantel_haenszel(np.array([[[2.0, 0], [0, 3]]]))
    assert (one_sided.strata, one_sided.odds) == (1, None)
    assert one_sided.p is not None
