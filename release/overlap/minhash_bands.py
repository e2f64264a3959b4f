"""MinHash signatures of texts in bands (Leskovec et al., Mining of Massive Datasets, section 3.4).

The permutations come from datasketch. Its MinHash takes one text at a time, which is several times slower
than many at once. Its index, MinHashLSH, holds every text in dictionaries of several kilobytes each, so here
the bands' keys are written to a file and compared one band at a time.
"""

from __future__ import annotations

import os
from typing import IO

import numpy as np
from numpy.typing import NDArray

from nextset.release.overlap.ngram_file import NgramFile
from nextset.release.overlap.word_ngrams import mixed

__all__ = ["Bands", "bands_for", "write_bands"]

_PERMUTATIONS = 252
_AT_ONCE = 2000
"""The number of n-grams that are permuted at once (2 MB), or the n-grams of one text if it has more."""
_MISSED = 1e-5
"""The highest probability that two texts with the lowest similarity share no band."""


class Bands:
    """The key of every text in each band, in a file with 4 bytes per text and band."""

    def __init__(self, file: IO[bytes], count: int, rows: int, texts: int) -> None:
        self._file = file
        self.count = count
        """The number of bands."""
        self.rows = rows
        """The number of signature values per band."""
        self.texts = texts
        """The number of texts."""

    def write(self, start: int, signatures: NDArray[np.uint32]) -> None:
        """Write the keys of the texts from ``start``. ``signatures`` has one row per text."""
        values = signatures[:, : self.count * self.rows].astype(np.uint64)
        odd = np.arange(1, self.rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C16) + np.uint64(1)
        sums = (mixed(values.reshape(len(values), self.count, self.rows)) * odd).sum(axis=2, dtype=np.uint64)
        keys = (mixed(sums) >> np.uint64(32)).astype(np.uint32)
        for band in range(self.count):
            os.pwrite(self._file.fileno(), keys[:, band].tobytes(), 4 * (band * self.texts + start))

    def keys(self, band: int) -> NDArray[np.uint32]:
        """Return the key of each text in one band. Equal keys suggest similar texts."""
        raw = os.pread(self._file.fileno(), 4 * self.texts, 4 * band * self.texts)
        return np.frombuffer(raw, np.uint32)


def bands_for(near: float) -> tuple[int, int]:
    """Return the number of bands and of values per band that miss at most one pair in 100,000.

    A pair with similarity s shares a band of r values with probability sʳ, so b bands miss it with
    probability (1 − sʳ)ᵇ. The more values a band has, the fewer dissimilar texts share it.
    """
    fitting = (
        (_PERMUTATIONS // r, r) for r in range(12, 0, -1) if (1 - near**r) ** (_PERMUTATIONS // r) <= _MISSED
    )
    return next(fitting, (_PERMUTATIONS, 1))


def write_bands(
    scratch: IO[bytes], ngrams: NgramFile, texts: NDArray[np.int64], near: float, seed: int
) -> Bands:
    """Return the bands of ``texts``, which are in the order of their offsets in ``ngrams``.

    Each text must have n-grams.
    """
    from datasketch import MinHash

    a, b = MinHash(num_perm=_PERMUTATIONS, seed=seed, scheme="affine32").permutations
    bands = Bands(scratch, *bands_for(near), len(texts))
    done = 0
    for chunk, bounds, hashes in ngrams.chunks(texts):
        halves = (hashes >> np.uint64(32)).astype(np.uint32)  # the n-grams' hashes are already mixed
        signatures = np.empty((len(chunk), _PERMUTATIONS), np.uint32)
        start = 0
        while start < len(chunk):
            stop = int(np.searchsorted(bounds, bounds[start] + _AT_ONCE, side="right")) - 1
            stop = max(stop, start + 1)
            places = bounds[start : stop + 1]
            permuted = halves[places[0] : places[-1], None] * a + b
            signatures[start:stop] = np.minimum.reduceat(permuted, places[:-1] - places[0])
            start = stop
        bands.write(done, signatures)
        done += len(chunk)
    return bands
