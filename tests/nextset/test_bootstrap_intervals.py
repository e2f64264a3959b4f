"""Intervals and p-values by hand: percentiles, t-tests, what few clusters carry, and what chance raises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t

from nextset.bootstrap_intervals import FEW, DrawnMeasure, intervals, raised_intervals, too_few
from nextset.cluster_bootstrap import DRAWS, Support, level_weights
from nextset.interval import Z95


def expanded(n: float) -> float:
    """Hesterberg (2015): the level α/2 becomes Φ(√(n / (n − 1)) t(α/2; n − 1))."""
    return float(norm.cdf(np.sqrt(n / (n - 1)) * t.ppf(0.025, n - 1)))


def test_the_percentiles_by_hand() -> None:
    """With ten clusters: t(0.025; 9) = −2.2622, √(10/9) = 1.0541, and Φ(−2.3845) = 0.00855."""
    assert expanded(10) == pytest.approx(0.00855, abs=1e-5)
    draws = np.arange(DRAWS) / (DRAWS - 1)  # the quantile q of these is q
    found = intervals(np.concatenate([[0.5], draws[::-1]]), (10,))
    assert found.low[0] == pytest.approx(expanded(10))
    assert found.high[0] == pytest.approx(1 - expanded(10))
    # the more clusters, the closer to 2.5 %
    assert intervals(np.concatenate([[0.5], draws]), (100_000,)).low[0] == pytest.approx(0.025, abs=1e-5)


def test_each_value_can_have_its_own_number_of_clusters() -> None:
    draws = np.arange(DRAWS) / (DRAWS - 1)
    both = np.column_stack([np.concatenate([[0.5], draws])] * 2)
    found = intervals(both, (np.array([10, 30]),))
    assert found.low.tolist() == pytest.approx([expanded(10), expanded(30)])


def test_two_factors_have_the_degrees_of_freedom_of_satterthwaite() -> None:
    """Five templates and fifty pairs; values without one template: 0.42, 0.58 and three times 0.5.

    Their jackknife variance is (5 − 1)/5 · (0.08² + 0.08²) = 0.01024. Draws between 0.2 and 0.8, evenly, have
    the variance 0.6²/12 · 1001/999 = 0.03006. So a part p = 0.3406 of it is the templates', with 4 degrees of
    freedom, the rest the pairs', with 49: 1 / (p²/4 + (1 − p)²/49) = 1 / (0.02901 + 0.00887) = 26.40.
    """
    draws = np.linspace(0.2, 0.8, DRAWS)
    values = np.concatenate([[0.5], draws, [0.42, 0.58, 0.5, 0.5, 0.5]])
    part = 0.01024 / draws.var()
    freedom = 1 / (part**2 / 4 + (1 - part) ** 2 / 49)
    assert freedom == pytest.approx(26.40, abs=0.01)
    level = norm.cdf(np.sqrt((freedom + 1) / freedom) * t.ppf(0.025, freedom))
    assert intervals(values, (5, 50)).low[0] == pytest.approx(0.2 + 0.6 * level)
    # if the templates make no difference, the pairs alone count
    same = np.concatenate([[0.5], draws, [0.5] * 5])
    assert intervals(same, (5, 50)).low[0] == pytest.approx(0.2 + 0.6 * expanded(50))


def test_too_few_clusters_have_no_interval() -> None:
    values = np.concatenate([[0.5], np.linspace(0, 1, DRAWS)])
    assert intervals(values, (FEW - 1,)).ends() == (None, None)
    assert np.isnan(intervals(values, (FEW - 1,)).p[0])
    assert intervals(values, (FEW,)).ends() != (None, None)
    # of quads, the pairs count
    assert intervals(values, (10, FEW - 1)).ends() == (None, None)
    assert intervals(values, (1, FEW)).ends() != (None, None)


def test_a_value_that_many_draws_lack_has_no_interval() -> None:
    values = np.concatenate([[0.5], np.linspace(0, 1, DRAWS)])
    values[1:51] = np.nan
    assert intervals(values, (10,)).ends() != (None, None)
    values[51] = np.nan  # 51 of 1,000 are more than 5 %
    assert intervals(values, (10,)).ends() == (None, None)
    # a value without any draws is no reason for a warning
    nothing = np.full(1 + DRAWS + 2, np.nan)
    assert intervals(nothing, (2, 10)).ends() == (None, None)
    values[0] = np.nan
    assert intervals(values[:1].repeat(1 + DRAWS), (10,)).ends() == (None, None)


@pytest.mark.parametrize(("extreme", "ends"), [(0.0, (0, 3.8415 / 13.8415)), (1.0, (10 / 13.8415, 1))])
def test_none_and_all_have_wilsons_interval(extreme: float, ends: tuple[float, float]) -> None:
    """0 of 10: the upper end is z² / (10 + z²) with z² = 3.8415."""
    values = np.full(1 + DRAWS, extreme)
    assert intervals(values, (10,), share=True).ends() == pytest.approx(ends, abs=1e-5)
    # what is not a share of items does not vary
    assert intervals(values, (10,)).ends() == (extreme, extreme)


def test_wilsons_interval_has_as_many_clusters_as_the_smaller_factor() -> None:
    """8 of 8: the lower end is 8 / (8 + z²) with z² = 3.8415."""
    values = np.full(1 + DRAWS + 8, 1.0)
    assert intervals(values, (8, 64), share=True).ends() == pytest.approx((8 / 11.8415, 1), abs=1e-5)
    # a single template does not vary: the pairs alone count
    one = intervals(np.full(1 + DRAWS, 1.0), (1, 64), share=True)
    assert one.ends() == pytest.approx((64 / 67.8415, 1), abs=1e-5)


def test_the_interval_of_a_reflected_value_holds_the_draws_and_their_reflections() -> None:
    """Draws from 0.3 to 0.5 about a value of 0.3 are reflected to 0.1 to 0.3."""
    values = np.concatenate([[0.3], np.linspace(0.3, 0.5, DRAWS)])
    found = intervals(values, (10,)).reflected(values[:1])
    assert found.low[0] == pytest.approx(0.1 + 0.2 * expanded(10))
    assert found.high[0] == pytest.approx(0.5 - 0.2 * expanded(10))
    values = np.concatenate([[0.1], np.linspace(0.1, 0.5, DRAWS)])
    assert intervals(values, (10,)).reflected(values[:1]).low[0] == 0
    # draws below the value: the reflected ones are above it, and the value is always inside
    values = np.concatenate([[0.4], np.linspace(0.2, 0.3, DRAWS)])
    above = intervals(values, (10,)).reflected(values[:1])
    assert above.low[0] == pytest.approx(0.2 + 0.1 * expanded(10))
    assert above.high[0] == pytest.approx(0.6 - 0.1 * expanded(10))


def test_two_to_four_templates_have_the_interval_of_a_t_test() -> None:
    """Three templates and 500 pairs: values without one template are 0.4, 0.5 and 0.6.

    Jackknife variance (3 − 1)/3 · (0.1² + 0.1²) = 0.013333; draws vary by two thirds of it and by the pairs:
    0.008889 + 0.001 = 0.009889. New templates vary by 0.009889 + 0.013333/3 = 0.014333, or ± 0.11972. The
    part of the templates is 1, so that there are 2 degrees of freedom: t = 4.3027.
    """
    draws = np.random.default_rng(0).normal(0, 1, DRAWS)
    draws = 0.5 + (draws - draws.mean()) / draws.std() * np.sqrt(0.0098889)
    found = intervals(np.concatenate([[0.5], draws, [0.4, 0.5, 0.6]]), (3, 500))
    assert found.ends() == pytest.approx((0.5 - 4.3027 * 0.11972, 0.5 + 4.3027 * 0.11972), abs=1e-4)
    assert found.p[0] == pytest.approx(2 * t.sf(0.5 / 0.11972, 2), rel=1e-3)
    # five templates have percentiles, and one template those of its pairs
    five = np.concatenate([[0.5], draws, [0.4, 0.45, 0.5, 0.55, 0.6]])
    assert intervals(five, (5, 500)).low[0] >= draws.min()
    assert intervals(np.concatenate([[0.5], draws]), (1, 500)).low[0] >= draws.min()


def of_differences(differences: Sequence[int], n: int) -> DrawnMeasure:
    """The share of pro answers of B minus that of A, which differ by one item in some templates of 10."""
    first, second = np.zeros(n), np.zeros(n)
    for i, difference in enumerate(differences):
        (second if difference > 0 else first)[i] = 1
    (weights,) = level_weights((n,))
    sides = []
    for hits in (first, second):
        values = (weights @ hits) / (weights @ np.full(n, 10.0))
        sides.append(DrawnMeasure(values, (n,), Support.of(np.full(n, 10.0), hits / 10)))
    return sides[1].minus(sides[0], known=False)


def test_a_difference_that_many_templates_carry_has_a_p_value() -> None:
    """A is wrong on the pro items of ten templates of 40, B on those of seventeen others: 27 carry it.

    The sign test of 10 to 17 gives .2478. The difference is 7 items; its standard deviation is √27 = 5.2, and
    7/5.2 = 1.35 gives .18 of a normal distribution.
    """
    found = of_differences([-1] * 10 + [1] * 17, 40)
    assert found.support is not None
    assert found.support.carriers(share=False) == 27
    interval = found.interval()
    assert binomtest(10, 27).pvalue == pytest.approx(0.2478, abs=1e-4)
    assert 0.15 < interval.p[0] < 0.27
    # as wide as its draws: 4 · 5.2 items of 400, not that of a value that nothing carries
    assert interval.high[0] - interval.low[0] < 4.5 * np.sqrt(27) / 400


@pytest.mark.parametrize("carriers", [5, 6, 8, 10, 15])
def test_the_p_value_of_few_templates_is_about_that_of_a_sign_test_or_larger(carriers: int) -> None:
    """A draw lacks all of five templates with a probability of e⁻⁵ = .0067; the sign test gives .0625."""
    found = of_differences([1] * carriers, 40).interval()
    assert 0.9 * binomtest(carriers, carriers).pvalue <= found.p[0] < 0.09


def test_fewer_than_five_templates_carry_no_p_value_and_a_wide_interval() -> None:
    found = of_differences([1, 1, -1, 1], 40)
    interval = found.interval()
    assert np.isnan(interval.p[0])
    # 40 templates of 10 items with a correlation of .3: 400 / (1 + .3 · 9) = 108.1; z² / (108.1 + z²) = .0343
    half = Z95**2 / (400 / 3.7 + Z95**2)
    assert interval.low[0] <= found.values[0] - half
    assert interval.high[0] >= found.values[0] + half
    nothing = of_differences([], 40)
    assert np.isnan(nothing.interval().p[0])
    # what is the same in every draw, on the same answers, is no chance
    same = nothing.minus(nothing, known=True)
    assert (same.support, same.interval().ends(), same.interval().p[0]) == (None, (0, 0), 1)


def test_the_p_value_goes_on_where_the_draws_end() -> None:
    """No draw is below 0, and their standard deviation is 0.1: the t-test of 0.8 tells them apart."""
    draws = np.random.default_rng(1).normal(0, 0.1, DRAWS)
    draws = 0.8 + (draws - draws.mean()) / draws.std() * 0.1
    found = intervals(np.concatenate([[0.8], draws]), (50,))
    assert found.p[0] == pytest.approx(2 * t.sf(0.8 / 0.1 * np.sqrt(49 / 50), 49))
    weak = intervals(np.concatenate([[0.25], draws - 0.55]), (50,))
    assert found.p[0] < 0.001 < weak.p[0] < 0.05


def test_unequal_templates_count_as_fewer() -> None:
    """One template of 200 rows and seven of 20: 340² / (200² + 7 · 20²) = 2.7 templates of one size."""
    rows = np.array([200.0, *[20.0] * 7])
    support = Support.of(rows, np.full(8, 0.5))
    assert support.clusters == pytest.approx(340**2 / 42_800)
    draws = np.arange(DRAWS) / (DRAWS - 1)
    values = np.concatenate([[0.5], draws])
    found = intervals(values, (8,), share=True, support=support)
    assert found.low[0] == pytest.approx(expanded(support.clusters))
    equal = Support.of(np.full(8, 20.0), np.full(8, 0.5))
    assert intervals(values, (8,), share=True, support=equal).low[0] == pytest.approx(expanded(8))


def test_a_value_that_chance_raises_is_corrected_by_both_estimates() -> None:
    """Draws of a standard deviation of 0.02 in 40 templates, raised by 0.01 or by 0.03."""
    noise = np.random.default_rng(2).normal(0, 1, DRAWS)
    noise = (noise - noise.mean()) / noise.std() * 0.02
    left_out = np.full(40, 0.2)
    values = np.concatenate([[0.2], 0.2 + noise, left_out])[:, None]
    raised, null = np.array([[0.01], [0.03]]), np.full((DRAWS, 1), 0.05)
    half = t.ppf(0.975, 499) * 0.02
    found = raised_intervals(values, (40, 500), raised, null)
    assert found.ends() == pytest.approx((0.2 - 0.03 - half, 0.2 - 0.01 + half), abs=1e-4)
    # what chance alone can give has the lower end 0
    assert raised_intervals(values, (40, 500), raised, null + 0.2).low[0] == 0
    # a draw that lacks all rows says nothing about chance, and hides nothing of the others
    lacking = np.concatenate([null + 0.2, np.full((5, 1), np.nan)])
    assert raised_intervals(values, (40, 500), raised, lacking).low[0] == 0
    # the smaller of the two corrected differences decides the p-value
    p = raised_intervals(values, (40, 500), raised).p[0]
    assert p == pytest.approx(2 * t.sf(0.17 / 0.02, 499))
    assert raised_intervals(values, (40, 500), np.array([[0.1], [0.3]])).p[0] == 1


@given(
    st.floats(-2, 2),
    st.integers(FEW, 200),
    st.integers(0, 1000),
)
def test_p_is_below_a_twentieth_where_0_lies_outside(shift: float, n: int, seed: int) -> None:
    draws = np.random.default_rng(seed).normal(shift, 0.6, DRAWS)
    found = intervals(np.concatenate([[shift], draws]), (n,))
    low, high = found.ends()
    assert low is not None
    assert high is not None
    # the ends are interpolated between two draws, so that p is within a draw or two of it
    spare = 4 / DRAWS
    if low > 0 or high < 0:
        assert found.p[0] < 0.05 + spare * 5
    else:
        assert found.p[0] > 0.05 - spare * 5
    assert 0 < found.p[0] <= 1


def test_p_by_hand() -> None:
    """25 of 1,000 draws below 0 and very many clusters: the share 0.025 on one side is p = 0.05 on both."""
    draws = np.concatenate([np.full(25, -1.0), np.full(975, 1.0)])
    values = np.concatenate([[0.95], draws])
    assert intervals(values, (10_000_000,)).p[0] == pytest.approx(0.05, abs=1e-5)
    # with 10 clusters: z = −1.95996, t = z / √(10/9) = −1.8594; twice t's tail with 9 degrees: 0.0959
    assert intervals(values, (10,)).p[0] == pytest.approx(2 * t.sf(1.95996 / np.sqrt(10 / 9), 9), abs=1e-5)
    assert intervals(values, (10,)).p[0] == pytest.approx(0.0959, abs=1e-3)
    # draws of 0 count half: no difference at all has p = 1
    assert intervals(np.zeros(1 + DRAWS), (10,)).p[0] == pytest.approx(1)
    # none below 0: as if half a draw were, so that p is never 0
    assert intervals(np.ones(1 + DRAWS), (10_000_000,)).p[0] == pytest.approx(2 * 0.0005, abs=1e-5)


def test_the_note_on_a_missing_interval_names_its_reason() -> None:
    assert too_few(1, "templates") == "no interval: 1 template, and at least 5 are needed"
    # enough templates, but the value is undefined in most draws
    assert too_few(7, "templates") == "no interval: too few of the 7 templates have rows that count"
