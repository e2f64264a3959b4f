"""The items that a model gets wrong."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.scoring.predicted_labels import UNANSWERED, predicted

__all__ = ["Missing", "mistakes"]

Missing = Literal["not_wrong", "wrong", "drop"]
"""The policy for a candidate that a model did not answer (filter.missing): the model is not wrong, or is
wrong, or the candidate is rejected."""


def mistakes(
    scores: pa.Table, right: pa.ChunkedArray, missing: Missing = "not_wrong"
) -> npt.NDArray[np.bool_]:
    """Return True for each row of NliScores with a wrong label; ``right`` has the right labels, row by row.

    A model with two labels is wrong if it predicts entailment for an item with a different label, or
    not_entailment for an item with the label entailment. A model that did not answer is wrong only if
    ``missing`` is wrong.
    """
    guesses = predicted(scores)
    labels = np.asarray(right.to_pylist(), dtype=np.str_)
    two_way = pc.is_null(scores["neutral"]).to_numpy()
    missed: npt.NDArray[np.bool_] = np.where(
        two_way, (guesses == "entailment") != (labels == "entailment"), guesses != labels
    )
    missed[guesses == UNANSWERED] = missing == "wrong"
    return missed
