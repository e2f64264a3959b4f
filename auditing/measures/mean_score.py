"""The mean score: how probable a model finds the two subjects as answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["mean_score"]

Floats = npt.NDArray[np.float64]


def mean_score(first: Floats, second: Floats) -> Floats:
    """Return the mean of the eight scores of each quad, in [0, 1], shape (quads,).

    ``first`` and ``second`` are as for `nextset.auditing.measures.positional_error`. A model that answers
    with something other than the subjects has a small mean score, and therefore a small |C|.
    """
    mean: Floats = (first.sum(axis=0) + second.sum(axis=0)) / (len(first) + len(second))
    return mean
