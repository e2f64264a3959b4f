"""Intervals by resampling units (Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nextset.validation.agreement.ratings import Ints
from nextset.validation.agreement.vectorised_coefficients import Floats

__all__ = ["BOOTSTRAP", "Bootstrap", "Ends"]

_UNDEFINED_AT_MOST = 0.05
"""The share of draws in which a coefficient may be undefined; with more, there is no interval."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a 95 % interval."""

    low: float | None
    """The lower end; null if there is no interval."""
    high: float | None
    """The upper end; null if there is no interval."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How often units are drawn, and from which seed."""

    draws: int = 1000
    """How many times all units are drawn with replacement."""
    seed: int = 0
    """Every coefficient begins with this seed, so that none depends on which others are asked for."""

    def ends(self, rows: Ints, coefficient: Callable[[Ints, Ints], Floats]) -> Ends:
        """The 2.5th and 97.5th percentile of ``coefficient`` over draws of ``rows``.

        ``coefficient`` is a function of `vectorised_coefficients`.

        Rows are units, shape (units, columns). Units with the same row are the same to a coefficient, so
        it is drawn how often each distinct row comes: the same distribution, in far less time. No interval
        of fewer than two units, or where more than 5 % of the draws leave the coefficient undefined.
        """
        units = len(rows)
        if units < 2:
            return Ends(None, None)
        patterns, times = np.unique(rows, axis=0, return_counts=True)
        random = np.random.default_rng(self.seed)
        weights = random.multinomial(units, times / units, size=self.draws)
        found = coefficient(weights, patterns)
        defined = found[~np.isnan(found)]
        if len(defined) < (1 - _UNDEFINED_AT_MOST) * self.draws:
            return Ends(None, None)
        low, high = np.percentile(defined, [2.5, 97.5])
        return Ends(float(low), float(high))


BOOTSTRAP = Bootstrap()
"""1,000 draws from seed 0."""
