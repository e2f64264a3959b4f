"""Goodness of fit between the groups that a retriever finds and a base rate: chi-squared test and effect
size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.extensions.ambiguity.retrieval.crossed_variance import FEW_TITLES, CrossedClusters, widened

__all__ = ["FEW_EXPECTED", "FitTest", "cohens_w_interval", "goodness_of_fit"]

FEW_EXPECTED = 5
"""Below this expected count, the chi-squared distribution is a poor approximation (Cochran 1954)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitTest:
    """A test of counts against a base rate."""

    n: int
    """The number of rows that are compared: those of a known group and with a base rate."""
    chi_squared: float | None = None
    """Σ (observed − expected)² / expected; None if it is undefined."""
    degrees: int | None = None
    """Groups minus 1."""
    p: float | None = None
    """Its p-value as published, as if all rows were independent."""
    method: str = ""
    """chi-squared, or exact binomial if that replaces it; empty without a test."""
    design_effect: float | None = None
    """The number of rows that count as one independent row."""
    freedom: float | None = None
    """The degrees of freedom of its variance; None if no variance is estimated, as for a single question."""
    p_design: float | None = None
    """The p-value with the design effect."""
    effect: float | None = None
    """Cohen's w."""
    effect_low: float | None = None
    """The lower end of its 95 % interval."""
    effect_high: float | None = None
    """The upper end."""
    note: str | None = None
    """The reason why a value is None, or a limit on its meaning."""


def goodness_of_fit(groups: npt.NDArray[np.int64], base: Floats, clusters: CrossedClusters) -> FitTest:
    """Return the test of the groups of rows, shape (rows,), against the base rate of each row, shape (rows,
    groups).

    p is from Pearson's test, as in Mao et al. (2021); with two groups and an expected count below
    `FEW_EXPECTED`, it is from the exact binomial test. p_design divides chi-squared by the mean design effect
    (Rao and Scott 1981, Journal of the American Statistical Association 76), which is at least that of
    identical rows within each title, and uses the F distribution since clusters are few. The effect size is
    Cohen's w = √Σ (share − base)² / base (Cohen 1988), with its interval from the noncentral chi-squared
    distribution. With fewer than `FEW_TITLES` effective titles, p_design and the interval are None.
    """
    from scipy import stats

    n, k = base.shape
    if not n:
        return FitTest(n=0, note="no row has a known group and a base rate")
    counts = np.bincount(groups, minlength=k).astype(np.float64)
    expected = base.sum(axis=0)
    if not expected.all():
        return FitTest(n=n, note="the base rate of a group is 0, so its expected count is 0")
    chi = float(((counts - expected) ** 2 / expected).sum())
    few, note = expected.min() < FEW_EXPECTED, None
    test = FitTest(n=n, chi_squared=chi, degrees=k - 1, method="chi-squared")
    if few and k == 2:
        p = float(stats.binomtest(int(counts[0]), n, float(expected[0] / n)).pvalue)
        test = replace(test, method="exact binomial")
    else:
        p = float(stats.chi2.sf(chi, k - 1))
        note = (
            f"the p-value as published is approximate: an expected count is below {FEW_EXPECTED}"
            if few
            else None
        )
    design, freedom = _design(groups, base, clusters)
    known = freedom if np.isfinite(freedom) else None
    test = replace(test, p=p, design_effect=design, freedom=known, effect=float(np.sqrt(chi / n)), note=note)
    if clusters.few:
        few_titles = f"fewer than {FEW_TITLES} titles, counted by their passages"
        return replace(test, note=f"no p-value with design effect, and no interval: {few_titles}")
    if note is None and (design > 1) and (expected / design).min() < FEW_EXPECTED:
        note = (
            f"the p-value with design effect is approximate: fewer than {FEW_EXPECTED} independent rows of a "
            "group are expected"
        )
    wide = design * widened(freedom) ** 2
    low, high = cohens_w_interval(chi / wide, k - 1, n / wide)
    if known is None:  # one question
        p_design = p if design == 1 else float(stats.chi2.sf(chi / design, k - 1))
    else:
        p_design = float(stats.f.sf(chi / design / (k - 1), k - 1, freedom))
    return replace(test, p_design=p_design, effect_low=low, effect_high=high, note=note)


def _design(groups: npt.NDArray[np.int64], base: Floats, clusters: CrossedClusters) -> tuple[float, float]:
    """Return the mean design effect of the groups, and the degrees of freedom of its variance."""
    n, k = base.shape
    design = clusters.least_design()
    apart = np.eye(k)[groups] - base
    spread = clusters.spread((apart - apart.mean(axis=0)) / n)
    if not clusters.several or (groups == groups[0]).all():
        return design, clusters.least_freedom
    mean = float((spread.variance * n / base.mean(axis=0)).sum() / (k - 1))
    return max(design, mean), spread.freedom


def cohens_w_interval(chi: float, degrees: int, n: float) -> tuple[float, float]:
    """Return the 95 % interval of Cohen's w for a chi-squared of ``n`` independent rows.

    Its ends come from the noncentralities for which ``chi`` is the upper, and the lower, 2.5 % point
    (Smithson 2003, Confidence intervals); an end is 0 if there is no such noncentrality. The upper end is at
    least that of a chi-squared with its expected value, since it would be near 0 for counts that happen to
    fit unusually well.
    """
    from scipy.optimize import brentq
    from scipy.stats import ncx2

    def noncentrality(found: float, level: float) -> float:
        def apart(value: float) -> float:
            return float(ncx2.cdf(found, degrees, value)) - level

        if apart(1e-12) <= 0:
            return 0.0
        most = 4 * found + 40.0
        return float(brentq(apart, 1e-12, most, xtol=1e-9 * most))

    low, high = noncentrality(chi, 0.975), noncentrality(max(chi, float(degrees)), 0.025)
    return float(np.sqrt(low / n)), float(np.sqrt(high / n))
