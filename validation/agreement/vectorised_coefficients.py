"""The coefficients as closed formulas over many resamples at once.

A resample is given by the number of times each pattern of votes was drawn: ``weights`` of shape (draws,
patterns). The result is NaN for resamples that leave a coefficient undefined.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints

__all__ = ["alpha", "cohen", "fleiss", "per_cent"]


def per_cent(weights: Ints, patterns: Ints) -> Floats:
    """Return the percentage of pairs of votes on a unit that agree; patterns (patterns, labels) of counts."""
    n = patterns.sum(axis=1)
    same = (patterns * (patterns - 1)).sum(axis=1)
    return 100 * _ratio(weights @ same, weights @ (n * (n - 1)))


def alpha(weights: Ints, patterns: Ints) -> Floats:
    """Return Krippendorff's α for nominal labels; patterns (patterns, labels) of counts of two votes or more.

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: with coincidences o and
    margins n, α = 1 − (n − 1) (n − Σ o_cc) / (n² − Σ n_c²).
    """
    coincident = ((patterns * (patterns - 1)).sum(axis=1)) / (patterns.sum(axis=1) - 1)
    margins = weights @ patterns
    n = margins.sum(axis=1)
    disagreement = _ratio((n - 1) * (n - weights @ coincident), n**2 - (margins**2).sum(axis=1))
    return np.subtract(1.0, disagreement, dtype=np.float64)


def fleiss(weights: Ints, patterns: Ints) -> Floats:
    """Return Fleiss' κ; patterns (patterns, labels) of counts that all have the same sum, two or more.

    Fleiss (1971), Measuring nominal scale agreement among many raters, equations 3 to 7.
    """
    m = int(patterns[0].sum())
    units = weights.sum(axis=1)
    observed = _ratio(weights @ ((patterns * (patterns - 1)).sum(axis=1)), units * m * (m - 1))
    margins = weights @ patterns
    return _beyond_chance(observed, _ratio((margins**2).sum(axis=1), (units * m) ** 2))


def cohen(weights: Ints, patterns: Ints) -> Floats:
    """Return Cohen's κ of two annotators; patterns (patterns, 2) with the label of each.

    Cohen (1960), A coefficient of agreement for nominal scales, equation 1.
    """
    labels = np.arange(patterns.max() + 1)
    units = weights.sum(axis=1)
    observed = _ratio(weights @ (patterns[:, 0] == patterns[:, 1]), units)
    one, other = (weights @ (patterns[:, [i]] == labels) for i in (0, 1))
    return _beyond_chance(observed, _ratio((one * other).sum(axis=1), units**2))


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    return _ratio(observed - expected, 1 - expected)


def _ratio(above: npt.NDArray[np.number], below: npt.NDArray[np.number]) -> Floats:
    nothing = np.full(np.shape(below), np.nan)
    np.divide(above, below, out=nothing, where=np.asarray(below) != 0)
    return nothing
