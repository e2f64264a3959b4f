"""The disaggregate counterfactual measures, over pairs of items that differ only in the group.

`nextset.release.counterfactuals.counterfactual_items` makes the pairs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from nextset.scoring.predicted_labels import Labels

__all__ = ["Counterfactual", "counterfactual"]

E, N, C = "entailment", "neutral", "contradiction"

COUNTS_AS = {
    (N, N): (0, 0, 0),
    (N, C): (1, 0, 0),
    (E, N): (1, 0, 0),
    (E, C): (2, 0, 0),
    (C, N): (0, 1, 0),
    (N, E): (0, 1, 0),
    (C, E): (0, 2, 0),
    (E, E): (0, 0, 2),
    (C, C): (0, 0, 2),
}
"""Table 6 of Baldini et al. (2023): the predictions for the stereotype and for its counterpart, and how
many items they count as pro, as anti and as error."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Mispredictions by kind: with the stereotype, against it, or regardless of the group."""

    pro: float | None
    """Items that count as pro / items in pairs, in [0, 1]; None if there are no pairs."""
    anti: float | None
    """Items that count as anti / items in pairs, in [0, 1]; None if there are no pairs."""
    error: float | None
    """Items with the same wrong answer for both groups / items in pairs; None if there are no pairs."""
    misprediction: float | None
    """Items in pairs that are not predicted neutral / items in pairs; pro + anti + error."""
    n: int
    """Items in pairs: twice the number of pairs."""
    note: str | None
    """Why the values are None."""


def counterfactual(stereotype: Labels, counterpart: Labels) -> Counterfactual:
    """Return pro, anti and error over pairs that differ only in the group of the hypothesis.

    ``stereotype`` has the predictions for the hypotheses whose stance is pro, ``counterpart`` those for
    their counterparts (anti), in the same order; shape (pairs,). Baldini et al. (2023), table 6.
    """
    n = len(stereotype) + len(counterpart)
    if n == 0:
        return Counterfactual(None, None, None, None, 0, "undefined: there are no counterfactual pairs")
    pro = anti = error = 0
    answers = Counter(zip(stereotype.tolist(), counterpart.tolist(), strict=True))
    for answer, pairs in answers.items():
        counts = COUNTS_AS[answer]
        pro, anti, error = pro + counts[0] * pairs, anti + counts[1] * pairs, error + counts[2] * pairs
    wrong = np.count_nonzero(stereotype != N) + np.count_nonzero(counterpart != N)
    return Counterfactual(pro / n, anti / n, error / n, wrong / n, n, None)
