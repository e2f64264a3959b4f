"""Types of NumPy arrays by the kind of their numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Floats", "Ints"]

Bools = npt.NDArray[np.bool_]
"""Truth values."""
Floats = npt.NDArray[np.float64]
"""Numbers in double precision."""
Ints = npt.NDArray[np.int64]
"""Whole numbers of 64 bits."""
