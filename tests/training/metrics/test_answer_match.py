"""EM, F1 and AvNA: worked examples, what the official definition says, and an independent implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.tasks.tydiqa.utils import exact_match_score, f1_score

from nextset.training.metrics.answer_match import (
    answer_or_none_agrees,
    exact_match,
    normalized_answer,
    token_f1,
)

WORDS = st.sampled_from(
    ["the", "a", "An", "cat", "Cat", "sat", "U.S.", "it's", "1,000", "anthem", "über", "."]
)
ANSWERS = st.lists(WORDS, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Cat,", "cat"),
        ("a an the", ""),
        ("U.S.", "us"),
        ("the-end", "theend"),  # punctuation goes first, and leaves no space
        ("anthem", "anthem"),  # articles are whole words
        ("“Quoted”", "“quoted”"),  # only ASCII punctuation goes
        ("A\tB\n", "b"),
    ],
)
def test_the_normalized_text(text: str, expected: str) -> None:
    assert normalized_answer(text) == expected


def test_exact_match_takes_the_best_right_answer() -> None:
    assert exact_match("the Denver Broncos!", ["Broncos", "Denver Broncos"]) == 1
    assert exact_match("Denver", ["Broncos", "Denver Broncos"]) == 0


def test_f1_by_hand() -> None:
    # found: 2 words, right: 3 words, same: 2 → precision 2/2, recall 2/3, F1 = 2 · 1 · ⅔ / (1 + ⅔) = 0.8
    assert token_f1("Denver Broncos", ["the big Denver Broncos"]) == pytest.approx(0.8)
    # repeated words count as often as both have them: same 1 of 2 and of 1 → 2 · ½ · 1 / 1.5 = ⅔
    assert token_f1("New New", ["New"]) == pytest.approx(2 / 3)
    assert token_f1("Paris", ["London", "in Paris"]) == pytest.approx(2 / 3)
    assert token_f1("Paris", ["London"]) == 0


def test_no_answer_as_the_script_of_squad_2_has_it() -> None:
    assert (exact_match("", ()), token_f1("", ())) == (1, 1)
    assert (exact_match("x", ()), token_f1("x", ())) == (0, 0)
    assert (exact_match("", ["x"]), token_f1("", ["x"])) == (0, 0)
    # an answer of which normalization leaves nothing is as none
    assert (exact_match("The", ()), token_f1("the.", ())) == (1, 1)
    assert token_f1("", ["the"]) == 1


def test_avna_by_hand() -> None:
    assert [answer_or_none_agrees(a, r) for a, r in (("x", ["y"]), ("", ()), ("x", ()), ("", ["y"]))] == [
        1, 1, 0, 0,
    ]  # fmt: skip


@given(ANSWERS, st.lists(ANSWERS.filter(normalized_answer), min_size=1, max_size=4))
def test_the_same_as_another_implementation(answer: str, right: list[str]) -> None:
    """That of lm_eval, for TyDiQA, which also takes away other scripts' punctuation: none is in here."""
    assert exact_match(answer, right) == max(float(exact_match_score(answer, r, "en")) for r in right)
    assert token_f1(answer, right) == pytest.approx(max(f1_score(answer, r, "en") for r in right))


@given(ANSWERS, ANSWERS)
def test_f1_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert 0 <= token_f1(a, [b]) <= 1
    if normalized_answer(a) and normalized_answer(b):
        assert token_f1(a, [b]) == pytest.approx(token_f1(b, [a]))
    assert exact_match(a, [b]) <= token_f1(a, [b])
