"""The hashes of a version's rows for comparisons: about 70 bytes per row, and n-grams on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from itertools import chain
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nextset.release.forms.released_form import released_form
from nextset.release.overlap.row_batches import Batches
from nextset.release.overlap.text_words import words
from nextset.release.overlap.word_ngrams import WordHashes, distinct_ngrams, ngrams, word_rows
from nextset.release.source_rows import Kind

__all__ = ["NGRAM", "RowHashes", "read_rows", "selected"]

NGRAM = 3
"""The number of words in the n-grams whose sets are compared."""

_SLICE = 4096


@dataclass(frozen=True, slots=True)
class RowHashes:
    """One entry per row. With two tables, the rows of the second table follow the rows of the first."""

    number: NDArray[np.int64]
    """The row's number, from 0."""
    side: NDArray[np.uint8]
    """The table, from 0."""
    id: NDArray[np.uint64]
    """Hash of the id."""
    text: NDArray[np.uint64]
    """First half of the text's hash, shape (rows,)."""
    text_rest: NDArray[np.uint64]
    """Second half of the text's hash."""
    template: NDArray[np.uint64]
    """Hash of template_id; 0 if it is null."""
    group_set: NDArray[np.uint64]
    """Hash of set_id; 0 if it is null."""
    counterfactual_set: NDArray[np.uint64]
    """Hash of counterfactual_set; 0 if it is null."""
    offset: NDArray[np.int64]
    """The start of the row's n-grams in the file, counted in n-grams."""
    size: NDArray[np.int32]
    """The number of its n-grams; 0 if no n-grams were written."""

    def __len__(self) -> int:
        return len(self.number)


def read_rows(kind: Kind, tables: Sequence[Batches], file: IO[bytes] | None) -> RowHashes:
    """Return the hashes of the rows of ``tables``, and write their texts' n-grams to ``file``, if given."""
    reader = _Reader(kind, file)
    parts = [part for side, batches in enumerate(tables) for part in _parts(reader, side, batches)]
    columns = []
    for name, dtype in _DTYPES.items():
        columns.append(np.concatenate([np.empty(0, dtype), *(part[name] for part in parts)]))
        for part in parts:
            del part[name]
    return RowHashes(*columns)


def selected(rows: RowHashes, keep: NDArray[np.bool_] | NDArray[np.int64]) -> RowHashes:
    """Return the rows where ``keep`` is true, or the rows at its places."""
    return RowHashes(*(getattr(rows, field.name)[keep] for field in fields(RowHashes)))


_DTYPES = {
    "number": np.int64,
    "side": np.uint8,
    **dict.fromkeys(("id", "text", "text_rest", "template", "group_set", "counterfactual_set"), np.uint64),
    "offset": np.int64,
    "size": np.int32,
}

_Part = dict[str, NDArray[np.generic]]


def _parts(reader: _Reader, side: int, batches: Batches) -> Iterator[_Part]:
    for batch in batches():
        for start in range(0, batch.num_rows, _SLICE):
            part = reader.read(batch.slice(start, _SLICE))
            yield {**part, "side": np.full(len(part["number"]), side, np.uint8)}


class _Reader:
    """Turns rows into hashes, in order."""

    def __init__(self, kind: Kind, file: IO[bytes] | None) -> None:
        self.kind = kind
        self.file = file
        self.hashes = WordHashes()
        self.rows = 0
        self.written = 0

    def read(self, batch: pa.Table) -> _Part:
        """Return the columns of a few rows by name, without the column side."""
        n = batch.num_rows
        forms: dict[str, tuple[str, list[int]]] = {}
        digests, texts = [], []
        for parts in released_form(self.kind).row_texts(batch):
            for part in parts:
                if part not in forms:
                    part_words = words(part)
                    forms[part] = " ".join(part_words), [self.hashes[word] for word in part_words]
            digests.append(_digest(parts, [forms[part][0] for part in parts]))
            texts.append(list(chain.from_iterable(forms[part][1] for part in parts)))
        halves = np.frombuffer(b"".join(digests), np.uint64).reshape(n, 2)
        sizes = np.zeros(n, np.int32)
        if self.file is not None:
            grams = distinct_ngrams(ngrams(word_rows(texts), NGRAM))
            sizes = np.bincount(grams.rows, minlength=n).astype(np.int32)
            self.file.write(grams.hashes.tobytes())
        offsets = self.written + np.cumsum(sizes, dtype=np.int64) - sizes
        numbers = np.arange(self.rows, self.rows + n)
        self.rows, self.written = self.rows + n, self.written + int(sizes.sum())
        return {
            "number": numbers,
            "id": _hashed(batch, "id"),
            "text": halves[:, 0].copy(),
            "text_rest": halves[:, 1].copy(),
            "template": _hashed(batch, "template_id"),
            "group_set": _hashed(batch, "set_id"),
            "counterfactual_set": _hashed(batch, "counterfactual_set"),
            "offset": offsets,
            "size": sizes,
        }


def _digest(parts: Sequence[str], forms: Sequence[str]) -> bytes:
    """Return the hash of a row's words, or of the unchanged texts if they have no words."""
    text = "\n".join(forms)
    text = text if text.strip() else "\0".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _hashed(batch: pa.Table, name: str) -> NDArray[np.uint64]:
    """Return the hash of each text of a column; 0 for null, and 0 for all rows without such a column."""
    from pandas.util import hash_array

    if name not in batch.column_names:
        return np.zeros(batch.num_rows, np.uint64)
    values = batch[name].to_pylist()
    null = np.array([value is None for value in values], bool)
    hashes = hash_array(np.array([value or "" for value in values], object))
    return np.where(null, np.uint64(0), hashes)
