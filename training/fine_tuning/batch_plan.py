"""The plan of a training: the rows of every step, known before the first one."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["planned_batches", "steps_of"]


def planned_batches(lengths: Sequence[int], size: int, steps: int, seed: int) -> list[list[int]]:
    """Return ``steps`` lists of at most ``size`` rows, whose inputs have ``lengths`` tokens.

    Each list holds rows of similar length. The order of the lists is random, and every row is in one list of
    an epoch.
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
    """Return the number of steps for ``epochs`` over ``rows``, with ``size`` rows per step; at least 1."""
    return max(1, round(epochs * -(-rows // size)))
