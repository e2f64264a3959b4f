"""The options that a model chooses, from its probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.errors import ArtifactError
from nextset.records.choice_items import NO_OPTION, OPTION_SCORES
from nextset.scoring.outcome_shares import missing_shares, unchangeable

__all__ = ["NO_OPTION", "Places", "answered_choices", "chosen_options", "option_margins", "option_matrix"]

Places = npt.NDArray[np.int8]
"""Places of options, from 0, shape (rows,)."""


def chosen_options(scores: pa.Table) -> Places:
    """Return the place of the most probable option of each row of ChoiceScores, shape (rows,).

    Ties resolve in the order of the options. It is `NO_OPTION` for rows that are not `answered_choices`.
    Raises ArtifactError if a probability is not a number.
    """
    chosen: Places = option_matrix(scores).argmax(axis=1).astype(np.int8)
    chosen[~answered_choices(scores)] = NO_OPTION
    return chosen


def answered_choices(scores: pa.Table) -> Bools:
    """Return True for each row of ChoiceScores whose choice the unanswered prompts could not have changed.

    The shape is (rows,). An abstention is the option unknown, if the item has one.
    """
    return unchangeable(option_matrix(scores), missing_shares(scores))


def option_margins(scores: pa.Table) -> Floats:
    """Return the difference between the two highest probabilities of each row, shape (rows,)."""
    ordered = np.sort(option_matrix(scores), axis=1)
    gaps: Floats = ordered[:, -1] - ordered[:, -2]
    return gaps


def option_matrix(scores: pa.Table) -> Floats:
    """Return the probabilities of the options, shape (rows, options); minus infinity where there is none.

    Raises ArtifactError if a probability is not a number.
    """
    matrix = np.full((scores.num_rows, len(OPTION_SCORES)), -np.inf)
    for i, name in enumerate(OPTION_SCORES):
        there = np.asarray(pc.is_valid(scores[name]))
        matrix[there, i] = pc.drop_null(scores[name]).to_numpy()
    broken = np.flatnonzero(np.isnan(matrix).any(axis=1) | ~np.isfinite(matrix[:, :2]).all(axis=1))
    if broken.size:
        row = scores.slice(int(broken[0]), 1)
        raise ArtifactError(
            f"the score of item {row['item_id'][0].as_py()} by {row['model'][0].as_py()} is not a number",
            remedy="set scoring.precision: float32 and score again",
        )
    return matrix
