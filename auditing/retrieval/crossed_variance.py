"""The variance of means over retrieved passages, which share questions and titles, and effective numbers.

Passages of one question are alike, and so are all passages about one person, whom many questions find. Both
are clusters, crossed with each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.interval import Z95, Interval, wilson

__all__ = ["FEW_TITLES", "CrossedClusters", "ShareInterval", "Spread", "widened"]

FEW_TITLES = 5
"""Rows of fewer titles, counted by their weight, have no intervals and no tests: chance cannot be judged."""

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """How far means over rows can be from those of other questions and people."""

    variance: Floats
    """The variance of each mean, shape (values,)."""
    freedom: float
    """The degrees of freedom of the variances, at least 1; those of the value with the fewest."""

    @property
    def widened(self) -> float:
        """How many times wider than a normal distribution's an interval is with so few clusters."""
        return widened(self.freedom)


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its interval."""

    share: float
    """The share."""
    interval: Interval | None
    """Its 95 % interval; None for fewer than `FEW_TITLES` titles."""
    design_effect: float
    """How many rows count as one independent row."""
    freedom: float
    """The degrees of freedom of the variance, which widen the interval; infinite if none is estimated."""


@dataclass(frozen=True)
class CrossedClusters:
    """The clusters of rows: each row's question (or occupation), and its title."""

    questions: Codes
    """The question of each row, shape (rows,)."""
    titles: Codes
    """The title of each row, shape (rows,)."""
    weights: Floats | None = None
    """How much each row counts, shape (rows,), summing to 1; None if all count the same."""

    def spread(self, influence: Floats) -> Spread:
        """Return the spread of sums of ``influence``, shape (rows, values).

        A row's influence is how much it moves the mean. Two-way clusters as in Cameron, Gelbach and Miller
        (2011), Robust inference with multiway clustering, Journal of Business & Economic Statistics 29: the
        variance between questions plus that between titles minus that between their pairs, each
        times clusters / (clusters − 1), and at least the larger of the first two. The degrees of freedom
        follow Satterthwaite (1946) from the first two, so that the kind of clusters that varies more decides;
        each kind has as many as its effective number of clusters, minus 1, since few large ones decide more
        than many small ones.
        """
        pairs = self.questions * (int(self.titles.max(initial=0)) + 1) + self.titles
        by_question, by_title, by_pair = (
            _between(influence, codes) for codes in (self.questions, self.titles, pairs)
        )
        variance = np.maximum(by_question + by_title - by_pair, np.maximum(by_question, by_title))
        numbers = self._effective(self.questions), self.effective_titles
        squares = by_question**2 / max(numbers[0] - 1, 1) + by_title**2 / max(numbers[1] - 1, 1)
        varied = squares > 0
        freedom = (by_question + by_title)[varied] ** 2 / squares[varied]
        if not varied.any():
            return Spread(variance, self.least_freedom)
        return Spread(variance, max(1.0, float(freedom.min())))

    def interval(self, hits: npt.NDArray[np.bool_], influence: Floats) -> ShareInterval:
        """Return the share of ``hits``, shape (rows,), with its 95 % interval.

        The interval is Wilson's of as many independent rows as have the variance that `spread` gives for
        ``influence``, shape (rows,), and at most as many as there are effective titles; their number is
        divided by the squared ratio of the t to the normal quantile. Rows of a single question, and those of
        a share of 0 or 1, which has no variance, count as their effective titles.
        """
        share = float(hits.mean() if self.weights is None else math.fsum(self.weights[hits]))
        independent, freedom = self.effective_titles, self.least_freedom
        if self.several and hits.any() and not hits.all():
            found = self.spread(influence[:, None])
            independent = min(independent, share * (1 - share) / float(found.variance[0]))
            freedom = found.freedom
        effective = independent / widened(freedom) ** 2
        interval = None if self.few else wilson(share * effective, effective)
        return ShareInterval(share, interval, len(hits) / independent, freedom)

    @property
    def several(self) -> bool:
        """Whether there are rows of several questions."""
        return bool(self.questions.min() < self.questions.max())

    @property
    def effective_titles(self) -> float:
        """The number of titles, few large ones counting more: 1 / Σ weight² (Kish 1965)."""
        return self._effective(self.titles)

    @property
    def few(self) -> bool:
        """Whether there are too few titles to say what chance could give."""
        return self.effective_titles < FEW_TITLES - 1e-9

    def least_design(self) -> float:
        """Return how many rows count as one if rows of a title are all the same: they have one group."""
        return len(self.titles) / self.effective_titles

    @property
    def least_freedom(self) -> float:
        """The degrees of freedom of the kind of clusters that has fewer, at least 1.

        Rows of one question have infinitely many: no variance is estimated from them.
        """
        if not self.several:
            return math.inf
        return max(1.0, min(self.effective_titles, self._effective(self.questions)) - 1)

    def _effective(self, codes: Codes) -> float:
        places = np.unique(codes, return_inverse=True)[1]
        sums = np.bincount(places, self.weights)
        return float(sums.sum() ** 2 / (sums.astype(np.float64) ** 2).sum())


def widened(freedom: float) -> float:
    """Return the ratio of the t quantile with ``freedom`` degrees of freedom to the normal one, at 0.975."""
    from scipy.stats import t

    return 1.0 if math.isinf(freedom) else float(t.ppf(0.975, freedom)) / Z95


def _between(influence: Floats, codes: Codes) -> Floats:
    """Return the variance between clusters, shape (values,)."""
    names, places = np.unique(codes, return_inverse=True)
    sums = np.stack([np.bincount(places, column, len(names)) for column in influence.T], axis=1)
    return np.asarray((sums**2).sum(axis=0) * (len(names) / max(len(names) - 1, 1)))
