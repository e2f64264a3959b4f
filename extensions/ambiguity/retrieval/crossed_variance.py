"""The variance of means over retrieved passages, which share questions and titles, and effective sample
sizes.

Passages of one question are similar, and so are all passages about one person, whom many questions find.
Questions and titles are therefore crossed clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.interval import Z95, Interval, wilson

__all__ = ["FEW_TITLES", "CrossedClusters", "ShareInterval", "Spread", "widened"]

FEW_TITLES = 5
"""Rows with fewer titles, counted by their weight, have no intervals and no tests: the effect of chance
cannot be judged."""

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Spread:
    """The spread of means over rows between other questions and people of the same kind."""

    variance: Floats
    """The variance of each mean, shape (values,)."""
    freedom: float
    """The degrees of freedom of the variances, at least 1: those of the value that has the fewest."""

    @property
    def widened(self) -> float:
        """The factor that makes an interval wider than that of a normal distribution, given the number of
        clusters."""
        return widened(self.freedom)


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its interval."""

    share: float
    interval: Interval | None
    """Its 95 % interval; None for fewer than `FEW_TITLES` titles."""
    design_effect: float
    """The number of rows that count as one independent row."""
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
    """The weight of each row, shape (rows,), summing to 1; None if all count the same."""

    def spread(self, influence: Floats) -> Spread:
        """Return the spread of sums of ``influence``, shape (rows, values).

        A row's influence is how much it moves the mean. Two-way clusters as in Cameron, Gelbach and Miller
        (2011), Robust inference with multiway clustering, Journal of Business & Economic Statistics 29: the
        variance between questions, plus the variance between titles, minus the variance between their pairs,
        each times clusters / (clusters − 1). It is at least the larger of the first two. The degrees of
        freedom follow Satterthwaite (1946) from the first two, so that the kind of clusters that varies more
        decides. Each kind has as many degrees as its effective number of clusters minus 1, since a few large
        clusters count more than many small ones.
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

        The interval is Wilson's for the number of independent rows with the variance that `spread` gives for
        ``influence``, shape (rows,), but for at most the number of effective titles. This number is divided
        by the squared ratio of the t to the normal quantile. If all rows are of a single question, or the
        share is 0 or 1 and has no variance, the number of effective titles counts.
        """
        share = float(hits.mean() if self.weights is None else math.fsum(self.weights[hits]))
        independent, freedom = self.effective_titles, self.least_freedom
        if self.several and hits.any() and not hits.all():
            spread = self.spread(influence[:, None])
            independent = min(independent, share * (1 - share) / float(spread.variance[0]))
            freedom = spread.freedom
        effective = independent / widened(freedom) ** 2
        interval = None if self.few else wilson(share * effective, effective)
        return ShareInterval(share, interval, len(hits) / independent, freedom)

    @property
    def several(self) -> bool:
        """Whether there are rows of several questions."""
        return bool(self.questions.min() < self.questions.max())

    @property
    def effective_titles(self) -> float:
        """The effective number of titles, 1 / Σ weight² (Kish 1965): lower if a few titles have most of the
        weight."""
        return self._effective(self.titles)

    @property
    def few(self) -> bool:
        """Whether there are too few titles to judge the effect of chance."""
        return self.effective_titles < FEW_TITLES - 1e-9

    def least_design(self) -> float:
        """Return how many rows count as one independent row if all rows of a title are the same, since they
        have one group."""
        return len(self.titles) / self.effective_titles

    @property
    def least_freedom(self) -> float:
        """The degrees of freedom of the kind of clusters that has fewer, at least 1.

        For rows of a single question it is infinite, since no variance is estimated from them.
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
