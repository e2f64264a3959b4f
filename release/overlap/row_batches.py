"""Released rows in batches, and the ids of some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["Batches", "ids_of"]

Batches: TypeAlias = Callable[[], Iterator[pa.Table]]
"""A function that returns the rows from the beginning, in tables of bounded size, each time it is called."""


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
