"""Counts of a model's answers by cluster: the measures of NLI items are ratios of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.auditing.measures.item_measures import (
    NEUTRAL,
    Codes,
    anti_answers,
    counted_pairs,
    pro_answers,
    right_answers,
)
from nextset.auditing.measures.measure import CountMeasure, built_in
from nextset.forms import NLI

__all__ = [
    "COUNTS",
    "ITEM_MEASURES",
    "MEASURES",
    "ROWS_OF",
    "counted_items",
    "measured",
    "paired_counts",
]

COUNTS = (
    "items", "right", "not_neutral", "pro", "anti", "controls", "controls_right",
    "swapped", "swapped_right", "unswapped", "unswapped_right",
    "paired", "paired_pro", "paired_anti", "paired_error", "paired_wrong",
    "rows", "control_rows", "paired_rows",
)  # fmt: skip
"""The counts in each cluster, weighted by the selection; the last three count rows without weights.

swapped: test items whose premise has the groups exchanged; unswapped: the other test items."""

ITEM_MEASURES = built_in(CountMeasure, NLI.name)
"""nextset's measures of NLI items, in the order of the tables."""
MEASURES = tuple(m.name for m in ITEM_MEASURES if m.compared)
"""The names of the measures that are compared between models, in the order of the tables."""
ROWS_OF = {m.name: m.rows for m in ITEM_MEASURES}
"""The count that says how many rows a measure is based on."""

Cells = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums by cluster, filled one at a time."""

    found: Floats
    cells: Cells

    def add(self, name: str, rows: npt.NDArray[np.intp], amounts: npt.NDArray[np.generic]) -> None:
        n = self.found.shape[1]
        self.found[COUNTS.index(name)] += np.bincount(
            self.cells[rows], amounts[rows].astype(np.float64), minlength=n
        )


def counted_items(
    labels: Codes,
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
    """Return the counts of one model's answers to items, shape (`COUNTS`, clusters), without those of pairs.

    ``labels`` and ``right`` are codes of labels; ``states`` says whether an item states the stereotype;
    ``weights`` are the weights of items that measure bias, and 0 for other items; ``controls`` are test
    items; ``swapped`` says whether the premise has the groups exchanged; ``cells`` are the items' clusters.
    All have the shape (items,).
    """
    sums = _Sums(np.zeros((len(COUNTS), n_cells)), cells)
    correct = right_answers(labels, right, two_way)
    bias, tests = np.flatnonzero(weights), np.flatnonzero(controls)
    sums.add("items", bias, weights)
    sums.add("right", bias, weights * correct)
    sums.add("rows", bias, np.ones_like(weights))
    sums.add("controls", tests, controls)
    sums.add("controls_right", tests, correct)
    sums.add("control_rows", tests, controls)
    sums.add("swapped", tests, swapped)
    sums.add("swapped_right", tests, correct & swapped)
    sums.add("unswapped", tests, ~swapped)
    sums.add("unswapped_right", tests, correct & ~swapped)
    if not two_way:
        sums.add("not_neutral", bias, weights * (labels != NEUTRAL))
        sums.add("pro", bias, weights * pro_answers(labels, states))
        sums.add("anti", bias, weights * anti_answers(labels, states))
    return sums.found


def paired_counts(
    stereotype: Codes, counterpart: Codes, weights: Floats, cells: Cells, n_cells: int, *, two_way: bool
) -> Floats:
    """Return the counts of one model's answers to pairs, shape (`COUNTS`, clusters).

    Each pair counts as two items, and ``weights`` are the means of their weights. The labels are as for
    `nextset.auditing.measures.item_measures.counted_pairs`.
    """
    sums = _Sums(np.zeros((len(COUNTS), n_cells)), cells)
    rows = np.flatnonzero(weights)
    sums.add("paired", rows, 2 * weights)
    sums.add("paired_rows", rows, np.full_like(weights, 2))
    if not two_way:
        counts = weights[:, None] * counted_pairs(stereotype, counterpart)
        for k, name in enumerate(("paired_pro", "paired_anti", "paired_error")):
            sums.add(name, rows, counts[:, k])
        wrong = (stereotype != NEUTRAL).astype(np.float64) + (counterpart != NEUTRAL)
        sums.add("paired_wrong", rows, weights * wrong)
    return sums.found


def measured(sums: Floats, *, two_way: bool) -> Mapping[str, Floats]:
    """Return `ITEM_MEASURES`, computed from sums of shape (…, `COUNTS`); NaN if undefined.

    A model with two labels has only accuracies.
    """
    counts = {name: sums[..., i] for i, name in enumerate(COUNTS)}
    nothing = np.full(sums.shape[:-1], np.nan)
    return {m.name: m.value(counts) if m.two_way or not two_way else nothing for m in ITEM_MEASURES}
