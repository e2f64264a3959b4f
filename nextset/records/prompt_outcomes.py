"""The outcomes of a prompt that is not answered with a choice, and the columns of scores that count them."""

from __future__ import annotations

from typing import Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["OUTCOMES", "Outcome", "shows_outcomes"]

Outcome = Literal["abstained", "refused", "unreadable", "cut_off"]
"""abstained: the model answered that the text does not say; where that is one of the choices, it is that
choice. refused: the model, the server or a content filter declined to answer. unreadable: no choice can be
read. cut_off: the answer did not end within the limit of tokens."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""The outcomes other than a choice, in the order of the columns of scores. A local model has none of them."""


def shows_outcomes(scores: pa.Table) -> bool:
    """Return whether tables and figures have the rates of `OUTCOMES` for the model of ``scores``.

    They do if the model left a prompt without a choice, or if its numbers are shares of answers (the column
    votes), since it might have. A local model that gives probabilities always chooses, so its rates of
    0 say nothing. ``scores`` are rows of scores; those of earlier versions lack the columns.
    """
    columns = (name for name in (*OUTCOMES, "votes") if name in scores.column_names)
    return any(pc.any(pc.not_equal(scores[name].cast(pa.float64()), 0)).as_py() for name in columns)
