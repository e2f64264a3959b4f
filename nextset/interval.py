"""Confidence intervals: Wilson's for a share, Newcombe's for the difference of two shares."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Z95", "Interval", "difference", "wilson"]

Z95 = 1.959963984540054
"""The standard normal quantile at 0.975."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A share, or a difference of two shares, and the ends of its 95 % interval, as fractions."""

    low: float
    """The lower end, at most the point."""
    point: float
    """The share itself, in [0, 1]; a difference is in [-1, 1]."""
    high: float
    """The upper end, at least the point."""

    def scaled(self, by: float) -> Interval:
        """Return the interval with the point and both ends multiplied by ``by``, a number above 0."""
        return Interval(self.low * by, self.point * by, self.high * by)


def wilson(hits: float, n: float) -> Interval | None:
    """Return the 95 % interval of ``hits`` out of ``n``, which may be effective numbers; None if ``n`` is 0.

    Wilson (1927), Journal of the American Statistical Association 22, without continuity correction.
    The interval assumes independent items. Items that share a template are not independent, so it is a little
    too narrow.
    """
    if n == 0:
        return None
    share = hits / n
    shrink = 1 + Z95**2 / n
    centre = (share + Z95**2 / (2 * n)) / shrink
    half = Z95 * math.sqrt(share * (1 - share) / n + Z95**2 / (4 * n**2)) / shrink
    return Interval(min(max(0.0, centre - half), share), share, max(min(1.0, centre + half), share))


def difference(first: Interval, last: Interval) -> Interval:
    """Return ``last`` minus ``first``, in [-1, 1], from the Wilson intervals of two disjoint samples.

    Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in
    Medicine 17, method 10.
    """
    point = last.point - first.point
    below = math.hypot(last.point - last.low, first.high - first.point)
    above = math.hypot(last.high - last.point, first.point - first.low)
    return Interval(point - below, point, point + above)
