"""The claim of words that no anchor decides: by their similarity to the anchors, in a model's embeddings.

A word is placed by the mean cosine with its nearest anchors on either side. How far the sides must differ is
not a number of ours: every anchor is placed by the others (leave one out), over all masks that a model fills,
and the threshold is the smallest difference beyond which nearly all anchors fall on their own side. A model
whose embeddings do not tell the sides apart places no word. A mask with fewer than two anchors on a
side places none either: opposites could not be told from the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.generation.templates.anchors import Claim

__all__ = ["AnchorVectors", "Calibration", "calibrated"]

Vectors = npt.NDArray[np.float32]
NEAREST = 3
"""The number of nearest anchors on a side that a word is compared with."""
RIGHT = 0.9
"""The least share of anchors beyond the threshold that fall on their own side."""
FEWEST = 20
"""The fewest anchors beyond the threshold: a share of fewer says little."""
RELATED = 0.1
"""A word is beside unless it is nearer to its side than this share of the side's own anchors is."""


@dataclass(frozen=True)
class AnchorVectors:
    """The anchors of a mask as vectors of length 1, shape (words, dimensions)."""

    like: Vectors
    unlike: Vectors

    @property
    def two_sided(self) -> bool:
        """Whether both sides have two anchors, so that each can be placed by the others."""
        return min(len(self.like), len(self.unlike)) > 1

    def similarities(self, words: Vectors) -> npt.NDArray[np.float32]:
        """Return the similarity of each word to both sides, shape (words, 2)."""
        return np.stack([_nearest(words @ side.T) for side in (self.like, self.unlike)], axis=1)

    def own(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the similarities of each anchor of like, and of unlike, to both sides without itself."""
        pairs = []
        for side in (self.like, self.unlike):
            same = side @ side.T
            np.fill_diagonal(same, -np.inf)
            both = [
                _nearest(same) if side is other else _nearest(side @ other.T)
                for other in (self.like, self.unlike)
            ]
            pairs.append(np.stack(both, axis=1))
        return pairs[0], pairs[1]


@dataclass(frozen=True)
class Calibration:
    """How well a model's embeddings tell anchors of a claim from those of its opposite."""

    threshold: float | None
    """A word is placed if its similarities differ by more; null if the model cannot tell the sides apart."""
    anchors: int
    """The number of anchors that were placed by the other anchors of their masks."""
    beyond: int
    """The number of anchors beyond the threshold, of which nearly all fall on their own side."""

    def claims(self, anchors: AnchorVectors, both: Vectors) -> list[Claim]:
        """Return the claim of each word, from its similarities to ``both`` sides, shape (words, 2)."""
        if self.threshold is None or not anchors.two_sided or not len(both):
            return ["beside"] * len(both)
        like, unlike = (np.quantile(own[:, side], RELATED) for side, own in enumerate(anchors.own()))
        difference = both[:, 0] - both[:, 1]
        sides: list[Claim] = []
        for (near_like, near_unlike), d in zip(both, difference, strict=True):
            if d > self.threshold and near_like >= like:
                sides.append("with")
            elif -d > self.threshold and near_unlike >= unlike:
                sides.append("against")
            else:
                sides.append("beside")
        return sides


def calibrated(masks: Sequence[AnchorVectors]) -> Calibration:
    """Return the calibration by the anchors of all ``masks`` that have two or more on each side."""
    differences = []
    for mask in masks:
        if mask.two_sided:
            like, unlike = mask.own()
            differences += [like[:, 0] - like[:, 1], unlike[:, 1] - unlike[:, 0]]
    signed = np.concatenate(differences) if differences else np.zeros(0, np.float32)
    order = np.argsort(-np.abs(signed), kind="stable")
    sizes = np.abs(signed[order])
    numbers = np.arange(1, len(order) + 1)
    shares = np.cumsum(signed[order] > 0) / numbers
    last_of_tie = np.append(sizes[1:] < sizes[:-1], True)[: len(order)]
    good = np.flatnonzero((shares >= RIGHT) & (numbers >= FEWEST) & last_of_tie)
    if not len(good):
        return Calibration(None, len(signed), 0)
    beyond = int(good[-1]) + 1
    threshold = float(sizes[beyond]) if beyond < len(order) else 0.0
    return Calibration(threshold, len(signed), beyond)


def _nearest(similarities: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the mean of the `NEAREST` largest finite values of each row; -1 for a row without one."""
    ordered = -np.sort(-similarities, axis=1)[:, :NEAREST]
    finite = np.isfinite(ordered)
    total = np.where(finite, ordered, 0.0).sum(axis=1)
    return np.where(finite.any(axis=1), total / np.maximum(finite.sum(axis=1), 1), -1.0).astype(np.float32)
