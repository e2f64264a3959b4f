"""The texts of released rows: what is compared, by the kind of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nextset.release.source_rows import Kind

__all__ = ["COMPARED", "Batches", "ids_of", "input_texts", "row_texts"]

Batches: TypeAlias = Callable[[], Iterator[pa.Table]]
"""Gives the rows from the beginning, in tables of bounded size, each time that it is called."""

_QUAD = ("id", "context_12", "context_21")
COMPARED: Mapping[Kind, tuple[str, ...]] = {
    "items": ("id", "template_id", "set_id", "counterfactual_set", "premise", "hypothesis"),
    "questions": (*_QUAD, "question", "question_negated"),
    "statements": (*_QUAD, "statement", "statement_negated"),
}
"""The columns that comparisons read."""

_ASKED = {"questions": ("question", "question_negated"), "statements": ("statement", "statement_negated")}


def row_texts(kind: Kind, batch: pa.Table) -> Iterator[tuple[str, ...]]:
    """Yield the texts of each row that make two rows duplicates if they are equal.

    Items: premise and hypothesis. Questions and statements: the two contexts and the two questions or
    statements, each pair in alphabetical order, so that the subjects' order makes no difference.
    """
    if kind == "items":
        yield from zip(_texts(batch, "premise"), _texts(batch, "hypothesis"), strict=True)
        return
    for c12, c21, asked, negated in _quads(kind, batch):
        yield (*sorted((c12, c21)), *sorted((asked, negated)))


def input_texts(kind: Kind, batch: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the inputs of each row: the pairs of texts that a model is shown together.

    Items have one, premise and hypothesis; questions and statements have four, a context with a question or
    a statement. A row is in a corpus if one of its inputs is.
    """
    if kind == "items":
        yield from (((p, h),) for p, h in row_texts(kind, batch))
        return
    for c12, c21, asked, negated in _quads(kind, batch):
        yield ((c12, asked), (c12, negated), (c21, asked), (c21, negated))


def ids_of(batches: Iterator[pa.Table], wanted: NDArray[np.int64]) -> pa.Array:
    """Return the ids of the rows with the numbers ``wanted``, which count from 0 and ascend."""
    found, start = [], 0
    for batch in batches:
        low, high = np.searchsorted(wanted, (start, start + batch.num_rows))
        if low < high:
            ids = batch["id"].take(pa.array(wanted[low:high] - start)).cast(pa.string())
            found.extend(ids.chunks)
        start += batch.num_rows
    return pa.concat_arrays(found) if found else pa.array([], pa.string())


def _quads(kind: Kind, batch: pa.Table) -> Iterator[tuple[str, str, str, str]]:
    names = ("context_12", "context_21", *_ASKED[kind])
    return zip(*(_texts(batch, name) for name in names), strict=True)


def _texts(batch: pa.Table, name: str) -> list[str]:
    return [text or "" for text in batch[name].to_pylist()]
