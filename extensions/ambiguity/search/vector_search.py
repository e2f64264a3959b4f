"""Vector search: inner products of questions with all passages, block by block in constant memory."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.errors import DependencyMissing
from nextset.extensions.ambiguity.search.top_passages import TopPassages

__all__ = ["exact_search", "faiss_search", "require_faiss"]

Vectors = npt.NDArray[np.float32]
Blocks = Iterable[tuple[int, Vectors]]
"""The number of a block's first passage, and the vectors of its passages, shape (passages, dimensions)."""

AT_ONCE = 1024
"""The number of questions that are compared with a block at once; 8,192 passages then take 64 MB."""
MORE = 32
"""The number of extra passages that FAISS is asked for."""
ROUNDING = 1e-5
"""The largest error of FAISS's float32 scores, as a share of the vectors' lengths."""


def exact_search(blocks: Blocks, questions: Vectors, most: int) -> list[TopPassages]:
    """Return the best ``most`` passages of each question, shape (questions, dimensions).

    Products are summed in float64 and rounded to float32, so that equal vectors have equal scores.
    """
    best = [TopPassages(most) for _ in questions]
    for first, vectors in blocks:
        _add_exactly(best, range(len(questions)), questions, vectors, first)
    return best


def _add_exactly(
    best: list[TopPassages], asked: Iterable[int], questions: Vectors, vectors: Vectors, first: int
) -> None:
    """Compare the questions ``asked`` with all passages of a block."""
    places = list(asked)
    passages = vectors.astype(np.float64).T
    for start in range(0, len(places), AT_ONCE):
        chunk = places[start : start + AT_ONCE]
        for place, scores in zip(chunk, _products(questions[chunk], passages), strict=True):
            best[place].add(scores, first)


def _products(questions: Vectors, passages: npt.NDArray[np.float64]) -> Vectors:
    return (questions.astype(np.float64) @ passages).astype(np.float32)


def require_faiss() -> None:
    """Raise DependencyMissing if FAISS is not installed."""
    if importlib.util.find_spec("faiss") is None:
        raise DependencyMissing(
            "ambiguity.retrieval.dense: search: faiss needs FAISS, which is not installed",
            remedy="pip install 'nextset[retrieval]', or write search: exact",
        )


def faiss_search(blocks: Blocks, questions: Vectors, most: int) -> list[TopPassages]:
    """Return the same as `exact_search`: FAISS (IndexFlatIP) finds candidates, which are compared exactly.

    If a passage that FAISS did not find might be as good as a candidate, all passages of its block are
    compared. Raises DependencyMissing without FAISS.
    """
    require_faiss()
    best = [TopPassages(most) for _ in questions]
    lengths = np.linalg.norm(questions.astype(np.float64), axis=1)
    for first, vectors in blocks:
        wanted = min(most + MORE, len(vectors))
        scores, candidates = _asked_of_faiss(vectors, questions, wanted)
        slack = ROUNDING * lengths * float(np.linalg.norm(vectors.astype(np.float64), axis=1).max(initial=0))
        unsure = []
        for place, (near, rows) in enumerate(zip(scores, candidates, strict=True)):
            rows = np.sort(rows)
            exact = _products(questions[[place]], vectors[rows].astype(np.float64).T)[0]
            if wanted < len(vectors) and np.sort(exact)[-min(most, wanted)] <= near.min() + 2 * slack[place]:
                unsure.append(place)
                continue
            spread = np.full(len(vectors), -np.inf, np.float32)
            spread[rows] = exact
            best[place].add(spread, first)
        _add_exactly(best, unsure, questions, vectors, first)
    return best


def _asked_of_faiss(vectors: Vectors, questions: Vectors, wanted: int) -> tuple[Any, Any]:
    """Return the scores and the rows of the ``wanted`` best passages, shape (questions, wanted)."""
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors))
    return index.search(np.ascontiguousarray(questions), wanted)
