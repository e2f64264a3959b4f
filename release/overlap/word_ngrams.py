"""64-bit hashes of words and of their n-grams, for many texts at once.

The hash of words w0 … wk-1 is the sum of wi · Pⁱ modulo 2⁶⁴, mixed with k, so that the hash of any run of
words comes from two prefix sums. Each wi is the BLAKE2b hash of its word, so two different n-grams have the
same hash with a probability of about 2⁻⁶⁴.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Ngrams",
    "WordHashes",
    "WordRows",
    "distinct_ngrams",
    "mixed",
    "ngrams",
    "window_hashes",
    "word_rows",
]

Hashes = NDArray[np.uint64]

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MOST_WORDS = 300_000


class WordHashes(dict[str, int]):
    """The hash of each word, computed on first use; the cache is cleared when it grows too large."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        raw = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        word_hash = self[word] = int.from_bytes(raw, "little")
        return word_hash


@dataclass(frozen=True, slots=True)
class WordRows:
    """The words of several texts, one after the other."""

    hashes: Hashes
    """The hash of each word."""
    bounds: NDArray[np.int64]
    """The start of each text, and the end; shape (texts + 1,)."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each text."""
        return np.diff(self.bounds)


@dataclass(frozen=True, slots=True)
class Ngrams:
    """n-grams of several texts."""

    hashes: Hashes
    rows: NDArray[np.int64]
    """The text of each n-gram, from 0."""
    lengths: NDArray[np.int64]
    """The number of words in each n-gram."""


def word_rows(texts: Iterable[list[int]]) -> WordRows:
    """Return texts, given as the hashes of their words, as one array."""
    rows = list(texts)
    bounds = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=bounds[1:])
    return WordRows(np.fromiter(chain.from_iterable(rows), np.uint64, int(bounds[-1])), bounds)


def ngrams(rows: WordRows, n: int) -> Ngrams:
    """Return all word n-grams of each text; a text of fewer than ``n`` words is its only n-gram."""
    lengths = rows.lengths
    counts = np.where(lengths >= n, lengths - n + 1, lengths > 0).astype(np.int64)
    row = np.repeat(np.arange(len(lengths)), counts)
    starts = np.arange(len(row)) + np.repeat(rows.bounds[:-1] - (np.cumsum(counts) - counts), counts)
    taken = np.minimum(lengths, n)[row]
    return Ngrams(window_hashes(rows, starts, taken), row, taken)


def distinct_ngrams(found: Ngrams) -> Ngrams:
    """Return each text's n-grams once, sorted by text and hash."""
    order = np.lexsort((found.hashes, found.rows))
    hashes, rows = found.hashes[order], found.rows[order]
    first = np.ones(len(order), bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (rows[1:] != rows[:-1])
    return Ngrams(hashes[first], rows[first], found.lengths[order][first])


def window_hashes(rows: WordRows, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Hashes:
    """Return the hashes of the runs of ``lengths`` words from ``starts`` (places in ``rows.hashes``)."""
    powers, inverses = _powers(1 << max(int(rows.bounds[-1]), 1).bit_length())
    sums = np.zeros(len(rows.hashes) + 1, np.uint64)
    np.cumsum(rows.hashes * powers[: len(rows.hashes)], out=sums[1:])
    runs = (sums[starts + lengths] - sums[starts]) * inverses[starts]
    return mixed(runs + lengths.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93))


def mixed(values: Hashes) -> Hashes:
    """Return ``values`` under a fixed bijection that spreads them over all bits (MurmurHash3's finalizer)."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


@cache
def _powers(n: int) -> tuple[Hashes, Hashes]:
    """Return Pⁱ and P⁻ⁱ for i below ``n``, modulo 2⁶⁴."""
    powers, inverses = np.full((2, n), 1, np.uint64)
    powers[1:], inverses[1:] = _BASE, _INVERSE
    return np.multiply.accumulate(powers), np.multiply.accumulate(inverses)
