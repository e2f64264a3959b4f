"""The positional error δ: how much a subject's score depends on which subject the context names first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["positional_error"]

Floats = npt.NDArray[np.float64]


def positional_error(first: Floats, second: Floats) -> Floats:
    """Return the mean of |S(x₁|τ₁₂(a)) − S(x₁|τ₂₁(a))| over both subjects and both polarities.

    ``first`` and ``second`` are the scores of the two subjects, shape (4, quads): asked with the attribute in
    both orders, then with its negation in both orders. The result has the shape (quads,) and is in [0, 1]; δ
    is its mean over quads. Li et al. (2020), equation 2.
    """
    error: Floats = (np.abs(first[::2] - first[1::2]) + np.abs(second[::2] - second[1::2])).sum(axis=0) / 4
    return error
