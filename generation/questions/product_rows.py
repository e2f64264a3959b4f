"""Which rows of a set's product: all of some pairs, block by block, or any others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.subject_pairs import Ints

__all__ = ["ROWS", "Cells", "blocks", "full_cells", "row_blocks"]

ROWS = 100_000
"""Rows a block, about."""


@dataclass(frozen=True)
class Cells:
    """Rows of the product, as three arrays of the same length."""

    pairs: Ints
    """The number of the pair (`nextset.generation.questions.subject_pairs.pairs_at`)."""
    templates: Ints
    """The template's place in the set, from 0."""
    asked: Ints
    """The attribute's place in the template, from 0."""

    def __getitem__(self, rows: slice) -> Cells:
        return Cells(self.pairs[rows], self.templates[rows], self.asked[rows])


def blocks(questions: QuestionSet) -> list[range]:
    """The numbers of the pairs of each block."""
    step = max(1, ROWS // questions.per_pair)
    return [range(i, min(i + step, questions.n_pairs)) for i in range(0, questions.n_pairs, step)]


def row_blocks(rows: int) -> list[slice]:
    """The rows of each block of a sample."""
    return [slice(i, min(i + ROWS, rows)) for i in range(0, rows, ROWS)]


def full_cells(questions: QuestionSet, pairs: range) -> Cells:
    """All rows of some pairs, pair after pair."""
    sizes = [len(t.asked) for t in questions.templates]
    templates = np.repeat(np.arange(len(sizes)), sizes)
    asked = np.concatenate([np.arange(n) for n in sizes])
    return Cells(
        np.repeat(np.arange(pairs.start, pairs.stop), len(templates)),
        np.tile(templates, len(pairs)),
        np.tile(asked, len(pairs)),
    )
