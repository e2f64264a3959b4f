"""A cascade: a model is asked only about the items that earlier models left undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.array_types import Bools
from nextset.scoring.wrong_answers import Missing

__all__ = ["MarkedForm", "Vote", "undecided"]

Counts = npt.NDArray[np.intp]
"""A number of models for each item, shape (items,)."""


@dataclass(frozen=True)
class Vote:
    """A rule that counts models that get an item wrong."""

    needed: int
    """The number of models that must get an item wrong for it to be kept."""
    models: int
    """The number of models in total."""
    missing: Missing = "not_wrong"
    """The policy for items that a model did not answer (filter.missing)."""

    def decided(self, against: Counts, asked: Counts | int, silent: Bools) -> Bools:
        """Return True for each item if the models still to ask cannot change the result, shape (items,).

        ``against`` counts the models that are wrong so far, of the number ``asked``; ``silent`` is True if
        one of them did not answer. With the policy drop, such an item is rejected, and no item is kept before
        all models have answered it.
        """
        left = self.models - asked
        lost = against + left < self.needed
        won = (against >= self.needed) & ((self.missing != "drop") | (left == 0))
        return np.asarray(lost | won | (silent & (self.missing == "drop")))


class MarkedForm(Protocol):
    """The part of a form that says which answers are wrong: a `ScoredForm` with right answers."""

    def mistakes(self, scores: pa.Table, right: pa.ChunkedArray, missing: Missing) -> Bools:
        """Return True for each row of scores with a wrong answer."""

    def answered(self, scores: pa.Table) -> Bools:
        """Return True for each row of scores that the model answered."""


def undecided(
    rows: pa.Table, earlier: Sequence[Callable[[pa.Table], pa.Table]], vote: Vote, form: MarkedForm
) -> pa.Table:
    """Return the ``rows`` of ``form`` that are still undecided after the ``earlier`` models, each asked."""
    against = np.zeros(rows.num_rows, dtype=np.intp)
    for asked, answers in enumerate(earlier, start=1):
        scores = answers(rows)
        against = against + form.mistakes(scores, rows["label"], vote.missing)
        # an item that an earlier model did not answer is decided, or its answer does not count
        open_ = ~vote.decided(against, asked, ~form.answered(scores))
        rows, against = rows.filter(pa.array(open_)), against[open_]
    return rows
