"""Small data in SQuAD's format, made of the built-in grammar."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from makers.builtin_models.qa_examples import QaExample, held_out_questions, training_questions
from nextset.word_lists.lexicon import read_lexicon

__all__ = ["squad", "write_reader_data"]


def squad(examples: Sequence[QaExample], none_every: int = 0) -> dict[str, Any]:
    """``examples`` as SQuAD 2.0; one in ``none_every`` is asked about another context, without an answer."""
    paragraphs = []
    for i, one in enumerate(examples):
        answer = {"text": one.answer, "answer_start": one.start}
        asked: dict[str, Any] = {"question": one.question, "answers": [answer], "is_impossible": False}
        if none_every and i % none_every == 0:
            other = examples[(i + 7) % len(examples)]
            asked = {"question": other.question, "answers": [], "is_impossible": True}
        paragraphs.append({"context": one.context, "qas": [{"id": f"q{i}", **asked}]})
    return {"version": "v2.0", "data": [{"title": "grammar", "paragraphs": paragraphs}]}


def write_reader_data(folder: Path, train: int, dev: int, none_every: int = 0) -> None:
    """Write train.json and dev.json, with other words and patterns, into ``folder``."""
    lexicon = read_lexicon()
    folder.mkdir(parents=True, exist_ok=True)
    for name, examples in (
        ("train", training_questions(lexicon, train, 1)),
        ("dev", held_out_questions(lexicon, dev)),
    ):
        (folder / f"{name}.json").write_text(json.dumps(squad(examples, none_every)), encoding="utf-8")
