"""The variance of means over retrieved passages, which share questions and titles, and effective numbers.

Passages of one question are alike, and so are all passages about one person, whom many questions find. Both
are clusters, crossed with each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.interval import Z95, Interval, wilson

__all__ = ["CrossedClusters", "Spread"]

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
        from scipy.stats import t

        return float(t.ppf(0.975, self.freedom)) / Z95


@dataclass(frozen=True)
class CrossedClusters:
    """The clusters of rows: each row's question (or occupation), and its title."""

    questions: Codes
    """The question of each row, shape (rows,)."""
    titles: Codes
    """The title of each row, shape (rows,)."""

    def spread(self, influence: Floats) -> Spread:
        """Return the spread of sums of ``influence``, shape (rows, values).

        A row's influence is how much it moves the mean. Two-way clusters as in Cameron, Gelbach and Miller
        (2011), Robust inference with multiway clustering, Journal of Business & Economic Statistics 29: the
        variance between questions plus that between titles minus that between their pairs, each
        times clusters / (clusters − 1), and at least the larger of the first two. The degrees of freedom
        follow Satterthwaite (1946) from the first two, so that the kind of clusters that varies more decides.
        """
        pairs = self.questions * (int(self.titles.max(initial=0)) + 1) + self.titles
        by_question, n_questions = _between(influence, self.questions)
        by_title, n_titles = _between(influence, self.titles)
        by_pair, _ = _between(influence, pairs)
        variance = np.maximum(by_question + by_title - by_pair, np.maximum(by_question, by_title))
        squares = by_question**2 / max(n_questions - 1, 1) + by_title**2 / max(n_titles - 1, 1)
        varied = squares > 0
        freedom = (by_question + by_title)[varied] ** 2 / squares[varied]
        if not varied.any():
            freedom = np.array([n - 1.0 for n in (n_questions, n_titles) if n > 1])
        return Spread(variance, max(1.0, float(freedom.min(initial=np.inf)) if len(freedom) else 1.0))

    def interval(self, hits: npt.NDArray[np.bool_], influence: Floats) -> tuple[Interval, float]:
        """Return the 95 % interval of the share of ``hits``, shape (rows,), and its design effect.

        It is Wilson's of as many independent rows as have the variance that `spread` gives for
        ``influence``, shape (rows,). Rows of a single question have as many as `least_design` says, and so
        have those of a share of 0 or 1, which has no variance.
        """
        n, share = len(hits), float(hits.mean())
        design = self.least_design()
        if self.several and 0 < share < 1:
            found = self.spread(influence[:, None])
            design = max(1.0, float(found.variance[0]) * n / (share * (1 - share))) * found.widened**2
        interval = wilson(share * n / design, n / design)
        assert interval is not None  # n > 0
        return interval, design

    @property
    def several(self) -> bool:
        """Whether there are rows of several questions."""
        return bool(self.questions.min() < self.questions.max())

    def least_design(self) -> float:
        """Return how many rows count as one if rows of a title are all the same (Kish 1965)."""
        counts = np.unique(self.titles, return_counts=True)[1]
        return float((counts**2).sum() / counts.sum())


def _between(influence: Floats, codes: Codes) -> tuple[Floats, int]:
    """Return the variance between clusters, shape (values,), and their number."""
    names, places = np.unique(codes, return_inverse=True)
    sums = np.stack([np.bincount(places, column, len(names)) for column in influence.T], axis=1)
    return (sums**2).sum(axis=0) * (len(names) / max(len(names) - 1, 1)), len(names)
