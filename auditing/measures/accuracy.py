"""Accuracy: the share of right labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextset.scoring.predicted_labels import Labels

__all__ = ["Accuracy", "accuracy"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right labels."""

    value: float | None
    """Right labels / all labels, in [0, 1]; None for an empty set."""
    n: int
    """Items."""
    note: str | None
    """Why the value is None."""


def accuracy(predicted: Labels, right: Labels) -> Accuracy:
    """Return the share of items whose predicted label is the right one. Both arrays have shape (items,)."""
    n = len(predicted)
    if n == 0:
        return Accuracy(None, 0, "undefined: there are no items")
    return Accuracy(int(np.count_nonzero(predicted == right)) / n, n, None)
