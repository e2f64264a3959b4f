"""Pairs of similar texts: candidates that share a band, each compared exactly.

Rows that share template_id, set_id or counterfactual_set are similar by design and not compared with one
another. Rows with the same text are exact duplicates and count as one text here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import IO

import numpy as np
from numpy.typing import NDArray

from nextset.release.overlap.minhash_bands import write_bands
from nextset.release.overlap.ngram_bits import highest_similarity, ngram_bits
from nextset.release.overlap.ngram_file import NgramFile
from nextset.release.overlap.row_hashes import RowHashes
from nextset.release.overlap.shared_ngrams import enough_shared
from nextset.release.overlap.word_ngrams import mixed

__all__ = ["COMPARISONS", "NearPairs", "Texts", "distinct_texts", "near_pairs"]

COMPARISONS = 32
"""The most texts of other templates for an exact comparison with a text, so that the time is linear."""

_AT_ONCE = 1 << 17
"""The number of texts that are compared with others at once."""

Numbers = NDArray[np.int64]
Smalls = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Texts:
    """The distinct texts of rows, in an order independent of the rows' order."""

    of_row: Smalls
    """The text of each original row."""
    family: Smalls
    """A number per text, ascending; texts with the same number are not compared."""
    words: Smalls
    """A number per text; texts with the same number have the same words, but different templates or sets."""
    template: Smalls
    """Number of template_id; 0 if it is null."""
    group_set: Smalls
    """Number of set_id; 0 if it is null."""
    counterfactual_set: Smalls
    """Number of counterfactual_set; 0 if it is null."""
    side: NDArray[np.uint8]
    """The table, from 0."""
    offset: Numbers
    """The start of the text's n-grams in the file, counted in n-grams."""
    size: Smalls
    """The number of its n-grams."""

    def selected(self, chosen: Numbers) -> Texts:
        """Return the texts ``chosen``, with of_row unchanged."""
        return Texts(self.of_row, *(getattr(self, f.name)[chosen] for f in fields(Texts)[1:]))


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Pairs of similar texts."""

    text: Numbers
    """The first text of each pair; each text occurs here once."""
    other: Numbers
    """A text that is similar to the first text."""
    similarity: NDArray[np.float64]
    """The exact Jaccard similarity of the two texts' n-grams."""


