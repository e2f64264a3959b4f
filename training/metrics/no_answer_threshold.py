"""The threshold of no-answer scores at which the metrics are best (Rajpurkar et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BestThreshold", "best_threshold"]


@dataclass(frozen=True, slots=True)
class BestThreshold:
    """The best value of a metric over all thresholds."""

    value: float
    """The mean of the metric over all questions, from 0 to 1."""
    threshold: float
    """The answer is replaced by none if the question's no-answer score is higher than this."""


def best_threshold(
    matches: Sequence[float], none_given: Sequence[bool], answerable: Sequence[bool], scores: Sequence[float]
) -> BestThreshold:
    """Return the threshold with the highest mean of ``matches``, which it gives to the questions.

    ``matches`` are the metric of each answer as it is, ``none_given`` says whether it is empty,
    ``answerable`` whether there is a right one, and ``scores`` how much speaks for no answer, as finite
    numbers; all have one length, at least 1. As in the official script the lowest of several best thresholds
    counts, and 0 answers nothing if all scores are higher. If some are not, a number below all scores does:
    the script's 0 would answer questions. And the script distinguishes questions of one score by their order,
    which no threshold can; here all of them are answered, or none.
    """
    value = best = float(sum(not one for one in answerable))
    threshold = _below(min(scores))
    order = sorted(range(len(scores)), key=scores.__getitem__)
    for i, after in zip(order, [*order[1:], None], strict=True):
        value += matches[i] if answerable[i] else -float(not none_given[i])
        if value > best and (after is None or scores[after] > scores[i]):
            best, threshold = value, scores[i]
    return BestThreshold(best / len(scores), threshold)


def _below(lowest: float) -> float:
    """Return 0 if the ``lowest`` score is higher, else a short number below it."""
    if lowest > 0:
        return 0.0
    whole = math.floor(lowest) - 1.0
    return whole if whole < lowest else math.nextafter(lowest, -math.inf)
