"""Types of NumPy arrays by the kind of their numbers, and a check for masked values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Floats", "Ints", "has_masked"]

Bools = npt.NDArray[np.bool_]
"""Truth values."""
Floats = npt.NDArray[np.float64]
"""Numbers in double precision."""
Ints = npt.NDArray[np.int64]
"""Whole numbers of 64 bits."""


def has_masked(values: Any) -> bool:
    """Return True if ``values``, of any type, are or contain a masked value of `numpy.ma`."""
    return bool(np.ma.is_masked(values))  # type: ignore[no-untyped-call]
