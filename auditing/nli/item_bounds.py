"""The counts that items without an answer would add if they had been answered: they bound every measure.

A measure of items is a ratio of sums over rows whose denominator does not depend on the answers, or a
difference of two such ratios. So it is smallest and largest if each row by itself is answered so that it adds
least or most. Four ways to answer (`FILLS`) contain the smallest and the largest value of every measure.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.auditing.measures.item_measures import (
    CONTRADICTION,
    COUNTS_AS,
    ENTAILMENT,
    NEUTRAL,
    Codes,
)
from nextset.auditing.nli.answer_counts import COUNTS, counted_items
from nextset.auditing.nli.labels_by_model import NO_LABEL

__all__ = ["FILLS", "filled_items", "filled_pairs"]

FILLS = ("right", "wrong", "with the stereotype", "against the stereotype")
"""How the items that measure bias are answered. The controls are then answered wrong, right, right only with
a true premise, and right only with a swapped one; each count of pairs has its smallest value in the first and
the third, and its largest in the second and the fourth."""

Cells = npt.NDArray[np.int64]
_PAIRED = ("paired_pro", "paired_anti", "paired_error", "paired_wrong")
_ANSWERS = (ENTAILMENT, NEUTRAL, CONTRADICTION)


def filled_items(
    right: Codes,
    states: Bools,
    weights: Floats,
    controls: Bools,
    swapped: Bools,
    cells: Cells,
    n_cells: int,
    *,
    two_way: bool,
) -> Floats:
    """Return the counts of items that were not answered, shape (`FILLS`, `COUNTS`, clusters).

    The arguments are those of `nextset.auditing.nli.answer_counts.counted_items`: ``weights`` and
    ``controls`` are 0 and false for items that were answered.
    """
    wrong = np.where(right == NEUTRAL, ENTAILMENT, NEUTRAL).astype(np.int8)
    towards = np.where(states, ENTAILMENT, CONTRADICTION).astype(np.int8)
    away = np.where(states, CONTRADICTION, ENTAILMENT).astype(np.int8)
    of_controls = (wrong, right, np.where(swapped, wrong, right), np.where(swapped, right, wrong))
    return np.array(
        [
            counted_items(
                np.where(controls, of_control, of_bias),
                right, states, weights, controls, swapped, cells, n_cells, two_way=two_way,
            )
            for of_bias, of_control in zip((right, wrong, towards, away), of_controls, strict=True)
        ]
    )  # fmt: skip


def _pair_ends() -> tuple[Floats, Floats]:
    """Return the least and the most that a pair can count as, by the codes of its two labels.

    The shape is (`NO_LABEL` + 1, `NO_LABEL` + 1, `_PAIRED`).
    """
    least, most = (np.zeros((NO_LABEL + 1, NO_LABEL + 1, len(_PAIRED))) for _ in range(2))
    for first, second in product((*_ANSWERS, NO_LABEL), repeat=2):
        options = [
            (*COUNTS_AS[one, other], int(one != NEUTRAL) + int(other != NEUTRAL))
            for one in (_ANSWERS if first == NO_LABEL else (first,))
            for other in (_ANSWERS if second == NO_LABEL else (second,))
        ]
        least[first, second], most[first, second] = np.min(options, axis=0), np.max(options, axis=0)
    return least, most


_LEAST, _MOST = _pair_ends()


def filled_pairs(
    stereotype: Codes, counterpart: Codes, weights: Floats, cells: Cells, n_cells: int, *, two_way: bool
) -> Floats:
    """Return the counts of pairs of which an item was not answered, shape (`FILLS`, `COUNTS`, clusters).

    The arguments are those of `nextset.auditing.nli.answer_counts.paired_counts`: ``weights`` are 0 for pairs
    whose items were both answered.
    """
    filled = np.zeros((len(FILLS), len(COUNTS), n_cells))
    rows = np.flatnonzero(weights)

    def summed(amounts: Floats) -> Floats:
        return np.bincount(cells[rows], amounts, minlength=n_cells).astype(np.float64)

    filled[:, COUNTS.index("paired")] = summed(2 * weights[rows])
    filled[:, COUNTS.index("paired_rows")] = summed(np.full(rows.size, 2.0))
    if not two_way:
        for ends, fills in ((_LEAST, slice(0, None, 2)), (_MOST, slice(1, None, 2))):
            counts = weights[rows, None] * ends[stereotype[rows], counterpart[rows]]
            for k, name in enumerate(_PAIRED):
                filled[fills, COUNTS.index(name)] = summed(counts[:, k])
    return filled
