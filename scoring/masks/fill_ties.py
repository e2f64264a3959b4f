"""Finds words whose order in a list could be different if the model were asked with other sentences."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Protocol

__all__ = ["CLOSE", "LARGEST", "Ranked", "cut_is_close", "nearly_tied", "order_is_close"]

CLOSE = 8e-6
"""How far padding and the batch's shape can move the difference of two log probabilities at a mask, as a
fraction of the largest logit there, with a margin of three: the most that was seen is 2.6e-6, over the 64
best tokens of 632 sentences and three models in float32."""

LARGEST = 32.0
"""A logit that few masked language models exceed; it stands for the largest one where that is not at hand."""


class Ranked(Protocol):
    """A word, or several, in a list with the most probable first."""

    @property
    def log(self) -> float:
        """The log probability."""

    @property
    def close(self) -> float:
        """How much larger or smaller it could be beside other sentences."""


def order_is_close(ranked: Sequence[Ranked], k: int) -> bool:
    """Return whether two neighbours among the ``k`` best nearly tie, or the last of them and the next one."""
    return any(a.log - b.log <= max(a.close, b.close) for a, b in itertools.pairwise(ranked[: k + 1]))


def cut_is_close(ranked: Sequence[Ranked], k: int) -> bool:
    """Return whether the last of the ``k`` best and the next one nearly tie."""
    return order_is_close(ranked[k - 1 :], 1)


def nearly_tied(logs: Mapping[str, float], tokens: Mapping[str, int]) -> list[str]:
    """Return the words with a neighbour so near that they could change places, the best first.

    ``logs`` has the log probability of each word, ``tokens`` how many tokens are summed in it.
    """
    ranked = sorted(logs, key=lambda word: (-logs[word], word))
    found: dict[str, None] = {}
    for a, b in itertools.pairwise(ranked):
        if logs[a] - logs[b] <= CLOSE * LARGEST * max(tokens[a], tokens[b]):
            found.update(dict.fromkeys((a, b)))
    return list(found)
