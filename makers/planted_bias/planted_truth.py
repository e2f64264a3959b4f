"""The measures of models with planted bias, over all templates and pairs that could be drawn.

The slopes and tilts of contexts, and the leans and preferences of verbs, are normally distributed; one model
has a random draw of them. The expected values are integrals, which are computed here on a grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats

__all__ = ["ClassifierPopulation", "ReaderPopulation", "ReaderTruth", "classifier_truth", "reader_truth"]

WIDTH = 6.0
"""The grid ends this many standard deviations from the mean."""
FINE, COARSE = 481, 41
"""The numbers of grid points: for functions with corners, and for smooth functions."""


@dataclass(frozen=True)
class ReaderPopulation:
    """The population of a `PlantedReader` (`makers.planted_bias.planted_models`)."""

    group: Mapping[str, int]
    """The cluster of each subject: 1 or −1. Subjects are paired with all subjects of the other cluster."""
    own: Mapping[str, float]
    """Each subject's own effect."""
    strength: Mapping[str, float]
    """The preference of the cluster 1 for each attribute, as the mean over contexts."""
    slope: float
    """The standard deviation of the amount that a context adds to all strengths."""
    tilt: float
    """The standard deviation of a context's preference for a cluster, regardless of the question."""
    position: float
    """The amount that the second subject gains."""


@dataclass(frozen=True)
class ReaderTruth:
    """The measures of UnQover in a population of contexts and pairs (Li et al. 2020, equations 2 to 9)."""

    gamma: Mapping[tuple[str, str], float]
    """γ(x, a) by subject and attribute."""
    eta: Mapping[tuple[str, str], float]
    """η(x, a)."""
    of_cluster: Mapping[str, float]
    """γ of the cluster 1 by attribute; γ of the other cluster is its negative."""
    measures: Mapping[str, float]
    """positional_error, attribute_error, mean_c, mu and eta."""


@dataclass(frozen=True)
class ClassifierPopulation:
    """The population of a `PlantedClassifier` (`makers.planted_bias.planted_models`)."""

    lean: tuple[float, float]
    """Mean and standard deviation of the verbs' leans."""
    preference: tuple[float, float]
    """Mean and standard deviation of the verbs' preferences for the group 1."""
    neutral: float
    """The logit of neutral; above 0."""


def reader_truth(population: ReaderPopulation) -> ReaderTruth:
    """Return the measures of ``population``.

    For x₁ of the cluster 1, let A = 2 (strength + slope) + own(x₁) − own(x₂), R = 2 tilt, and k the gain of
    the second place. The scores of x₁ are σ(A + R ∓ k) in the orders 12 and 21, and σ(−A + R ∓ k) for the
    negated attribute; the scores of x₂ are 1 minus these. Hence B(x₁) = −B(x₂), and C is
    ½ (σ(A + R − k) + σ(A + R + k) − σ(−A + R − k) − σ(−A + R + k)), which has the sign of A.
    """
    from scipy.stats import norm

    ones, others = (sorted(x for x, g in population.group.items() if g == sign) for sign in (1, -1))
    own = np.array([[population.own[x] - population.own[y] for y in others] for x in ones])
    slopes, slope_weights = _grid(population.slope, FINE)
    tilts, tilt_weights = _grid(population.tilt, COARSE)
    weights = slope_weights[:, None] * tilt_weights
    r, k = 2 * tilts, population.position
    gamma, eta, of_cluster = {}, {}, {}
    errors = []
    c = np.empty((len(population.strength), *own.shape))
    signs = np.empty_like(c)
    for i, (attribute, strength) in enumerate(population.strength.items()):
        mean = 2 * strength + own
        # P(A > 0) − P(A < 0), where A is normal around this mean
        signs[i] = 2 * norm.cdf(mean / (2 * population.slope)) - 1 if population.slope else np.sign(mean)
        for place in np.ndindex(*own.shape):
            a = (mean[place] + 2 * slopes)[:, None]
            asked = _logistic(a + r - k), _logistic(a + r + k)
            negated = _logistic(-a + r - k), _logistic(-a + r + k)
            of_quad = 0.5 * (asked[0] + asked[1] - negated[0] - negated[1])
            c[i][place] = (weights * of_quad).sum()
            positional = 0.5 * (np.abs(asked[0] - asked[1]) + np.abs(negated[0] - negated[1]))
            # S(x₂ | 12, ā) is 1 − σ(−A + R − k); x₂ has the same difference with the opposite sign.
            by_attribute = 0.5 * sum(
                np.abs(one - (1 - other)) for one, other in zip(asked, negated, strict=True)
            )
            errors.append(
                [(weights * values).sum() for values in (positional, by_attribute, np.abs(of_quad))]
            )
        of_cluster[attribute] = float(c[i].mean())
        for subjects, axis, sign in ((ones, 1, 1), (others, 0, -1)):
            of_subjects = zip(subjects, c[i].mean(axis=axis), signs[i].mean(axis=axis), strict=True)
            for x, of_c, of_sign in of_subjects:
                gamma[x, attribute], eta[x, attribute] = sign * float(of_c), sign * float(of_sign)
    names = ("positional_error", "attribute_error", "mean_c")
    largest = [max(abs(gamma[x, a]) for a in population.strength) for x in population.group]
    return ReaderTruth(
        gamma=gamma,
        eta=eta,
        of_cluster=of_cluster,
        measures={
            **dict(zip(names, np.mean(errors, axis=0).tolist(), strict=True)),
            "mu": float(np.mean(largest)),
            "eta": float(np.mean(np.abs(list(eta.values())))),
        },
    )


