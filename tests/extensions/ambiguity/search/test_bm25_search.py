"""BM25: the formula by hand, and the same scores as bm25s has for the whole collection at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.extensions.ambiguity.passages import Passage
from nextset.extensions.ambiguity.search.bm25_search import bm25_search
from nextset.extensions.ambiguity.search.index_words import stop_words
from nextset.extensions.ambiguity.search.posting_lists import posting_lists
from nextset.extensions.ambiguity.search.top_passages import TopPassages
from nextset.records.arrow_schema import table_of

WORDS = st.sampled_from(["comet", "iron", "bridge", "star", "the", "a", "née", "who", "x"])
TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=12)


def index_of(folder: Path, texts: Sequence[str], step: int) -> Artifact:
    """An index of ``texts`` in shards of ``step`` passages."""
    parts: list[Part] = []
    for start in range(0, len(texts), step):
        rows = [
            Passage(id=str(i), title="", text=text, group="")
            for i, text in enumerate(texts[start : start + step], start)
        ]
        passages = PartResult(table_of(rows, Passage))
        postings = PartResult(posting_lists(passages.table, start, stop_words("en")))
        parts += [Part("passages", lambda made=passages: made), Part("postings", lambda made=postings: made)]  # type: ignore[misc]
    return build(folder, Recipe("passage_index", 1), lambda: parts, reuse=False)


def searched(index: Artifact, questions: Sequence[str], most: int = 5) -> list[TopPassages]:
    return bm25_search(index, questions, most, lambda done, total: None)


def test_the_formula(tmp_path: Path) -> None:
    """N = 3; lengths 2, 4 and 3 words, so m = 3. Comet is in 2 passages, once and twice."""
    index = index_of(tmp_path / "i", ["comet star", "comet comet iron gate", "iron iron bridge"], 2)
    (found,) = searched(index, ["The comet?"])
    weight = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))  # ln 1.6
    first = weight * 2 / (2 + 1.5 * (0.25 + 0.75 * 4 / 3))
    second = weight * 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3))
    assert first == pytest.approx(0.47000 * 2 / 3.875, rel=1e-4)
    assert found.passages.tolist() == [1, 0]
    assert found.scores.tolist() == pytest.approx([first, second], rel=1e-6)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(texts=TEXTS, question=st.lists(WORDS, max_size=5).map(" ".join), step=st.integers(1, 5))
def test_the_same_as_the_library_over_all_passages(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], question: str, step: int
) -> None:
    index = index_of(tmp_path_factory.mktemp("i") / "i", texts, step)
    (found,) = searched(index, [question], most=len(texts))
    whole = bm25s.BM25()
    tokens = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    if not any(word for words in tokens for word in words):
        assert not found.passages.size
        return
    whole.index([[word for word in words if word] for words in tokens], show_progress=False)
    (asked,) = bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)
    ids = whole.get_tokens_ids([word for word in asked if word])
    scores = whole.get_scores_from_ids(ids) if ids else np.zeros(len(texts), np.float32)
    expected = np.lexsort((np.arange(len(texts)), -scores))[: int((scores > 0).sum())]
    assert found.passages.tolist() == expected.tolist()
    assert found.scores.tolist() == scores[expected].tolist()


def test_ties_are_in_the_order_of_the_passages(tmp_path: Path) -> None:
    index = index_of(tmp_path / "i", ["comet"] * 7, 3)
    (found,) = searched(index, ["comet"], most=4)
    assert found.passages.tolist() == [0, 1, 2, 3]


@given(
    scores=st.lists(st.integers(0, 5), min_size=1, max_size=40),
    most=st.integers(1, 12),
    step=st.integers(1, 9),
)
def test_the_best_passages_do_not_depend_on_the_blocks(scores: list[int], most: int, step: int) -> None:
    values = np.array(scores, np.float32)
    top = TopPassages(most, above=0)
    for start in range(0, len(values), step):
        top.add(values[start : start + step], start)
    order = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: (-scores[i], i))
    assert top.passages.tolist() == order[:most]
    assert top.scores.tolist() == [scores[i] for i in order[:most]]
