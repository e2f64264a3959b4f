"""The answer of a reader to an open question."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nextset.extensions.ambiguity.passages import RetrievedPassage
from nextset.extensions.ambiguity.retrieval.open_answers import (
    ReadPassages,
    best_answers,
    names_person,
    reading_context,
    reading_id,
)
from nextset.extensions.ambiguity.retrieval.retrieval_records import OpenAnswer
from nextset.extensions.ambiguity.retrieval.title_groups import title_groups
from nextset.records.reader_answers import ReaderAnswer
from nextset.word_lists.name_groups import NameGroups

TITLES = title_groups(
    pa.table({"title": ["Ada Hale", "Bo Kirk"], "group": ["female", "male"]}),
    ("female", "male"),
    NameGroups({}),
)
FOUND = [
    RetrievedPassage(
        question_id="q", retriever="bm25", rank=rank, passage=number, passage_id="", title=title, score=1.0
    )
    for rank, number, title in ((2, 7, "Bo Kirk"), (1, 3, "Ada Hale"))
]


def answer(passage: int, text: str, score: float | None) -> ReaderAnswer:
    return ReaderAnswer(
        question_id=reading_id("q", passage), model="reader", revision="", text=text, start=0, end=len(text),
        score=score, no_answer=None, windows=1, margin=None,
    )  # fmt: skip


def best(*answers: ReaderAnswer) -> OpenAnswer:
    (found,) = best_answers(ReadPassages(FOUND, {"q": "en"}), answers, TITLES)
    return found


def test_the_answer_with_the_highest_score_counts() -> None:
    found = best(answer(3, "Hale", 0.2), answer(7, "a nurse", 0.6))
    assert (found.text, found.rank, found.passage, found.title) == ("a nurse", 2, 7, "Bo Kirk")
    assert (found.group, found.named) == ("male", False)


def test_of_equal_scores_the_lower_rank_counts() -> None:
    assert best(answer(7, "Kirk", 0.5), answer(3, "Hale", 0.5)).title == "Ada Hale"


def test_models_without_scores_give_their_first_answer() -> None:
    assert best(answer(7, "Kirk", None), answer(3, "", None)).title == "Bo Kirk"


def test_no_answer_at_all() -> None:
    found = best(answer(7, " ", 0.5), answer(3, "", 0.9))
    assert (found.text, found.rank, found.passage, found.group, found.named) == (
        "",
        None,
        None,
        "unknown",
        False,
    )


@pytest.mark.parametrize(
    ("text", "title", "named"),
    [
        ("Hale", "Ada Hale", True),
        ("ada hale, the nurse", "Ada Hale (nurse)", True),
        ("Ada", "Ada Hale", False),
        ("nurse", "Ada Hale (nurse)", False),
        ("", "Ada Hale", False),
        ("Hale", "", False),
    ],
)
def test_an_answer_names_a_person_by_the_family_name(text: str, title: str, named: bool) -> None:
    assert names_person(text, title, "en") == named


@pytest.mark.parametrize(
    ("title", "text", "context"),
    [
        ("Ada Hale", "She was a nurse.", "Ada Hale. She was a nurse."),
        ("Who?", "She.", "Who? She."),
        ("", "She.", "She."),
        ("Ada Hale", " ", "Ada Hale"),
    ],
)
def test_readers_read_the_title_too(title: str, text: str, context: str) -> None:
    assert reading_context(title, text) == context
