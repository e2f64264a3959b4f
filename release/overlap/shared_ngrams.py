"""Texts that can be near duplicates, because enough of their n-grams occur in texts of other families."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nextset.release.overlap.ngram_file import NgramFile

__all__ = ["enough_shared"]

_MOST_BITS = 25
"""The highest number of bits: 2²⁵ slots, 160 MiB."""

Numbers = NDArray[np.int64]


def enough_shared(
    file: NgramFile, texts: Numbers, family: NDArray[np.int32], sizes: NDArray[np.int32], near: float
) -> NDArray[np.bool_]:
    """Return for each of all texts whether at least ``near`` of its n-grams may occur in another family.

    |A ∩ B| ≥ near · |A ∪ B| implies |A ∩ B| ≥ near · |A|, so the result is true for every near duplicate.
    n-grams are counted by slot, and several n-grams may share a slot: the result can be true without need,
    but never false by mistake. ``texts`` are all texts, in the order of their offsets in the file.
    """
    bits = min(_MOST_BITS, max(10, int(sizes.sum()).bit_length()))
    shift = np.uint64(64 - bits)
    first = np.zeros(1 << bits, np.uint32)
    several = np.zeros(1 << bits, bool)
    for chunk, bounds, ngrams in file.chunks(texts):
        slots = ngrams >> shift
        owners = np.repeat(family[chunk] + 1, np.diff(bounds)).astype(np.uint32)
        empty = first[slots] == 0
        first[slots[empty]] = owners[empty]
        several[slots[first[slots] != owners]] = True
    enough = np.zeros(len(sizes), bool)
    for chunk, bounds, ngrams in file.chunks(texts):
        seen = np.concatenate([[0], np.cumsum(several[ngrams >> shift])])
        shared = seen[bounds[1:]] - seen[bounds[:-1]]
        enough[chunk] = (sizes[chunk] > 0) & (shared >= near * sizes[chunk] * (1 - 1e-9))
    return enough
