"""The plan of a training: the rows of every step, known before the first one."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["planned_batches", "steps_of"]


def planned_batches(lengths: Sequence[int], size: int, steps: int, seed: int) -> list[list[int]]:
    """Return ``steps`` lists of at most ``size`` rows, whose inputs have ``lengths`` tokens.

    Each holds rows of similar length, and their order is random; every row is in one list of an epoch.
    """
    rng = random.Random(seed)
    planned: list[list[int]] = []
    while len(planned) < steps:
        order = list(range(len(lengths)))
        rng.shuffle(order)
        order.sort(key=lambda i: lengths[i] // 4)
        chunks = [order[i : i + size] for i in range(0, len(order), size)]
        rng.shuffle(chunks)
        planned += chunks[: steps - len(planned)]
    return planned


def steps_of(rows: int, size: int, epochs: float) -> int:
    """Return the steps of ``epochs`` with ``rows``, of which one step reads ``size``; at least 1."""
    return max(1, round(epochs * -(-rows // size)))
