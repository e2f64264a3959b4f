"""The texts of released rows that are compared, by the kind of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nextset.release.source_rows import Kind

__all__ = ["COMPARED", "Batches", "ids_of", "input_texts", "row_texts"]

Batches: TypeAlias = Callable[[], Iterator[pa.Table]]
"""A function that returns the rows from the beginning, in tables of bounded size, each time it is called."""

_QUAD = ("id", "context_12", "context_21")
COMPARED: Mapping[Kind, tuple[str, ...]] = {
    "items": ("id", "template_id", "set_id", "counterfactual_set", "premise", "hypothesis"),
    "questions": (*_QUAD, "question", "question_negated"),
    "statements": (*_QUAD, "statement", "statement_negated"),
}
"""The columns that comparisons read."""

_ASKED = {"questions": ("question", "question_negated"), "statements": ("statement", "statement_negated")}


def row_texts(kind: Kind, batch: pa.Table) -> Iterator[tuple[str, ...]]:
    """Yield the texts of each row that are the same in duplicates.

    For items, these are premise and hypothesis. For questions and statements, they are the two contexts and
    the two questions or statements, each pair in alphabetical order, so that the subjects' order makes no
    difference.
    """
    if kind == "items":
        yield from zip(_texts(batch, "premise"), _texts(batch, "hypothesis"), strict=True)
        return
    for c12, c21, asked, negated in _quads(kind, batch):
        yield (*sorted((c12, c21)), *sorted((asked, negated)))


def input_texts(kind: Kind, batch: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the inputs of each row: the pairs of texts that a model reads together.

    Items have one input: premise and hypothesis. Questions and statements have four: each context with each
    question or statement. A row is in a corpus if one of its inputs is in the corpus.
    """
    if kind == "items":
        yield from (((p, h),) for p, h in row_texts(kind, batch))
        return
    for c12, c21, asked, negated in _quads(kind, batch):
        yield ((c12, asked), (c12, negated), (c21, asked), (c21, negated))


def ids_of(batches: Iterator[pa.Table], wanted: NDArray[np.int64]) -> pa.Array:
    """Return the ids of the rows with the numbers ``wanted``, counted from 0, in ascending order."""
    chunks, start = [], 0
    for batch in batches:
        low, high = np.searchsorted(wanted, (start, start + batch.num_rows))
        if low < high:
            ids = batch["id"].take(pa.array(wanted[low:high] - start)).cast(pa.string())
            chunks.extend(ids.chunks)
        start += batch.num_rows
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())


def _quads(kind: Kind, batch: pa.Table) -> Iterator[tuple[str, str, str, str]]:
    names = ("context_12", "context_21", *_ASKED[kind])
    return zip(*(_texts(batch, name) for name in names), strict=True)


def _texts(batch: pa.Table, name: str) -> list[str]:
    return [text or "" for text in batch[name].to_pylist()]
