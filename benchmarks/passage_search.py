"""Search in large collections: CPU time and memory of BM25, next to bm25s by itself, and of vectors."""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import figure, ran

__all__ = ["passage_search_figures", "vector_search_figures"]

PASSAGES = 1_000_000
SAMPLE = 100_000
"""The number of passages that bm25s indexes by itself."""
WORDS = 100
VOCABULARY = 300_000
QUESTIONS = 1_000
CHECKED = 20
"""The number of questions that the plain formula answers too."""
K = 100
STUDY = """\
format: 1
name: searched
ambiguity: {{retrieval: {{passages: {{source: {source}}}, questions: [questions.jsonl], top_k: {k}}}}}
"""
INDEX = """
import sys
from nextset.extensions.ambiguity.search.stage import index_passages
index_passages(sys.argv[1])
"""
SEARCH = """
import sys
from nextset.extensions.ambiguity.search.search_stage import search_passages
search_passages(sys.argv[1])
"""
LIBRARY = """
import bm25s, json, sys
folder, k = sys.argv[1], int(sys.argv[2])
with open(folder + "/sample.jsonl") as f:
    texts = [(row := json.loads(line))["title"] + "\\n" + row["text"] for line in f]
with open(folder + "/questions.jsonl") as f:
    questions = [json.loads(line)["question"] for line in f]
index = bm25s.BM25()
index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
index.retrieve(bm25s.tokenize(questions, show_progress=False), k=k, show_progress=False)
"""

VECTORS = 200_000
DIMENSIONS = 384
VECTOR_SEARCH = """
import sys
import numpy as np
from nextset.extensions.ambiguity.search import vector_search
search, vectors, dimensions, questions, k, target = sys.argv[1], *map(int, sys.argv[2:6]), sys.argv[6]
def blocks():
    for start in range(0, vectors, 8192):
        size = min(8192, vectors - start)
        yield start, np.random.default_rng(start).normal(size=(size, dimensions)).astype(np.float32)
asked = np.random.default_rng(1).normal(size=(questions, dimensions)).astype(np.float32)
if search == "none":
    list(start for start, block in blocks())
else:
    found = getattr(vector_search, search)(blocks(), asked, k)
    rows = (x for top in found for x in (top.passages.tobytes(), top.scores.tobytes()))
    open(target, "wb").write(b"".join(rows))
"""


