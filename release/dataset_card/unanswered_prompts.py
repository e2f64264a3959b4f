"""The released scores of models that left prompts without a choice: their rates, for the card."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.records.prompt_outcomes import OUTCOMES, shows_outcomes

__all__ = ["OUTCOME_SCORE_COLUMNS", "UnansweredPrompts", "unanswered_prompts"]

OUTCOME_SCORE_COLUMNS = ("model", *OUTCOMES, "votes")
"""The columns of scores that are needed."""


@dataclass(frozen=True)
class UnansweredPrompts:
    """A model whose rates of prompts without a choice are shown (`shows_outcomes`)."""

    name: str
    """The model's published name."""
    rows: int
    """The released rows that it was asked about, once for each revision of the model."""
    abstained: float
    """The mean share of prompts of a row that it abstained from, in [0, 1]."""
    refused: float
    """The mean share that it refused."""
    unreadable: float
    """The mean share whose answers cannot be read."""
    cut_off: float
    """The mean share whose answers did not end."""
    touched: float
    """The share of rows with at least one such prompt. A share of answered rows differs from the same share
    of all rows by at most this number."""


def unanswered_prompts(scores: Iterable[pa.Table]) -> tuple[UnansweredPrompts, ...]:
    """Return the models of ``scores``, tables with `OUTCOME_SCORE_COLUMNS`, by name.

    Empty if every prompt of every row was answered with a choice.
    """
    sums: dict[str, Floats] = {}
    shown: set[str] = set()
    for piece in scores:
        for name in pc.unique(piece["model"]).to_pylist():
            rows = piece.filter(pc.equal(piece["model"], name))
            shares = np.column_stack([rows[outcome].to_numpy() for outcome in OUTCOMES])
            counts = [rows.num_rows, *shares.sum(axis=0), np.count_nonzero(shares.any(axis=1))]
            sums[name] = sums.get(name, np.zeros(len(counts))) + counts
            shown |= {name} if shows_outcomes(rows) else set()
    if not any(of_model[1:].any() for of_model in sums.values()):
        return ()
    return tuple(
        UnansweredPrompts(name, int(sums[name][0]), *(sums[name][1:] / sums[name][0]).tolist())
        for name in sorted(shown)
    )
