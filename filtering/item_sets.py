"""Sets of items that differ only by group and are kept together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.array_types import Bools

__all__ = ["Sets", "sets_of", "with_their_pairs"]

Sets = npt.NDArray[np.int64]
"""A number for each item, the same for items that belong together, shape (items,)."""


def sets_of(set_ids: pa.ChunkedArray) -> Sets:
    """Return the sets: items with the same set_id are one set, an item without one is a set by itself."""
    encoded = set_ids.combine_chunks().dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
    alone = codes < 0
    codes[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    return codes


def with_their_pairs(keep: Bools, sets: Sets) -> Bools:
    """Return True for the kept items, and for all other items in their sets."""
    if not keep.size:
        return keep
    hit = np.zeros(int(sets.max()) + 1, np.bool_)
    hit[sets[keep]] = True
    return np.asarray(hit[sets])
