"""The best passages of each question, found block by block; ties are in the order of the passages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["TopPassages"]

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


class TopPassages:
    """The best passages of one question so far.

    Blocks are added in the order of the passages. Among passages with the same score, the first ones count.
    """

    def __init__(self, most: int, above: float = -np.inf) -> None:
        """Keep at most ``most`` passages, all with a score greater than ``above``."""
        self._most = most
        self._above = np.float32(above)
        self.passages: Places = np.empty(0, np.int64)
        """The numbers of the passages, the best first."""
        self.scores: Floats = np.empty(0, np.float32)
        """The scores of the passages, descending."""

    def add(self, scores: Floats, first: int) -> None:
        """Add a block with the score of each passage, shape (passages,); the first one is ``first``."""
        places = np.flatnonzero(scores > self._above)
        if not places.size:
            return
        if places.size > self._most:
            best = scores[places]
            least = np.partition(best, best.size - self._most)[best.size - self._most]
            places = places[best >= least]
        merged = np.concatenate([self.scores, scores[places]])
        passages = np.concatenate([self.passages, places + first])
        order = np.lexsort((passages, -merged))[: self._most]
        self.scores, self.passages = merged[order], passages[order]
        if len(order) == self._most:
            self._above = self.scores[-1]  # a later passage with the same score comes after all these
