"""Accuracy: the share of right labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextset.interval import Interval, wilson
from nextset.scoring.predicted_labels import Labels

__all__ = ["Accuracy", "accuracy"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right labels, with its interval."""

    value: float | None
    """Right labels / all labels, in [0, 1]; None for an empty set."""
    interval: Interval | None
    """The 95 % interval of the value by Wilson; None for an empty set."""
    n: int
    """Items."""
    note: str | None
    """Why the value is None."""


def accuracy(predicted: Labels, right: Labels) -> Accuracy:
    """Return the share of items whose predicted label is the right one. Both arrays have shape (items,)."""
    n = len(predicted)
    interval = wilson(int(np.count_nonzero(predicted == right)), n)
    if interval is None:
        return Accuracy(None, None, 0, "undefined: there are no items")
    return Accuracy(interval.point, interval, n, None)
