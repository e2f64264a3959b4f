"""Valid units per hour: the gain from the order of the queue, estimated by cross-validation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nextset.array_types import Floats
from nextset.interval import Interval, difference, wilson
from nextset.validation.plan.counting_rules import Counted

__all__ = ["ASSUMED", "FirstHalf", "first_half", "mean_seconds", "seconds_by_unit"]

ASSUMED = 30.0
"""The seconds per unit that are assumed if no judgment has a time, as in tables."""
MOST = 300.0
"""The most seconds that a judgment counts: a page may stay open over lunch."""


@dataclass(frozen=True, slots=True)
class FirstHalf:
    """The valid units per hour in the first half of the queue, in two orders."""

    likely_first: Interval
    """The value in the model's order, with Wilson's interval of the share, per hour."""
    shuffled: Interval
    """The value in shuffled order, which is that of all judged units."""
    gain: Interval
    """The difference, with Newcombe's interval."""


def seconds_by_unit(counted: Iterable[Counted]) -> dict[str, float]:
    """Return the mean time of the judgments that count, for each unit with a known time."""
    times: dict[str, list[float]] = defaultdict(list)
    for c in counted:
        if c.is_verdict and c.entry.seconds:
            times[c.entry.unit_id].append(min(c.entry.seconds, MOST))
    return {unit_id: fmean(seconds) for unit_id, seconds in times.items()}


def mean_seconds(seconds: Mapping[str, float]) -> float:
    """Return the mean time per unit, or `ASSUMED` if no time is known."""
    return fmean(seconds[unit_id] for unit_id in sorted(seconds)) if seconds else ASSUMED


def first_half(p_held: Floats, valid: Floats, seconds: float) -> FirstHalf:
    """Return the result of ordering judged units by ``p_held``, for the first half of the time.

    ``p_held`` is each unit's probability of valid from a classifier that did not see the unit, ``valid`` is 1
    or 0, and a unit takes ``seconds``. There are at least two units. With shares a of the first n1 units and
    b of the other n2, all units have (n1 a + n2 b) / n, so the gain is (a − b) n2 / n: Newcombe's interval of
    a − b, times n2 / n.
    """
    order = np.argsort(-p_held, kind="stable")
    n = valid.size
    n1 = (n + 1) // 2
    hits, hits1 = int(valid.sum()), int(valid[order[:n1]].sum())
    first, last, whole = wilson(hits1, n1), wilson(hits - hits1, n - n1), wilson(hits, n)
    assert first is not None
    assert last is not None
    assert whole is not None
    hourly = 3600 / seconds
    return FirstHalf(
        first.scaled(hourly), whole.scaled(hourly), difference(last, first).scaled(hourly * (n - n1) / n)
    )
