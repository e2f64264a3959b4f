"""The index of a version's texts by their word 8-grams, and the search for them in passages of a corpus.

A text is found in a passage by containment: the share of its distinct 8-grams that are in the passage. A text
of fewer than eight words has one n-gram: the whole text. A text with k n-grams can reach containment c only
if one of its k − ⌈c·k⌉ + 1 rarest n-grams is in the passage (prefix filtering, Chaudhuri et al. 2006), so
only these n-grams point to the text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from nextset.release.overlap.word_ngrams import WordRows, window_hashes

__all__ = ["NGRAM", "ContainmentIndex", "Hits", "index_of", "search"]

NGRAM = 8
"""The number of words in the n-grams that are searched for in corpora."""

_AT_ONCE = 1 << 20
_BLOOM_BITS = 24

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ContainmentIndex:
    """Texts, numbered from 0, and their n-grams."""

    ngrams: Hashes
    """The n-grams of all texts, ascending."""
    filter: NDArray[np.bool_]
    """For each value of the first 24 bits of a hash, whether there is such an n-gram."""
    lengths: tuple[int, ...]
    """The numbers of words in n-grams, at most 8."""
    starts: Numbers
    """The start of each text in ``members``."""
    sizes: Numbers
    """The number of n-grams of each text."""
    members: NDArray[np.int32]
    """The n-grams of each text, as places in ``ngrams``."""
    rare_bounds: NDArray[np.int32]
    """The start of each n-gram in ``rare``, and the end."""
    rare: NDArray[np.int32]
    """The texts that each n-gram points to: those in which it is one of the rarest."""
    needed: Numbers
    """The number of n-grams that a text needs for containment of ``near``; 1 for a text without n-grams."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The n-grams and texts that were found in some passages."""

    ngrams: Numbers
    """The n-grams that are in any passage, as places in the index."""
    passage: Numbers
    """The passage of each pair of a passage and a text that is sufficiently contained in it."""
    text: Numbers
    """The text of each pair."""
    whole: NDArray[np.bool_]
    """For each pair, whether the passage has all n-grams of the text."""


def index_of(
    file: IO[bytes], order: Numbers, sizes: Numbers, lengths: Sequence[int], near: float
) -> ContainmentIndex:
    """Return the index of the n-grams whose hashes are in ``file``.

    The file has the n-grams of the texts in ``order``, one text after the other, with ``sizes[text]``
    distinct n-grams for each text.
    """
    ngrams, members, frequency = _numbered(file, int(sizes.sum()))
    starts = np.empty(len(sizes), np.int64)
    starts[order] = np.cumsum(sizes[order]) - sizes[order]
    needed = np.maximum(1, np.ceil(near * sizes * (1 - 1e-9))).astype(np.int64)
    led, leads = _rarest(members, frequency, order, sizes, sizes - needed + 1)
    del frequency
    rare_bounds = np.zeros(len(ngrams) + 1, np.int32)
    np.cumsum(np.bincount(led, minlength=len(ngrams)), out=rare_bounds[1:])
    leads = leads[np.argsort(led, kind="stable")]
    del led
    present = np.zeros(1 << _BLOOM_BITS, bool)
    present[ngrams >> np.uint64(64 - _BLOOM_BITS)] = True
    return ContainmentIndex(
        ngrams, present, tuple(lengths), starts, sizes, members, rare_bounds, leads, needed
    )


def _numbered(file: IO[bytes], count: int) -> tuple[Hashes, NDArray[np.int32], NDArray[np.int32]]:
    """Return the distinct hashes in ``file``, ascending, the place of each hash, and the number of each.

    A sixteenth of the hashes is sorted at a time, so that memory holds little more than the result.
    """
    file.flush()
    members = np.empty(count, np.int32)
    distinct: list[Hashes] = [np.empty(0, np.uint64)]
    frequency: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    done = 0
    for part in range(16):
        places: list[Numbers] = [np.empty(0, np.int64)]
        values: list[Hashes] = [np.empty(0, np.uint64)]
        for start in range(0, count, _AT_ONCE):
            block = np.frombuffer(os.pread(file.fileno(), 8 * _AT_ONCE, 8 * start), np.uint64)
            here = np.flatnonzero(block >> np.uint64(60) == part)
            places.append(here + start)
            values.append(block[here])
        hashes, inverse, counts = np.unique(np.concatenate(values), return_inverse=True, return_counts=True)
        members[np.concatenate(places)] = inverse + done
        distinct.append(hashes)
        frequency.append(counts.astype(np.int32))
        done += len(hashes)
    return np.concatenate(distinct), members, np.concatenate(frequency)


