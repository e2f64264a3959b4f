"""A bit vector per text, which can show that two texts differ too much without reading their n-grams.

Each n-gram sets one of 256 bits. A bit that only one of two texts has comes from an n-gram that only this
text has. So the texts differ in at least as many n-grams as bits. If they differ in d n-grams or more, the
Jaccard similarity |A ∩ B| / |A ∪ B| is at most (|A| + |B| − d) / (|A| + |B| + d). No similar pair is lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nextset.release.overlap.ngram_file import NgramFile

__all__ = ["highest_similarity", "ngram_bits"]

_BITS = 256

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]


def ngram_bits(file: NgramFile, texts: Numbers) -> Words:
    """Return the bits of ``texts``, which are in the order of their offsets in ``file``; shape (texts, 4)."""
    bits = np.empty((len(texts), _BITS // 64), np.uint64)
    done = 0
    for chunk, bounds, hashes in file.chunks(texts):
        marks = np.zeros((len(chunk), _BITS), bool)
        marks[np.repeat(np.arange(len(chunk)), np.diff(bounds)), hashes % np.uint64(_BITS)] = True
        bits[done : done + len(chunk)] = np.packbits(marks, axis=1).view(np.uint64)
        done += len(chunk)
    return bits


def highest_similarity(
    bits: Words, sizes: NDArray[np.int32], texts: Numbers, others: Numbers
) -> NDArray[np.float64]:
    """Return the highest possible Jaccard similarity of each pair, by its bits and the texts' ``sizes``.

    ``texts`` and ``others`` are places in ``bits`` and ``sizes``. ``sizes`` are numbers of n-grams, above 0.
    """
    differ = np.bitwise_count(bits[texts] ^ bits[others]).sum(axis=1, dtype=np.int64)
    both = sizes[texts].astype(np.int64) + sizes[others]
    return np.asarray((both - differ) / (both + differ))
