"""The threshold of no-answer scores with the best metrics (Rajpurkar et al. 2018)."""

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
    """An answer with a higher no-answer score than this one becomes no answer."""


def best_threshold(
    matches: Sequence[float], none_given: Sequence[bool], answerable: Sequence[bool], scores: Sequence[float]
) -> BestThreshold:
    """Return the threshold with the highest mean of the metric over all questions.

    ``matches`` are the metric of each answer, ``none_given`` says whether the answer is empty, ``answerable``
    whether there is a correct answer, and ``scores`` are the no-answer scores, which are finite. All have the
    same length, at least 1. As in the official script, the lowest of several best thresholds counts. If it is
    best to answer nothing, the threshold is 0 if all scores are higher than 0, else a number below all
    scores, because the script's 0 would answer questions. The script distinguishes questions with the same
    score by their order, which no threshold can do; here either all of them are answered or none.
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
    """Return 0 if the ``lowest`` score is higher than 0, else a short number below the score."""
    if lowest > 0:
        return 0.0
    whole = math.floor(lowest) - 1.0
    return whole if whole < lowest else math.nextafter(lowest, -math.inf)
