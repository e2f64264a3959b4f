"""A collection in chunks of passages; each chunk is read once for all parts of an artifact that need it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pyarrow as pa

from nextset.errors import InputError
from nextset.extensions.ambiguity.passages import LocatedPassage, Passage
from nextset.extensions.ambiguity.search.passage_collection import PassageCollection
from nextset.records.arrow_schema import table_of

__all__ = ["CHUNK", "PassageChunks", "chunk_count"]

CHUNK = 50_000
"""Passages per chunk, the maximum that a killed run has to repeat; a chunk takes about 100 MB of memory."""


def chunk_count(passages: int) -> int:
    """Return the number of chunks of a collection with this many passages."""
    return -(-passages // CHUNK)


class PassageChunks:
    """The chunks of a collection; reading them in order is fastest."""

    def __init__(self, collection: PassageCollection, passages: int) -> None:
        """Prepare to read a ``collection`` with this many ``passages``."""
        self._collection = collection
        self._passages = passages
        self._rest: Iterator[LocatedPassage] = iter(())
        self._number = -1
        self._chunk = table_of([], Passage)

    def table(self, number: int) -> pa.Table:
        """Return the `Passage` rows of chunk ``number``, from 0.

        Raises InputError if the collection has changed since its passages were counted.
        """
        if number != self._number:
            if number != self._number + 1 or self._number < 0:
                self._rest = itertools.islice(self._collection.passages(), number * CHUNK, None)
            self._chunk = table_of((p.passage for p in itertools.islice(self._rest, CHUNK)), Passage)
            self._collection.check_unchanged()  # before the chunk becomes a part of an artifact
            self._number = number
            last = number + 1 == chunk_count(self._passages)
            more = last and next(self._rest, None) is not None
            if more or self._chunk.num_rows != self._size(number):
                raise InputError(
                    "the collection changed while it was read",
                    remedy="wait until nothing writes to its files, then run this again",
                )
        return self._chunk

    def _size(self, number: int) -> int:
        return min(CHUNK, self._passages - number * CHUNK)