def distinct_texts(rows: RowHashes, words: Smalls) -> Texts:
    """Return the distinct texts; rows with the same texts, template and sets count as one.

    ``words`` has the same number for rows with the same words.
    """
    family = rows.template.copy()
    for other in (rows.counterfactual_set, rows.group_set, mixed(rows.text ^ mixed(rows.text_rest))):
        np.copyto(family, other, where=family == 0)
    keys = (
        rows.side,
        rows.counterfactual_set,
        rows.group_set,
        rows.template,
        rows.text_rest,
        rows.text,
        family,
    )
    order = np.lexsort(keys)
    first = np.zeros(len(order), bool)
    first[:1] = True
    for key in keys:
        ordered = key[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    of_row = np.empty(len(order), np.int32)
    of_row[order] = np.cumsum(first, dtype=np.int32) - 1
    chosen = order[first]
    del order, first
    return Texts(
        of_row,
        _numbers(family[chosen]),
        words[chosen],
        _numbers(rows.template[chosen]),
        _numbers(rows.group_set[chosen]),
        _numbers(rows.counterfactual_set[chosen]),
        rows.side[chosen],
        rows.offset[chosen],
        rows.size[chosen],
    )


def _numbers(hashes: NDArray[np.uint64]) -> Smalls:
    """Return small numbers in the order of ``hashes``; the hash 0 becomes 0."""
    distinct = np.unique(np.append(hashes, np.uint64(0)))
    return np.searchsorted(distinct, hashes).astype(np.int32)


def near_pairs(
    texts: Texts, ngrams: IO[bytes], near: float, seed: int, scratch: IO[bytes], tables: int
) -> NearPairs:
    """Return one similar text for each text that has similar texts, with their similarity.

    If ``tables`` is 1, all texts are compared with one another. If it is 2, the texts of the second table are
    compared with the texts of the first. The bands' keys are written to ``scratch``.
    """
    file = NgramFile(ngrams, texts.offset, texts.size)
    by_offset = np.argsort(texts.offset, kind="stable")
    keep = enough_shared(file, by_offset, texts.family, texts.size, near)
    chosen, ordered = np.flatnonzero(keep), by_offset[keep[by_offset]]
    del by_offset, keep
    bands = write_bands(scratch, file, ordered, near, seed)
    place = np.argsort(np.argsort(texts.offset[chosen], kind="stable"), kind="stable")
    bits = ngram_bits(file, ordered)[place]
    del ordered
    search = _Search(texts.selected(chosen), ngrams, bits, near, tables)
    for band in range(bands.count if len(chosen) else 0):
        search.band(bands.keys(band)[place].astype(np.uint64) << np.uint64(32))
    similar = np.flatnonzero(search.other >= 0)
    return NearPairs(chosen[similar], chosen[search.other[similar]], search.similarity[similar])


class _Search:
    """The search for a similar text of each text, band by band."""

    def __init__(
        self, texts: Texts, ngrams: IO[bytes], bits: NDArray[np.uint64], near: float, tables: int
    ) -> None:
        self.texts = texts
        self.ngrams = NgramFile(ngrams, texts.offset, texts.size)
        self.bits = bits
        self.near = near
        two, count = tables == 2, len(texts.side)
        self.index = np.flatnonzero(texts.side == 0) if two else np.arange(count)
        self.asked = (texts.side == 1) if two else np.ones(count, bool)
        self.compared = np.zeros(count, np.uint8)
        self.other = np.full(count, -1, np.int64)
        self.similarity = np.zeros(count)

    def band(self, keys: NDArray[np.uint64]) -> None:
        """Compare texts that have no similar text yet with texts of other families in the same bucket."""
        order = self.index[np.argsort(keys[self.index], kind="stable")]
        places = keys[order] | self.texts.family[order].astype(np.uint64)
        todo = np.flatnonzero(self.asked & (self.other < 0) & (self.compared < COMPARISONS))
        todo = todo[np.argsort(keys[todo], kind="stable")]
        for start in range(0, len(todo), _AT_ONCE):
            chunk = todo[start : start + _AT_ONCE]
            self._neighbours(chunk, keys[chunk], order, places)

    def _neighbours(
        self, todo: Numbers, keys: NDArray[np.uint64], order: Numbers, places: NDArray[np.uint64]
    ) -> None:
        """Compare ``todo`` with texts in the same bucket, the nearest families by number first."""
        own = keys | self.texts.family[todo].astype(np.uint64)
        low = np.searchsorted(places, keys)
        high = np.searchsorted(places, keys | np.uint64(0xFFFFFFFF), side="right")
        before, after = np.searchsorted(places, own), np.searchsorted(places, own, side="right")
        comparable = (before > low) | (after < high)
        todo, low, high, before, after = (x[comparable] for x in (todo, low, high, before, after))
        for step in range(COMPARISONS):
            if not len(todo):
                break
            down, up = before - 1 - step, after + step
            self._compare(todo[down >= low], order[down[down >= low]])
            self._compare(todo[up < high], order[up[up < high]])
            left = (
                (self.other[todo] < 0)
                & (self.compared[todo] < COMPARISONS)
                & ((down > low) | (up + 1 < high))
            )
            todo, low, high, before, after = (x[left] for x in (todo, low, high, before, after))

    def _compare(self, texts: Numbers, others: Numbers) -> None:
        """Record the similar pairs. A text that already has a similar text keeps it."""
        all_ = self.texts
        differ = all_.words[texts] != all_.words[others]
        for names in (all_.template, all_.group_set, all_.counterfactual_set):
            differ &= (names[texts] == 0) | (names[texts] != names[others])
        sizes, other_sizes = all_.size[texts], all_.size[others]
        # |A ∩ B| / |A ∪ B| is at most the smaller size divided by the larger size
        differ &= np.minimum(sizes, other_sizes) >= self.near * np.maximum(sizes, other_sizes) * (1 - 1e-9)
        differ &= (self.other[texts] < 0) & (self.compared[texts] < COMPARISONS)
        texts, others = texts[differ], others[differ]
        self.compared[texts] += 1  # a text occurs once in a call
        close = highest_similarity(self.bits, all_.size, texts, others) >= self.near * (1 - 1e-9)
        for text, other in zip(texts[close].tolist(), others[close].tolist(), strict=True):
            similarity = self._jaccard(text, other)
            if similarity >= self.near:
                self.other[text], self.similarity[text] = other, similarity

    def _jaccard(self, text: int, other: int) -> float:
        a, b = (self.ngrams.ngrams(i) for i in (text, other))
        shared = len(a & b)
        return shared / (len(a) + len(b) - shared)
