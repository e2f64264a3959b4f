"""The inputs of a version's rows, indexed for the search in corpora."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nextset.release.forms.released_form import released_form
from nextset.release.overlap.containment_index import NGRAM, ContainmentIndex, index_of
from nextset.release.overlap.row_batches import Batches
from nextset.release.overlap.text_words import words
from nextset.release.overlap.word_ngrams import (
    Ngrams,
    WordHashes,
    distinct_ngrams,
    ngrams,
    window_hashes,
    word_rows,
)
from nextset.release.source_rows import Kind

__all__ = ["InputIndex", "index_inputs"]

_SLICE = 4096

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class InputIndex:
    """Inputs, which are pairs of texts, and the inputs of each row."""

    texts: ContainmentIndex
    """The distinct texts."""
    pairs: Numbers
    """The distinct inputs, ascending: first text · 2³² + second text."""
    of_row: NDArray[np.int32]
    """The inputs of each row, as places in ``pairs``; shape (rows, inputs)."""


def index_inputs(kind: Kind, batches: Batches, near: float, scratch: Path | None = None) -> InputIndex:
    """Return the index of the inputs of all rows; read the rows twice, with a temporary file in ``scratch``.

    The parts of a statement before and after {{MASK}} are searched separately, because a corpus has a word in
    place of the mask.
    """
    hashes = WordHashes()
    per_row = released_form(kind).inputs
    pieces = [_input_hashes(part, hashes) for part in _slices(kind, batches)]
    both = np.concatenate([np.empty((0, 2), np.uint64), *pieces])
    del pieces
    distinct = np.unique(both)
    keys = np.searchsorted(distinct, both[:, 0]) << 32
    keys |= np.searchsorted(distinct, both[:, 1])
    del both
    pairs, of_row = np.unique(keys, return_inverse=True)
    del keys
    with TemporaryFile(dir=scratch) as file:
        index = _text_index(kind, batches, distinct, near, file)
    return InputIndex(index, pairs, of_row.astype(np.int32).reshape(-1, per_row))


Inputs = list[tuple[str, str]]


def _slices(kind: Kind, batches: Batches) -> Iterator[Inputs]:
    for batch in batches():
        for start in range(0, batch.num_rows, _SLICE):
            part: pa.Table = batch.slice(start, _SLICE)
            yield [pair for inputs in released_form(kind).input_texts(part) for pair in inputs]


def _whole_hashes(texts: list[list[int]]) -> Hashes:
    rows = word_rows(texts)
    return window_hashes(rows, rows.bounds[:-1], rows.lengths)


def _fragments(text: str, split: list[int], hashes: WordHashes) -> list[list[int]]:
    """Return the hashes of the words before and after each mask."""
    if "{{MASK}}" not in text:
        return [split]
    return [[hashes[word] for word in words(part)] for part in text.split("{{MASK}}")]


def _input_hashes(inputs: Inputs, hashes: WordHashes) -> Hashes:
    """Return the hashes of both texts of each input, shape (inputs, 2)."""
    texts = list(dict.fromkeys(text for pair in inputs for text in pair))
    numbers = {text: i for i, text in enumerate(texts)}
    places = np.array([[numbers[a], numbers[b]] for a, b in inputs], np.int64).reshape(-1, 2)
    return _whole_hashes([[hashes[word] for word in words(text)] for text in texts])[places]


def _text_index(
    kind: Kind, batches: Batches, distinct: Hashes, near: float, file: IO[bytes]
) -> ContainmentIndex:
    """Return the index of the distinct texts, given by their hashes in ascending order."""
    hashes = WordHashes()
    done = np.zeros(len(distinct), bool)
    order: list[Numbers] = [np.empty(0, np.int64)]
    sizes = np.zeros(len(distinct), np.int64)
    lengths = set[int]()
    for inputs in _slices(kind, batches):
        texts = list(dict.fromkeys(text for pair in inputs for text in pair))
        split = [[hashes[word] for word in words(text)] for text in texts]
        places = np.searchsorted(distinct, _whole_hashes(split))
        numbers, first = np.unique(places, return_index=True)
        new = ~done[numbers]
        done[numbers] = True
        fragments = [_fragments(texts[i], split[i], hashes) for i in first[new].tolist()]
        rows = word_rows(fragment for parts in fragments for fragment in parts)
        owner = np.repeat(numbers[new], [len(parts) for parts in fragments])
        grams = ngrams(rows, NGRAM)
        grams = distinct_ngrams(Ngrams(grams.hashes, owner[grams.rows], grams.lengths))
        file.write(grams.hashes.tobytes())
        order.append(numbers[new])
        places = np.searchsorted(numbers[new], grams.rows)
        sizes[numbers[new]] = np.bincount(places, minlength=int(new.sum()))
        lengths |= set(np.unique(grams.lengths).tolist())
    return index_of(file, np.concatenate(order), sizes, sorted(lengths), near)
