"""The difference of two shares, with its interval."""

from __future__ import annotations

import math

from nextset.interval import Interval

__all__ = ["difference"]


def difference(first: Interval, last: Interval) -> Interval:
    """``last`` minus ``first``, in [-1, 1], from the Wilson intervals of two samples that share nothing.

    Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in
    Medicine 17, method 10.
    """
    point = last.point - first.point
    below = math.hypot(last.point - last.low, first.high - first.point)
    above = math.hypot(last.high - last.point, first.point - first.low)
    return Interval(point - below, point, point + above)
