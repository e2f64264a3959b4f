"""The attribute error ε: how far a negated attribute fails to reverse a model's answer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["attribute_error"]

Floats = npt.NDArray[np.float64]


def attribute_error(first: Floats, second: Floats) -> Floats:
    """Return the mean of |S(x₁|τ₁₂(a)) − S(x₂|τ₁₂(ā))| over both subjects and both orders.

    ``first`` and ``second`` are as for `nextset.auditing.measures.positional_error`. The result has the shape
    (quads,) and is in [0, 1]; ε is its mean over quads. Li et al. (2020), equation 4.
    """
    error: Floats = (np.abs(first[:2] - second[2:]) + np.abs(second[:2] - first[2:])).sum(axis=0) / 4
    return error
