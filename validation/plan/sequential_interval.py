"""The 95 % interval of a share that is looked at repeatedly while units are judged."""

from __future__ import annotations

import math

from nextset.interval import Interval

__all__ = ["sequential_interval"]

_LIMIT = math.log(2 / 0.05)
"""The limit of the likelihood ratio: the probability of missing an end over all looks is at most 1 in 40."""


def sequential_interval(hits: int, n: int) -> Interval | None:
    """Return an interval for ``hits`` out of ``n`` that is valid for all ``n`` at once; None if ``n`` is 0.

    The probability that the true share is ever outside the interval is at most 5 %, no matter how often one
    looks; an ordinary 95 % interval, such as Wilson's, misses it with 5 % at each look. The upper end is the
    largest u for which the likelihood ratio of the shares below u, all equally probable a priori, against u
    stays below 40:

        M(u) = ∫₀¹ t^k ((1 − t u) / (1 − u))^(n − k) dt < 40, with k hits.

    If the true share is u or more, M(u) is a nonnegative supermartingale that begins at 1, so the probability
    that it ever reaches 40 is at most 1/40 (Ville 1939; Robbins 1970, Statistical Methods Related to the Law
    of the Iterated Logarithm). M rises with u. The lower end is 1 minus the upper end for the other n − k.
    """
    if n == 0:
        return None
    return Interval(1 - _upper(n - hits, n), hits / n, _upper(hits, n))


def _upper(hits: int, n: int) -> float:
    """Return the upper end, at least ``hits`` / ``n``, by bisection."""
    low, high = hits / n, 1.0
    if hits == n:
        return high
    for _ in range(50):
        middle = (low + high) / 2
        if _log_ratio(hits, n, middle) < _LIMIT:
            low = middle
        else:
            high = middle
    return high


def _log_ratio(hits: int, n: int, u: float) -> float:
    """Return ln M(u): the integral is the incomplete beta function at u, divided by u^(k + 1)."""
    from scipy.special import betainc, betaln

    a, b = hits + 1, n - hits + 1
    part = float(betainc(a, b, u))
    if part == 0.0:
        return -math.inf  # far below the share of hits
    return math.log(part) + float(betaln(a, b)) - a * math.log(u) - (n - hits) * math.log1p(-u)