def passage_search_figures(passages: int = PASSAGES) -> None:
    """Index and search a collection with word frequencies as in English (Zipf), each in its own process."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _write(folder, passages)
        (folder / "study.yaml").write_text(STUDY.format(source="passages.jsonl", k=K), encoding="utf-8")
        index = ran([sys.executable, "-c", INDEX, folder])
        search = ran([sys.executable, "-c", SEARCH, folder])
        minutes = (index.cpu_seconds + search.cpu_seconds) / 60
        memory = max(index.megabytes, search.megabytes)
        bytes_ = sum(f.stat().st_size for f in (folder / "out" / "passage_index").rglob("*.parquet"))
        name = f"{passages:,} passages of {WORDS} words"
        figure(f"{name}, indexed", index.cpu_seconds, "measured only", True, "CPU s")
        figure(f"{QUESTIONS:,} questions, k = {K}", search.cpu_seconds, "measured only", True, "CPU s")
        figure("both", minutes, "at most 10 CPU minutes", minutes <= 10, "CPU minutes")
        figure("indexing, memory", index.megabytes, "measured only", True, "MB")
        figure("searching, memory", search.megabytes, "measured only", True, "MB")
        figure("the most memory", memory, "at most 4 GB", memory <= 4096, "MB")
        figure("out/passage_index", bytes_ / 1e6, "measured only", True, "MB")
        sample = min(SAMPLE, passages)
        plain = ran([sys.executable, "-c", LIBRARY, folder, str(K)])
        figure(
            f"bm25s by itself, {sample:,} passages, both", plain.cpu_seconds, "measured only", True, "CPU s"
        )
        figure(f"bm25s by itself, {sample:,} passages, memory", plain.megabytes, "measured only", True, "MB")
        name = f"the words of {WORDS * 1000:,} Russian words"
        figure(name, _russian_seconds(), "measured only", True, "CPU s")
        same = _same_as_formula(folder)
        figure(f"same {K} passages as the plain formula", f"{same} of {CHECKED}", "all", same == CHECKED)


def vector_search_figures() -> None:
    """Exact search and FAISS over random vectors, each in its own process."""
    with tempfile.TemporaryDirectory() as scratch:
        name = f"{VECTORS:,} vectors of {DIMENSIONS}, {QUESTIONS:,} questions"
        for search in ("none", "exact_search", "faiss_search"):
            arguments = [search, VECTORS, DIMENSIONS, QUESTIONS, K, Path(scratch) / search]
            cost = ran([sys.executable, "-c", VECTOR_SEARCH, *map(str, arguments)])
            shown = {"none": "only random vectors"}.get(search, search)
            figure(f"{name}, {shown}", cost.cpu_seconds, "measured only", True, "CPU s")
            figure(f"{name}, {shown}, memory", cost.megabytes, "measured only", True, "MB")
        same = (Path(scratch) / "exact_search").read_bytes() == (Path(scratch) / "faiss_search").read_bytes()
        figure("the same passages and scores by both", float(same), "1", same)


def _write(folder: Path, passages: int) -> None:
    """Write passages.jsonl, sample.jsonl with the first of them, and questions.jsonl."""
    from bm25s.stopwords import STOPWORDS_EN

    chance = np.random.default_rng(19)
    vocabulary = [*STOPWORDS_EN, *_words(chance, VOCABULARY - len(STOPWORDS_EN))]
    shares = 1 / np.arange(1, VOCABULARY + 1)
    steps = np.cumsum(shares / shares.sum())

    def drawn(size: int) -> list[str]:
        return [vocabulary[i] for i in np.searchsorted(steps, chance.random(size)).clip(max=VOCABULARY - 1)]

    with (
        (folder / "passages.jsonl").open("w", encoding="utf-8") as whole,
        (folder / "sample.jsonl").open("w", encoding="utf-8") as sample,
    ):
        for start in range(0, passages, 1000):
            words = drawn(1000 * (WORDS + 2))
            for i in range(min(1000, passages - start)):
                own = words[i * (WORDS + 2) : (i + 1) * (WORDS + 2)]
                row = {"id": f"p{start + i}", "title": " ".join(own[:2]), "text": " ".join(own[2:]) + "."}
                line = json.dumps(row) + "\n"
                whole.write(line)
                if start + i < SAMPLE:
                    sample.write(line)
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for i in range(QUESTIONS):
            own = [word for word in drawn(30) if word not in STOPWORDS_EN][:5]
            file.write(json.dumps({"id": f"q{i}", "question": f"Who was the {' '.join(own)}?"}) + "\n")


def _words(chance: np.random.Generator, size: int) -> list[str]:
    """Return different words of three to eleven letters."""
    found = dict[str, None]()
    while len(found) < size:
        letters = chance.choice(list("abcdefghijklmnopqrstuvwxyz"), int(chance.integers(3, 12)))
        found["".join(letters)] = None
    return list(found)


def _russian_seconds() -> float:
    from nextset.extensions.ambiguity.search.index_words import search_words

    search_words("Анна")  # prepares the pattern
    texts = ["Анна встретила врача, который жил в Москве: они говорили о звёздах. "] * (WORDS * 1000 // 11)
    began = time.process_time()
    for text in texts:
        search_words(text)
    return time.process_time() - began


def _tokens(text: str) -> list[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return [word for word in re.findall(r"\b\w\w+\b", text.lower()) if word not in STOPWORDS_EN]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _same_as_formula(folder: Path) -> int:
    """Return how many questions get the passages of the formula, computed passage by passage in float64.

    Passages whose scores differ by less than the precision of float32 may change places.
    """
    asked = [_tokens(row["question"]) for row in islice(_rows(folder / "questions.jsonl"), CHECKED)]
    wanted = {word for words in asked for word in words}
    frequency: Counter[str] = Counter()
    lengths, counts = [], []
    for row in _rows(folder / "passages.jsonl"):
        words = _tokens(f"{row['title']} {row['text']}")
        count = Counter(word for word in words if word in wanted)
        frequency.update(count.keys())
        lengths.append(len(words))
        counts.append(count)
    n, mean = len(lengths), sum(lengths) / len(lengths)
    weight = {word: math.log(1 + (n - f + 0.5) / (f + 0.5)) for word, f in frequency.items()}
    found = _found(folder)
    same = 0
    for i, words in enumerate(asked):
        scores = np.array(
            [
                sum(weight[w] * c[w] / (c[w] + 1.5 * (0.25 + 0.75 * length / mean)) for w in words if c[w])
                for c, length in zip(counts, lengths, strict=True)
            ]
        )
        best = np.sort(scores)[::-1][:K]
        ours = found[f"q{i}"]
        same += bool(np.allclose(scores[[number for number, _ in ours]], best[best > 0], rtol=1e-6, atol=0))
    return same


def _found(folder: Path) -> dict[str, list[tuple[int, float]]]:
    from nextset.artifacts.artifact import open_artifact

    found: dict[str, list[tuple[int, float]]] = {}
    for row in open_artifact(folder / "out" / "retrieved").table("retrieved").to_pylist():
        found.setdefault(row["question_id"], []).append((row["passage"], row["score"]))
    return found
