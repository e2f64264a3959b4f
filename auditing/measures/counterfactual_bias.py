"""The disaggregate counterfactual measures, over pairs of items that differ only in the group.

`nextset.release.counterfactuals.counterfactual_items` makes the pairs.
"""

from __future__ import annotations

import numpy as np

from nextset.auditing.measures.answers import CONTRADICTION, ENTAILMENT, NEUTRAL, Codes
from nextset.auditing.measures.share import Floats

__all__ = ["COUNTS_AS", "counted_pairs"]

_E, _N, _C = ENTAILMENT, NEUTRAL, CONTRADICTION

COUNTS_AS = {
    (_N, _N): (0, 0, 0),
    (_N, _C): (1, 0, 0),
    (_E, _N): (1, 0, 0),
    (_E, _C): (2, 0, 0),
    (_C, _N): (0, 1, 0),
    (_N, _E): (0, 1, 0),
    (_C, _E): (0, 2, 0),
    (_E, _E): (0, 0, 2),
    (_C, _C): (0, 0, 2),
}
"""Table 6 of Baldini et al. (2023): the predictions for the stereotype and for its counterpart, and the
numbers of items that count as pro, as anti and as error."""

_COUNTS = np.zeros((3, 3, 3))
for _answers, _kinds in COUNTS_AS.items():
    _COUNTS[_answers] = _kinds


def counted_pairs(stereotype: Codes, counterpart: Codes) -> Floats:
    """Return how many items each pair counts as pro, as anti and as error, shape (pairs, 3).

    ``stereotype`` has the predictions for the hypotheses whose stance is pro, and ``counterpart`` the
    predictions for their counterparts (anti), in the same order. Each sum is divided by the number of items
    in pairs; the three shares add up to the share of these items that are not predicted neutral. Baldini et
    al. (2023), table 6.
    """
    counts: Floats = _COUNTS[stereotype, counterpart]
    return counts
