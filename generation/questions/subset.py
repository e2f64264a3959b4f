"""A seeded sample of a class, even over templates, attributes and subjects, for the key `subset`."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np

from nextset.array_types import Ints
from nextset.generation.questions.product_rows import Cells
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.subject_pairs import balanced_pairs, pair_numbers

__all__ = ["sampled_cells"]


def sampled_cells(questions: QuestionSet, n: int, seed: int) -> Cells:
    """Return ``n`` distinct rows of the product (all rows if it has fewer), in the order of the product.

    Templates get the same number of rows, give or take one. Within a template, the rows follow the diagonals
    of pairs × attributes, which contain each cell once. Pairs are in balanced rounds (`balanced_pairs`),
    attributes in a random order. Each template continues where the previous one stopped, so that subjects are
    even over all templates, and so are attributes of one kind.
    """
    random = Random(f"subset/{seed}/{questions.language}/{questions.name}/{questions.form}")
    n = min(n, questions.rows)
    order = random.sample(range(len(questions.templates)), len(questions.templates))
    shares = _shares(questions, order, n)
    pairs = _some_pairs(questions, random, n)
    attributes: dict[str, Ints] = {}
    rows_of_kind: dict[str, int] = {}
    begin = 0
    cells = []
    for t in order:
        texts = questions.templates[t].by_attribute
        kind, size = texts[0].attribute.kind, len(texts)
        if kind not in attributes:
            attributes[kind] = np.array(random.sample(range(size), size), np.int64)
        steps = np.arange(shares[t], dtype=np.int64)
        diagonal = rows_of_kind.get(kind, 0) + steps + steps // math.lcm(questions.n_pairs, size)
        cells.append(
            (
                pairs[(begin + steps) % questions.n_pairs],
                np.full_like(steps, t),
                attributes[kind][diagonal % size],
            )
        )
        rows_of_kind[kind] = rows_of_kind.get(kind, 0) + len(steps)
        begin += len(steps)
    columns = [np.concatenate(column) for column in zip(*cells, strict=True)]
    in_order = np.lexsort(columns[::-1])
    return Cells(*(column[in_order] for column in columns))


def _shares(questions: QuestionSet, order: list[int], n: int) -> dict[int, int]:
    """Return the number of rows, out of ``n``, per template: equal, up to the rows that a template has."""
    shares = {}
    smallest_first = sorted(order, key=lambda t: len(questions.templates[t].by_attribute))
    for i, t in enumerate(smallest_first):
        size = questions.n_pairs * len(questions.templates[t].by_attribute)
        shares[t] = min(-(-n // (len(order) - i)), size)
        n -= shares[t]
    return shares


def _some_pairs(questions: QuestionSet, random: Random, n: int) -> Ints:
    """Return the numbers of up to ``n`` pairs in balanced rounds."""
    pairs = itertools.islice(balanced_pairs(questions, random), n)
    places = np.array(list(pairs), np.int64).reshape(-1, 2)
    return pair_numbers(places[:, 0], places[:, 1], questions)
