"""A share of a whole, which is undefined for an empty whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "share"]

Floats = npt.NDArray[np.float64]


def share(part: Floats, whole: Floats) -> Floats:
    """Return ``part`` / ``whole``, arrays of one shape; NaN if the whole is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient: Floats = np.where(np.asarray(whole) == 0, np.nan, np.divide(part, whole))
    return quotient
