"""The items that a model gets wrong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.scoring.predicted_labels import predicted

__all__ = ["mistakes"]


def mistakes(scores: pa.Table, right: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Return True for each row of NliScores with a wrong label; ``right`` has the right labels, row by row.

    A model with two labels is wrong if it predicts entailment for an item with a different label, or
    not_entailment for an item with the label entailment.
    """
    guesses = predicted(scores)
    labels = np.asarray(right.to_pylist(), dtype=np.str_)
    two_way = pc.is_null(scores["neutral"]).to_numpy()
    missed: npt.NDArray[np.bool_] = np.where(
        two_way, (guesses == "entailment") != (labels == "entailment"), guesses != labels
    )
    return missed
