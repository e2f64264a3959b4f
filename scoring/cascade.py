"""A cascade: a model is asked only about the items that earlier models left undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.scoring.wrong_answers import mistakes

__all__ = ["Vote", "undecided"]


@dataclass(frozen=True)
class Vote:
    """A rule that counts models that get an item wrong."""

    needed: int
    """The number of models that must get an item wrong for it to be kept."""
    models: int
    """The number of models in total."""

    def decided(self, against: npt.NDArray[np.intp], asked: int) -> npt.NDArray[np.bool_]:
        """Return True if the models still to ask cannot change the result; ``against`` are wrong so far."""
        left = self.models - asked
        settled: npt.NDArray[np.bool_] = (against >= self.needed) | (against + left < self.needed)
        return settled


def undecided(rows: pa.Table, earlier: Sequence[Callable[[pa.Table], pa.Table]], vote: Vote) -> pa.Table:
    """Return the rows that are still undecided after the ``earlier`` models, each asked in turn."""
    against = np.zeros(rows.num_rows, dtype=np.intp)
    for asked, answers in enumerate(earlier, start=1):
        scores = answers(rows)
        against = against + mistakes(scores, rows["label"])
        open_ = ~vote.decided(against, asked)
        rows, against = rows.filter(pa.array(open_)), against[open_]
    return rows
