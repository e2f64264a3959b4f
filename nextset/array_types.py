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
    """Return True if ``values``, or one of their rows, have a pandas index other than 0, 1, …

    Their order may not be that of the rows or labels that they are about. An object of a foreign type can
    raise anything.
    """
    if isinstance(values, list | tuple):
        return any(map(is_reordered, values))
    index = getattr(values, "index", None)
    return index is not None and not callable(index) and list(index) != list(range(len(index)))
