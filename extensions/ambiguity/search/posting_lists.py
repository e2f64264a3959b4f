"""Posting lists: for each word of some passages, the passages that contain it and the number of times."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.extensions.ambiguity.search.index_words import search_words
from nextset.records.arrow_schema import arrow_schema

__all__ = ["PostingList", "posting_lists"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingList:
    """The occurrences of a word in some consecutive passages of a collection."""

    word: str
    """The word, in lower case."""
    passages: tuple[int, ...]
    """The numbers of the passages that contain the word, ascending."""
    counts: tuple[int, ...]
    """The number of occurrences in each of them."""


class _Numbers(dict[str, int]):
    """The number of each word, assigned when the word first occurs; -1 for words that are omitted."""

    def __missing__(self, word: str) -> int:
        self[word] = number = self.met
        self.met += 1
        return number

    met = 0


def posting_lists(passages: pa.Table, first: int, omitted: Collection[str]) -> pa.Table:
    """Return the `PostingList` of each word of ``passages`` (titles and texts), sorted by word.

    The first passage has the number ``first``. Words in ``omitted`` have no list, and do not count in the
    length of a passage.
    """
    numbers = _Numbers(dict.fromkeys(omitted, -1))
    word_numbers, lengths = array("i"), array("i")
    for title, text in zip(passages["title"].to_pylist(), passages["text"].to_pylist(), strict=True):
        words = search_words(title) + search_words(text)
        word_numbers.extend(map(numbers.__getitem__, words))
        lengths.append(len(words))
    words_at = np.frombuffer(word_numbers, np.int32) if word_numbers else np.empty(0, np.int32)
    passage_at = np.repeat(np.arange(len(lengths)), np.frombuffer(lengths, np.int32) if lengths else 0)
    kept = words_at >= 0
    ordered = sorted(word for word, number in numbers.items() if number >= 0)
    rank = np.empty(len(ordered), np.int64)
    rank[[numbers[word] for word in ordered]] = np.arange(len(ordered))
    keys = rank[words_at[kept]] * max(1, len(lengths)) + passage_at[kept]
    return _table(ordered, keys, max(1, len(lengths)), first)


def _table(words: Sequence[str], keys: npt.NDArray[np.int64], n: int, first: int) -> pa.Table:
    """Return the lists of ``words``; a key is n times the number of a word plus the number of a passage."""
    pairs, counts = np.unique(keys, return_counts=True)
    offsets = pa.array(np.searchsorted(pairs, np.arange(len(words) + 1) * n).astype(np.int32))
    schema = arrow_schema(PostingList)
    columns = [
        pa.ListArray.from_arrays(offsets, pa.array(values.astype(np.int32)), type=schema.field(name).type)
        for name, values in (("passages", pairs % n + first), ("counts", counts))
    ]
    return pa.table([pa.array(words, pa.string()), *columns], schema=schema)
