"""Near ties: NLI scores so near a decision that a different batch could change it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.nli_items import LABELS
from nextset.scoring.outcome_shares import vote_rows
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["CLOSE", "CLOSE_SUBJECTS", "margins", "near_nli_tie", "neutral_hundredths"]

CLOSE = {"float32": 1e-4, "vllm": 1e-2, "bfloat16": 0.2}
"""The largest change in the difference of two probabilities, compared with each input scored by itself in
float32, with a wide margin: in float32, padding and the batch's shape cause about 1e-6; vLLM in float32 may
cause 1e-3, and bfloat16 causes about 1e-2."""
CLOSE_SUBJECTS = 1e-3
"""The largest change in a subject's score in float32, as a fraction of the score; the measured maximum is
2e-5. In bfloat16, subjects' scores were off by up to 0.6 of their value, so no such limit is useful."""


def margins(scores: pa.Table) -> npt.NDArray[np.float64]:
    """Return the difference between the two highest probabilities of each row of NliScore, shape (rows,).

    For a model with two labels, it is |2p − 1|, with p as the probability of entailment.
    """
    numbers = np.column_stack([np.asarray(scores[label].to_numpy(), dtype=np.float64) for label in LABELS])
    three = np.sort(numbers, axis=1)
    two = np.abs(2 * numbers[:, 0] - 1)
    differences: npt.NDArray[np.float64] = np.where(np.isnan(numbers[:, 1]), two, three[:, 2] - three[:, 1])
    return differences


def neutral_hundredths(scores: pa.Table) -> npt.NDArray[np.int8]:
    """Return the probability of neutral of each row of NliScore in hundredths, 0 to 100, shape (rows,).

    For a model with two labels, it is the probability of not entailment. Halves are rounded up.
    """
    return np.floor(_neutral(scores) + 0.5).astype(np.int8)


def _neutral(scores: pa.Table) -> npt.NDArray[np.float64]:
    """Return 100 times the probability of neutral, or of not entailment."""
    entailment, neutral = (np.asarray(scores[name].to_numpy(), dtype=np.float64) for name in LABELS[:2])
    return 100 * np.where(np.isnan(neutral), 1 - entailment, neutral)


def near_nli_tie(scores: pa.Table, boundaries: Boundaries, close: float) -> npt.NDArray[np.bool_]:
    """Return True for rows that a change of ``close`` in a probability could move across ``boundaries``.

    These are rows whose two best labels nearly tie, whose difference is near a margin, or whose probability
    of neutral is near the middle between two hundredths. Votes do not depend on batches, so a tie of votes is
    not near.
    """
    gaps = margins(scores)
    near: npt.NDArray[np.bool_] = gaps < close
    for threshold in boundaries.margins:
        near = near | (np.abs(gaps - threshold) < close)
    if boundaries.neutral:
        halves = _neutral(scores) - 0.5
        near = near | (np.abs(halves - np.rint(halves)) < 100 * close)
    return np.asarray(near & ~vote_rows(scores))
