"""Rows of a set's product (pairs × templates × attributes), selected as arrays of places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextset.array_types import Ints
from nextset.generation.questions.question_set import QuestionSet

__all__ = ["ROWS", "Cells", "blocks", "full_cells", "row_blocks"]

ROWS = 100_000
"""The approximate number of rows per block."""


@dataclass(frozen=True)
class Cells:
    """Rows of the product, as three arrays of the same length."""

    pairs: Ints
    """The number of the pair (`nextset.generation.questions.subject_pairs.pairs_at`)."""
    templates: Ints
    """The template's place in the set, from 0."""
    attributes: Ints
    """The attribute's place in the template, from 0."""

    def __getitem__(self, rows: slice) -> Cells:
        return Cells(self.pairs[rows], self.templates[rows], self.attributes[rows])


def blocks(questions: QuestionSet) -> list[range]:
    """Return the pair numbers of each block."""
    step = max(1, ROWS // questions.per_pair)
    return [range(i, min(i + step, questions.n_pairs)) for i in range(0, questions.n_pairs, step)]


def row_blocks(rows: int) -> list[slice]:
    """Return the rows of each block of a sample."""
    return [slice(i, min(i + ROWS, rows)) for i in range(0, rows, ROWS)]


def full_cells(questions: QuestionSet, pairs: range) -> Cells:
    """Return all rows of ``pairs``, pair by pair."""
    sizes = [len(t.by_attribute) for t in questions.templates]
    templates = np.repeat(np.arange(len(sizes)), sizes)
    attributes = np.concatenate([np.arange(n) for n in sizes])
    return Cells(
        np.repeat(np.arange(pairs.start, pairs.stop), len(templates)),
        np.tile(templates, len(pairs)),
        np.tile(attributes, len(pairs)),
    )
