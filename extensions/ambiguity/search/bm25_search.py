"""BM25 (Robertson and Zaragoza 2009), as bm25s computes it, over shards of an index in constant memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nextset.artifacts.artifact import Artifact
from nextset.artifacts.progress_callback import Tick
from nextset.extensions.ambiguity.search.index_words import search_words
from nextset.extensions.ambiguity.search.top_passages import TopPassages

__all__ = ["K1", "B", "bm25_search"]

K1 = 1.5
"""The saturation of repeated occurrences of a word; the default of bm25s."""
B = 0.75
"""The weight of a passage's length; the default of bm25s."""


@dataclass(frozen=True)
class _Collection:
    """The statistics of the whole collection that the score of a passage needs."""

    weights: dict[str, np.float32]
    """The inverse document frequency of each word in the questions."""
    mean_length: np.float64
    """The mean number of words in a passage."""


def bm25_search(index: Artifact, questions: Sequence[str], most: int, progress: Tick) -> list[TopPassages]:
    """Return the best ``most`` passages of each question: those with a score greater than 0.

    The score is Lucene's variant (Kamphuis et al. 2020), the default of bm25s: the sum over the question's
    words w of log(1 + (N - n + 0.5) / (n + 0.5)) * f / (f + k1 * (1 - b + b * l / m)), if n of N passages
    contain w, and a passage of l words (m on average) contains it f times. ``index`` has the tables passages
    and postings; shards are read twice, one after the other. Raises DamagedShard.
    """
    terms_of_questions = [search_words(question) for question in questions]
    words = pa.array(sorted({word for terms in terms_of_questions for word in terms}), pa.string())
    shards, sizes = index.shards_of("postings"), [s.rows for s in index.shards_of("passages")]
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    frequency: dict[str, int] = dict.fromkeys(words.to_pylist(), 0)
    length, total = 0, 2 * len(shards)
    for i, shard in enumerate(shards):
        table = index.piece(shard, ["word", "passages", "counts"])
        length += pc.sum(_values(table, "counts")).as_py() or 0
        for word, n in zip(*_lengths(_of_words(table, words)), strict=True):
            frequency[word] += n
        progress(i + 1, total)
    whole = _Collection(_weights(frequency, starts[-1]), np.float64(length / starts[-1]))
    best = [TopPassages(most, above=0) for _ in questions]
    for i, shard in enumerate(shards):
        scored = _shard_scores(index.piece(shard), words, whole, starts[i], sizes[i])
        for terms, top in zip(terms_of_questions, best, strict=True):
            ids = scored.get_tokens_ids(terms)
            if ids:
                top.add(scored.get_scores_from_ids(ids), starts[i])
        progress(len(shards) + i + 1, total)
    return best


def _weights(frequency: dict[str, int], passages: int) -> dict[str, np.float32]:
    return {
        word: np.float32(math.log(1 + (passages - n + 0.5) / (n + 0.5))) for word, n in frequency.items() if n
    }


def _of_words(postings: pa.Table, words: pa.Array) -> pa.Table:
    return postings.filter(pc.is_in(postings["word"], value_set=words))


def _values(postings: pa.Table, column: str) -> pa.Array:
    return postings[column].combine_chunks().flatten()


def _lengths(postings: pa.Table) -> tuple[list[str], list[int]]:
    return postings["word"].to_pylist(), pc.list_value_length(postings["passages"]).to_pylist()


def _shard_scores(postings: pa.Table, words: pa.Array, whole: _Collection, first: int, passages: int) -> Any:
    """Return the index of bm25s for one shard: the score of each of its words in each passage."""
    import bm25s

    all_places = _values(postings, "passages").to_numpy() - first
    lengths = np.bincount(all_places, _values(postings, "counts").to_numpy(), passages)
    selected = _of_words(postings, words)
    names, sizes = _lengths(selected)
    places, counts = _values(selected, "passages").to_numpy() - first, _values(selected, "counts").to_numpy()
    weights = np.repeat(np.array([whole.weights[word] for word in names], np.float32), sizes)
    with np.errstate(invalid="ignore"):  # a collection without words
        share = K1 * ((1 - B) + B * lengths[places] / whole.mean_length)
    index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
    index.scores = {
        "data": (weights * (counts.astype(np.float32) / (share + counts.astype(np.float32)))).astype(
            np.float32
        ),
        "indices": places,
        "indptr": np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
        "num_docs": passages,
    }
    index.nonoccurrence_array = None
    index.vocab_dict = {word: i for i, word in enumerate(names)}
    return index
