"""Which scores are so near a decision that another batch could change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.scorer import Numbers

__all__ = ["CLOSE", "near_nli"]

CLOSE = {"float32": 1e-4, "bfloat16": 0.05}
"""How far a probability can be from the one that the model gives in float32 and alone, with a wide margin:
padding and the batch's shape move it by about 1e-6 in float32, reckoning in bfloat16 by about 1e-2."""


def near_nli(numbers: Numbers, margins: Sequence[float], close: float) -> npt.NDArray[np.bool_]:
    """Whether the most probable label of each row, or a margin that a rule compares, is nearly undecided.

    ``numbers`` has the columns `NLI_COLUMNS`; ``margins`` are the rule's thresholds on the difference between
    the two most probable labels.
    """
    gaps = margins_of(numbers)
    near: npt.NDArray[np.bool_] = gaps < close
    for margin in margins:
        near |= np.abs(gaps - margin) < close
    return near


def margins_of(numbers: Numbers) -> npt.NDArray[np.float64]:
    """The difference between the two most probable labels of each row, shape (rows,)."""
    three = np.sort(numbers[:, :3], axis=1)
    two: npt.NDArray[np.floating[Any]] = np.abs(2 * numbers[:, 0] - 1)
    gaps: npt.NDArray[np.float64] = np.where(np.isnan(numbers[:, 1]), two, three[:, 2] - three[:, 1])
    return gaps
