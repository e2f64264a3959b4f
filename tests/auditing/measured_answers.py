"""Measures of answers that are written down as labels, by the functions of an audit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nextset.auditing.measures.item_measures import NAMES, Codes
from nextset.auditing.nli.answer_counts import MEASURES, counted_items, measured, paired_counts

__all__ = ["measured_answers", "measured_pairs"]


def measured_answers(
    labels: Sequence[str],
    stances: Sequence[str],
    right: Sequence[str] | None = None,
    *,
    two_way: bool = False,
) -> dict[str, float]:
    """The measures of items in one cluster; ``right`` are their labels, neutral if they are not given."""
    stance = np.array(stances, np.str_)
    controls = stance == "test"
    sums = counted_items(
        _codes(labels),
        _codes(right if right is not None else ["neutral"] * len(labels)),
        stance == "pro",
        np.where(controls, 0.0, 1.0),
        controls,
        np.zeros(len(labels), np.bool_),
        np.zeros(len(labels), np.int64),
        1,
        two_way=two_way,
    )
    found = measured(sums[:, 0], two_way=two_way)
    return {name: float(found[name]) for name in MEASURES}


def measured_pairs(stereotype: Sequence[str], counterpart: Sequence[str]) -> dict[str, float]:
    """The measures of pairs: predictions for the stereotypes and for their counterparts."""
    n = len(stereotype)
    sums = paired_counts(
        _codes(stereotype), _codes(counterpart), np.ones(n), np.zeros(n, np.int64), 1, two_way=False
    )
    found = measured(sums[:, 0], two_way=False)
    return {
        name.removeprefix("counterfactual_"): float(value)
        for name, value in found.items()
        if name.startswith("counterfactual_")
    }


def _codes(labels: Sequence[str]) -> Codes:
    return np.array([NAMES.index(label) for label in labels], np.int8)