def _rarest(
    members: NDArray[np.int32], frequency: NDArray[np.int32], order: Numbers, sizes: Numbers, counts: Numbers
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the ``counts[text]`` rarest n-grams of each text, and the text of each n-gram."""
    led: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    leads: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    done = 0
    for block in _blocks(sizes[order]):
        texts, size = order[block], sizes[order[block]]
        grams = members[done : done + int(size.sum())]
        done += len(grams)
        place = np.repeat(np.arange(len(texts)), size)
        grams = grams[np.lexsort((grams, frequency[grams], place))]
        rank = np.arange(len(grams)) - np.repeat(np.cumsum(size) - size, size)
        chosen = rank < counts[texts][place]
        led.append(grams[chosen])
        leads.append(texts[place[chosen]].astype(np.int32))
    return np.concatenate(led), np.concatenate(leads)


def search(index: ContainmentIndex, passages: WordRows) -> Hits:
    """Return the n-grams and texts of the index that are in ``passages``."""
    keys = _ngrams_in(index, passages)
    grams = keys & 0xFFFFFFFF
    counts = (index.rare_bounds[grams + 1] - index.rare_bounds[grams]).astype(np.int64)
    passage: list[Numbers] = [np.empty(0, np.int64)]
    text: list[Numbers] = [np.empty(0, np.int64)]
    whole: list[NDArray[np.bool_]] = [np.empty(0, bool)]
    for block in _blocks(counts):
        texts = index.rare[_ranges(index.rare_bounds[grams[block]].astype(np.int64), counts[block])]
        candidates = np.unique(np.repeat(keys[block] & ~np.int64(0xFFFFFFFF), counts[block]) | texts)
        for part in _blocks(index.sizes[candidates & 0xFFFFFFFF]):
            enough, all_ = _contained(index, candidates[part], keys)
            passage.append(candidates[part][enough] >> 32)
            text.append(candidates[part][enough] & 0xFFFFFFFF)
            whole.append(all_[enough])
    return Hits(np.unique(grams), np.concatenate(passage), np.concatenate(text), np.concatenate(whole))


def _ngrams_in(index: ContainmentIndex, passages: WordRows) -> Numbers:
    """Return, in ascending order, passage · 2³² + place for each n-gram of the index in a passage."""
    keys = [np.empty(0, np.int64)]
    lengths = passages.lengths
    for n in index.lengths:
        counts = np.maximum(lengths - n + 1, 0)
        starts = _ranges(passages.bounds[:-1], counts)
        hashes = window_hashes(passages, starts, np.full(len(starts), n, np.int64))
        likely = np.flatnonzero(index.filter[hashes >> np.uint64(64 - _BLOOM_BITS)])
        places = np.searchsorted(index.ngrams, hashes[likely])
        places[places == len(index.ngrams)] = 0
        hit = index.ngrams[places] == hashes[likely] if len(index.ngrams) else np.zeros(len(likely), bool)
        rows = np.repeat(np.arange(len(lengths)), counts)[likely[hit]]
        keys.append((rows << 32) | places[hit])
    return np.unique(np.concatenate(keys))


def _contained(
    index: ContainmentIndex, pairs: Numbers, keys: Numbers
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for pairs of passage and text whether the passage has enough of the text, and whether all."""
    texts = pairs & 0xFFFFFFFF
    sizes = index.sizes[texts]
    wanted = np.repeat(pairs & ~np.int64(0xFFFFFFFF), sizes)
    wanted |= index.members[_ranges(index.starts[texts], sizes)]
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    ends = np.cumsum(sizes)
    there = np.concatenate([[0], np.cumsum(keys[places] == wanted)])
    counts = there[ends] - there[ends - sizes]
    return counts >= index.needed[texts], counts == sizes


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """Return the concatenated ranges start, start + 1, …, with ``counts`` numbers each."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - counts), counts))


def _blocks(counts: Numbers) -> Iterator[slice]:
    """Yield slices whose counts add up to at most about a million, so that memory is bounded."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop
