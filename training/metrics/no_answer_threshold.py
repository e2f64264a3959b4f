"""The threshold of no-answer scores at which the metrics are best (Rajpurkar et al. 2018)."""

from __future__ import annotations

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
    """Return the threshold with the highest mean of ``matches``.

    ``matches`` are the metric of each answer as it is, ``none_given`` says whether it is empty,
    ``answerable`` whether there is a right one, and ``scores`` how much speaks for no answer; all have
    one length, at least 1. As in the official script questions are taken in the order of their scores, and
    the first best threshold counts; questions of equal scores keep their order, and 0 stands for answering
    nothing.
    """
    value = best = float(sum(not one for one in answerable))
    threshold = 0.0
    for i in sorted(range(len(scores)), key=scores.__getitem__):
        value += matches[i] if answerable[i] else -float(not none_given[i])
        if value > best:
            best, threshold = value, scores[i]
    return BestThreshold(best / len(scores), threshold)
