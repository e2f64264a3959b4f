"""The numbers of questions with options whose model reads each option by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nextset.records.choice_items import OPTION_SCORES
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, Numbers

__all__ = ["option_numbers"]


def option_numbers(probabilities: Numbers, truncated: Sequence[bool]) -> Numbers:
    """Return numbers with the columns `CHOICE_COLUMNS`, from the probabilities of the options.

    ``probabilities`` has the shape (questions, most options), NaN in places without an option. There is no
    order of the options, so flips and order_margin are NaN.
    """
    numbers: Numbers = np.full((len(probabilities), len(CHOICE_COLUMNS)), np.nan)
    numbers[:, : len(OPTION_SCORES)] = probabilities
    numbers[:, -1] = truncated
    return numbers
