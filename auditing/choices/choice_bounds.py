"""The answers that choice items without an answer could have had: they bound every measure.

The accuracies are smallest and largest if every row is answered wrong or right. The difference of accuracies,
and the share of biased minus that of counter-biased answers, grow with every biased answer and fall with
every counter-biased one; so do 2 n_biased / n_not_unknown − 1, and its product with 1 − accuracy, in which
rows without a target can be right or wrong. So `FILLS` contain the smallest and the largest value of every
measure.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nextset.array_types import Bools, Ints
from nextset.auditing.choices.choice_arrays import ABSENT, ChoiceColumns
from nextset.records.choice_items import MOST_OPTIONS
from nextset.scoring.chosen_options import Places

__all__ = ["FILLS", "filled_choices"]

FILLS = (
    "right",
    "wrong",
    "with the stereotype, others right",
    "with the stereotype, others wrong",
    "against the stereotype, others right",
    "against the stereotype, others wrong",
)
"""How the items are answered; the others are items whose target is not known."""


def filled_choices(columns: ChoiceColumns, rows: Ints) -> Iterator[Places]:
    """Yield the places of the options that the items at ``rows`` are answered with, for each of `FILLS`."""
    label, places = columns.label[rows], np.arange(MOST_OPTIONS)
    people, biased = columns.people[rows], columns.biased[rows]
    there = people | (places == columns.unknown[rows][:, None])
    is_right = places == label[:, None]
    wrong = _first(there & ~is_right, label)
    known = columns.target[rows] != ABSENT
    other = columns.unknown[rows]
    fallback = np.where(other == ABSENT, label, other)
    yield label
    yield wrong
    for leaning in (biased, people & ~biased):
        towards = _first(leaning & is_right, _first(leaning, fallback))
        for rest in (label, wrong):
            yield np.where(known, towards, rest)


def _first(options: Bools, otherwise: Places) -> Places:
    """Return the first place that is True in each row, or ``otherwise``."""
    first: Places = np.where(options.any(axis=1), options.argmax(axis=1), otherwise).astype(np.int8)
    return first