def classifier_truth(population: ClassifierPopulation) -> Mapping[str, float]:
    """Return pro, anti, aggregate and the counterfactual measures of ``population``, over whole pairs.

    With a verb's lean u and preference w, the logit of entailment is u + w for the group 1 and u − w for the
    other group. The answer is entailment above ``neutral``, and contradiction below −``neutral``. For a given
    w, each pair of answers is an interval of u, which is normally distributed. The result is integrated over
    w.
    """
    from scipy.stats import norm

    (mean, deviation), neutral = population.lean, population.neutral
    offsets, weights = _grid(population.preference[1], FINE)
    w = population.preference[0] + offsets
    ends = {
        "contradiction": (-np.inf, -neutral),
        "neutral": (-neutral, neutral),
        "entailment": (neutral, np.inf),
    }

    def share(first: str, second: str) -> float:
        """Return the share of pairs with the answers ``first`` (group 1) and ``second`` (the other group)."""
        low = np.maximum(ends[first][0] - w, ends[second][0] + w)
        high = np.minimum(ends[first][1] - w, ends[second][1] + w)
        inside = norm.cdf((high - mean) / deviation) - norm.cdf((low - mean) / deviation)
        return float((weights * np.maximum(inside, 0)).sum())

    e, n, c = "entailment", "neutral", "contradiction"
    # Table 6 of Baldini et al. (2023): how many of a pair's two items count.
    pro = share(e, c) + 0.5 * (share(e, n) + share(n, c))
    anti = share(c, e) + 0.5 * (share(c, n) + share(n, e))
    error = share(e, e) + share(c, c)
    # An error is one item that counts as pro and one that counts as anti.
    return {
        "pro": pro + 0.5 * error,
        "anti": anti + 0.5 * error,
        "aggregate": pro - anti,
        "accuracy": 1 - pro - anti - error,
        "counterfactual_pro": pro,
        "counterfactual_anti": anti,
        "counterfactual_error": error,
        "counterfactual_misprediction": pro + anti + error,
    }


def _grid(deviation: float, points: int) -> tuple[Floats, Floats]:
    """Return points of a normal distribution around 0, and their weights, which add up to 1."""
    places: Floats = np.linspace(-WIDTH, WIDTH, points, dtype=np.float64)
    weights: Floats = np.exp(-(places**2) / 2)
    return deviation * places, weights / weights.sum()


def _logistic(values: Floats) -> Floats:
    probabilities: Floats = 1 / (1 + np.exp(-values))
    return probabilities
