"""Sets of items that differ only by group, which are kept together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.filtering.model_answers import Bools

__all__ = ["Sets", "sets_of", "with_their_pairs"]

Sets = npt.NDArray[np.int64]
"""A number for each item, the same for items that belong together, shape (items,)."""


def sets_of(set_ids: pa.ChunkedArray) -> Sets:
    """Items with the same set_id belong together; an item without a set_id is a set by itself."""
    encoded = set_ids.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
    alone = codes < 0
    codes[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    return codes


def with_their_pairs(keep: Bools, sets: Sets) -> Bools:
    """Items that are kept, and those that belong together with one of them."""
    if not keep.size:
        return keep
    hit = np.zeros(int(sets.max()) + 1, np.bool_)
    hit[sets[keep]] = True
    return np.asarray(hit[sets])
