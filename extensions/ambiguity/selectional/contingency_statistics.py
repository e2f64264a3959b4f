"""Statistics of counts: chi-squared tests, odds ratios in one table and over strata, McNemar's test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.interval import Z95

__all__ = [
    "ChiSquared",
    "OddsRatio",
    "StratifiedOdds",
    "chi_squared_test",
    "cramers_v",
    "mantel_haenszel",
    "mcnemar_exact",
    "odds_ratio",
]


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """Pearson's test of independence."""

    statistic: float
    """χ², without correction for continuity."""
    degrees: int
    """The degrees of freedom."""
    p: float
    """The p-value."""
    least_expected: float
    """The smallest expected count of a cell."""


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """An odds ratio with its 95 % interval."""

    low: float
    """The lower end."""
    point: float
    high: float
    """The upper end."""


@dataclass(frozen=True, slots=True)
class StratifiedOdds:
    """Two groups compared within strata."""

    strata: int
    """The number of informative strata: both rows and both columns of their tables have counts."""
    count: int
    """The sum of the counts in the informative strata."""
    odds: OddsRatio | None
    """The common odds ratio (Mantel & Haenszel 1959), with the interval of Robins, Breslow & Greenland
    (1986); None if it is 0, infinite or undefined."""
    statistic: float | None
    """The Cochran-Mantel-Haenszel statistic, without correction for continuity; None without informative
    strata."""
    p: float | None
    """Its p-value, by χ² with one degree of freedom."""


def chi_squared_test(counts: Floats) -> ChiSquared | None:
    """Return Pearson's test of ``counts``, shape (groups, outcomes); None if a row or column sums to 0, or if
    there is one group or one outcome."""
    from scipy.stats import chi2

    expected = _expected(counts)
    if min(counts.shape) < 2 or not (expected > 0).all():
        return None
    statistic = float(((counts - expected) ** 2 / expected).sum())
    degrees = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return ChiSquared(statistic, degrees, float(chi2.sf(statistic, degrees)), float(expected.min()))


def cramers_v(counts: Floats) -> Floats:
    """Return Cramér's V, √(χ² / n), of tables of two outcomes, shape (…, groups, 2); NaN if undefined."""
    expected = _expected(counts)
    total = counts.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        strength: Floats = np.sqrt(((counts - expected) ** 2 / expected).sum(axis=(-2, -1)) / total)
    return strength


def odds_ratio(counts: Floats) -> OddsRatio | None:
    """Return the odds ratio of ``counts``, shape (2, 2), with Woolf's interval (1955); None if a count is
    0."""
    if not (counts > 0).all():
        return None
    (a, b), (c, d) = counts.tolist()
    return _with_interval(a * d / (b * c), 1 / a + 1 / b + 1 / c + 1 / d)


def mantel_haenszel(counts: Floats) -> StratifiedOdds:
    """Return the comparison of two groups within strata, from counts of shape (strata, groups, outcomes).

    Strata without people of one group, or with only one outcome, are not informative and do not count.
    """
    from scipy.stats import chi2

    used = counts[(counts.sum(axis=1) > 0).all(axis=1) & (counts.sum(axis=2) > 0).all(axis=1)]
    if not len(used):
        return StratifiedOdds(0, 0, None, None, None)
    a, b, c, d = used[:, 0, 0], used[:, 0, 1], used[:, 1, 0], used[:, 1, 1]
    n = used.sum(axis=(1, 2))
    expected = (a + b) * (a + c) / n
    variance = ((a + b) * (c + d) * (a + c) * (b + d) / (n**2 * (n - 1))).sum()
    statistic = float((a - expected).sum() ** 2 / variance)
    return StratifiedOdds(
        len(used), int(n.sum()), _common(a, b, c, d), statistic, float(chi2.sf(statistic, 1))
    )


def mcnemar_exact(first: int, second: int) -> float | None:
    """Return McNemar's exact two-sided p-value of two counts of discordant pairs; None if both are 0."""
    from scipy.stats import binomtest

    if first + second == 0:
        return None
    return float(binomtest(first, first + second, 0.5).pvalue)


def _expected(counts: Floats) -> Floats:
    rows, columns = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected: Floats = rows * columns / counts.sum(axis=(-2, -1), keepdims=True)
    return expected


def _common(a: Floats, b: Floats, c: Floats, d: Floats) -> OddsRatio | None:
    n = a + b + c + d
    r, s = a * d / n, b * c / n
    if r.sum() == 0 or s.sum() == 0:
        return None
    p, q = (a + d) / n, (b + c) / n
    variance = (
        (p * r).sum() / (2 * r.sum() ** 2)
        + (p * s + q * r).sum() / (2 * r.sum() * s.sum())
        + (q * s).sum() / (2 * s.sum() ** 2)
    )
    return _with_interval(float(r.sum() / s.sum()), float(variance))


def _with_interval(ratio: float, variance: float) -> OddsRatio:
    """Return ``ratio`` with the interval that follows if its logarithm has this variance."""
    half = Z95 * math.sqrt(variance)
    return OddsRatio(ratio * math.exp(-half), ratio, ratio * math.exp(half))
