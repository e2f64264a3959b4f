"""Intervals by resampling units (Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats, Ints

__all__ = ["BOOTSTRAP", "Bootstrap", "Ends"]

_UNDEFINED_AT_MOST = 0.05
"""The largest share of draws with an undefined coefficient; above it, there is no interval."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a 95 % interval."""

    low: float | None
    """The lower end; null if there is no interval."""
    high: float | None
    """The upper end; null if there is no interval."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The number of draws of units, and their seed."""

    draws: int = 1000
    """The number of times that all units are drawn with replacement."""
    seed: int = 0
    """The seed. Every coefficient starts with it, so that none depends on which others are computed."""

    def ends(self, rows: Ints, coefficient: Callable[[Ints, Ints], Floats]) -> Ends:
        """Return the 2.5th and 97.5th percentile of ``coefficient`` over draws of ``rows``.

        ``coefficient`` is a function of `vectorised_coefficients`. Rows are units, shape (units, columns).
        Units with equal rows are the same for a coefficient, so the count of each distinct row is drawn: this
        gives the same distribution in far less time. There is no interval for fewer than two units, or if the
        coefficient is undefined in more than 5 % of the draws.
        """
        units = len(rows)
        if units < 2:
            return Ends(None, None)
        patterns, times = np.unique(rows, axis=0, return_counts=True)
        random = np.random.default_rng(self.seed)
        weights = random.multinomial(units, times / units, size=self.draws)
        values = coefficient(weights, patterns)
        defined = values[~np.isnan(values)]
        if len(defined) < (1 - _UNDEFINED_AT_MOST) * self.draws:
            return Ends(None, None)
        low, high = np.percentile(defined, [2.5, 97.5])
        return Ends(float(low), float(high))


BOOTSTRAP = Bootstrap()
"""1,000 draws from seed 0."""
