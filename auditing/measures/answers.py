"""A model's label of each item as a small integer, and the arrays of labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT

__all__ = ["CONTRADICTION", "ENTAILMENT", "NAMES", "NEUTRAL", "Bools", "Codes"]

NAMES = (*LABELS, NOT_ENTAILMENT)
"""The labels by their codes; the last is for models with two labels."""
ENTAILMENT, NEUTRAL, CONTRADICTION = range(len(LABELS))

Codes = npt.NDArray[np.int8]
"""The code of each item's label, shape (items,)."""
Bools = npt.NDArray[np.bool_]
"""One truth value per item, shape (items,)."""
