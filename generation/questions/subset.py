"""A seeded sample of a class, even over templates, attributes and subjects: for a pilot."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np

from nextset.generation.questions.product_rows import Cells
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.subject_pairs import Ints, balanced_pairs, pair_numbers

__all__ = ["sampled_cells"]


def sampled_cells(questions: QuestionSet, n: int, seed: int) -> Cells:
    """``n`` distinct rows of the product (all of them where it has no more), in the order of the whole.

    Templates get the same number of rows, give or take one. Within a template the rows walk the diagonals
    of pairs × attributes, which meets each cell once: pairs in balanced rounds (`balanced_pairs`), attributes
    in a random order. Each template goes on where the one before it stopped, so that over all of them
    subjects are even, and attributes of one kind too.
    """
    random = Random(f"subset/{seed}/{questions.language}/{questions.name}/{questions.form}")
    n = min(n, questions.rows)
    order = random.sample(range(len(questions.templates)), len(questions.templates))
    shares = _shares(questions, order, n)
    pairs = _some_pairs(questions, random, n)
    attributes: dict[str, Ints] = {}
    taken: dict[str, int] = {}
    begin = 0
    found = []
    for t in order:
        asked = questions.templates[t].asked
        kind, size = asked[0].attribute.kind, len(asked)
        if kind not in attributes:
            attributes[kind] = np.array(random.sample(range(size), size), np.int64)
        steps = np.arange(shares[t], dtype=np.int64)
        walked = taken.get(kind, 0) + steps + steps // math.lcm(questions.n_pairs, size)
        found.append(
            (
                pairs[(begin + steps) % questions.n_pairs],
                np.full_like(steps, t),
                attributes[kind][walked % size],
            )
        )
        taken[kind] = taken.get(kind, 0) + len(steps)
        begin += len(steps)
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    whole = np.lexsort(columns[::-1])
    return Cells(*(column[whole] for column in columns))


def _shares(questions: QuestionSet, order: list[int], n: int) -> dict[int, int]:
    """How many of ``n`` rows each template gets: as many as every other, as far as it has them."""
    shares = {}
    room = sorted(order, key=lambda t: len(questions.templates[t].asked))
    for i, t in enumerate(room):
        shares[t] = min(-(-n // (len(room) - i)), questions.n_pairs * len(questions.templates[t].asked))
        n -= shares[t]
    return shares


def _some_pairs(questions: QuestionSet, random: Random, n: int) -> Ints:
    """The numbers of up to ``n`` pairs in balanced rounds."""
    some = itertools.islice(balanced_pairs(questions, random), n)
    places = np.array(list(some), np.int64).reshape(-1, 2)
    return pair_numbers(places[:, 0], places[:, 1], questions)
