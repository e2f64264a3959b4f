"""Types of NumPy arrays by the kind of their numbers, and checks of values that other code returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Floats", "Ints", "has_masked", "is_reordered"]

Bools = npt.NDArray[np.bool_]
"""Truth values."""
Floats = npt.NDArray[np.float64]
"""Numbers in double precision."""
Ints = npt.NDArray[np.int64]
"""Whole numbers of 64 bits."""


def has_masked(values: Any) -> bool:
    """Return True if ``values``, of any type, are or contain a masked value of `numpy.ma`."""
    return bool(np.ma.is_masked(values))  # type: ignore[no-untyped-call]


def is_reordered(values: Any) -> bool:
    """Return True if ``values`` have a pandas index other than 0, 1, …: their order may not be that of the
    rows that they are about."""
    index = getattr(values, "index", None)
    if index is None or callable(index):  # lists and tuples have a method of this name
        return False
    return list(index) != list(range(len(index)))
