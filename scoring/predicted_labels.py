"""The labels that a model predicts, from its probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools
from nextset.errors import ArtifactError
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.outcome_shares import EQUAL_SHARES, missing_shares, unchangeable

__all__ = ["UNANSWERED", "Labels", "answered", "predicted"]

Labels = npt.NDArray[np.str_]
"""One of `nextset.records.nli_items.LABELS` per item, shape (items,); for a model with two labels,
entailment or not_entailment; `UNANSWERED` for an item that the model did not answer."""
UNANSWERED = "unanswered"
"""The text in place of a label where the prompts without a choice could have changed it."""


def predicted(scores: pa.Table) -> Labels:
    """Return the most probable label of each row of scores; ties resolve in the order of `LABELS`.

    The shape is (rows,). It is `UNANSWERED` for rows that are not `answered`. A row whose neutral and
    contradiction are null comes from a model with two labels: it predicts entailment if the probability is at
    least one half, else not_entailment. Raises ArtifactError if a probability is not a number.
    """
    columns = [np.asarray(scores[label].to_numpy(), dtype=np.float64) for label in LABELS]
    probabilities = np.column_stack(columns)
    absent = [np.asarray(pc.is_null(scores[label])) for label in LABELS]
    two_way = ~absent[0] & absent[1] & absent[2]
    probabilities[two_way, 1:] = 0
    broken = np.flatnonzero(~np.isfinite(probabilities).all(axis=1))
    if broken.size:
        row = scores.slice(int(broken[0]), 1)
        raise ArtifactError(
            f"the score of item {row['item_id'][0].as_py()} by {row['model'][0].as_py()} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    best: Labels = np.array([*LABELS, NOT_ENTAILMENT])[probabilities.argmax(axis=1)]
    best[two_way] = np.where(probabilities[two_way, 0] >= 0.5, LABELS[0], NOT_ENTAILMENT)
    best[~answered(scores)] = UNANSWERED
    return best


def answered(scores: pa.Table) -> Bools:
    """Return True for each row of NliScores whose label the unanswered prompts could not have changed.

    The shape is (rows,). A row without an unanswered prompt is answered. Otherwise its label has to win also
    if all unanswered prompts had been answered with a different label.
    """
    missing = missing_shares(scores)
    if (missing <= EQUAL_SHARES).all():
        return np.ones(scores.num_rows, np.bool_)
    shares = np.column_stack([np.asarray(scores[label].to_numpy(), np.float64) for label in LABELS])
    return unchangeable(shares, missing)
