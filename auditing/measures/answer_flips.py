"""Answer flips: how often an answer depends on which subject the context names first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.scoring.subjects.quad_bias import flipped

__all__ = ["answer_flips"]

Floats = npt.NDArray[np.float64]


def answer_flips(first: Floats, second: Floats) -> Floats:
    """Return 1 for a quad whose answer changes when the subjects change places, else 0; shape (quads,).

    ``first`` and ``second`` are as for `nextset.auditing.measures.positional_error`. An answer is the subject
    with the higher score; a quad counts if the answer to the question, or to its negation, changes.
    """
    return flipped(first, second).astype(np.float64)
