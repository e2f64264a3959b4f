"""Numbered pairs of subjects, computed from the number instead of stored."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import numpy.typing as npt

from nextset.generation.questions.question_set import QuestionSet

__all__ = ["Ints", "balanced_pairs", "pair_numbers", "pairs_at"]

Ints = npt.NDArray[np.int64]


def pairs_at(numbers: Ints, questions: QuestionSet) -> tuple[Ints, Ints]:
    """Return the places of first and second subject of the pairs with these numbers, from 0.

    across counts through the second list for each of the first; all counts the pairs (0, 1), (0, 2), …,
    (1, 2), ….
    """
    if questions.pairs == "across":
        first, second = np.divmod(numbers, len(questions.subjects[1]))
        return first, second
    n = len(questions.subjects[0])
    begins = _begins(n)
    first = np.searchsorted(begins, numbers, side="right") - 1
    return first, numbers - begins[first] + first + 1


def pair_numbers(first: Ints, second: Ints, questions: QuestionSet) -> Ints:
    """Return the numbers of pairs from the places of their subjects: the inverse of `pairs_at`."""
    if questions.pairs == "across":
        return first * len(questions.subjects[1]) + second
    low, high = np.minimum(first, second), np.maximum(first, second)
    numbers: Ints = _begins(len(questions.subjects[0]))[low] + high - low - 1
    return numbers


def _begins(n: int) -> Ints:
    """Return the number of the first pair of each subject: 0, n − 1, (n − 1) + (n − 2), …"""
    sizes = np.arange(n - 1, 0, -1)
    return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)


def balanced_pairs(questions: QuestionSet, random: Random) -> Iterator[tuple[int, int]]:
    """Yield every pair once, in rounds that contain every subject at most once.

    So each prefix contains every subject about equally often. all: the circle method of round-robin
    tournaments; across: cyclic shifts of one list against the other. Subjects, rounds and the
    pairs of a round are in random order.
    """
    first, second = (list(range(len(listed))) for listed in questions.lists)
    random.shuffle(first)
    random.shuffle(second)
    if questions.pairs == "across":
        n = max(len(first), len(second))
        rounds = random.sample(range(n), n)
        for shift in rounds:
            matched = [
                (first[i], second[j])
                for i in range(n)
                if i < len(first) and (j := (i + shift) % n) < len(second)
            ]
            yield from random.sample(matched, len(matched))
        return
    n = len(first) + len(first) % 2  # an odd list leaves out one subject per round
    for turn in random.sample(range(n - 1), n - 1):
        ring = [n - 1, *((turn + i) % (n - 1) for i in range(n - 1))]
        matched = [(ring[i], ring[n - 1 - i]) for i in range(n // 2)]
        inside = [(first[a], first[b]) for a, b in matched if a < len(first) and b < len(first)]
        yield from random.sample(inside, len(inside))
