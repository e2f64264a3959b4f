"""EM, F1 and AvNA: worked examples, what the official definition says, and an independent implementation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.tasks.mlqa import utils as mlqa
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


@pytest.mark.parametrize(
    ("answer", "right", "same", "given", "wanted"),
    [
        ("北京", "北京大学", 2, 2, 4),
        ("《红楼梦》", "红楼梦", 3, 3, 3),  # the marks go
        ("iPhone 手机", "iPhone手机。", 3, 3, 3),  # a Latin word is one word
        ("東京タワー", "東京", 2, 5, 2),
        ("กรุงเทพ", "กรุง", 3, 6, 3),  # ก รุ ง เ ท พ
        ("ភ្នំពេញ", "ភ្នំ", 2, 4, 2),  # ភ្ នំ ពេ ញ: a letter with its marks
        ("ວຽງຈັນ", "ວຽງ", 3, 5, 3),  # ວ ຽ ງ ຈັ ນ
        ("ရန်ကုန်", "ရန်", 2, 4, 2),  # ရ န် ကု န်
        ("서울 대학교", "서울", 1, 2, 1),  # Korean writes spaces
    ],
)
def test_f1_of_scripts_without_spaces_counts_letters(
    answer: str, right: str, same: int, given: int, wanted: int
) -> None:
    precision, recall = same / given, same / wanted
    assert token_f1(answer, [right]) == pytest.approx(2 * precision * recall / (precision + recall))
    assert exact_match(answer, [right]) == float(same == given == wanted and " " not in answer)


@given(st.text("北京大学2008ab 。，《》.", max_size=8), st.text("北京大学2008ab 。，《》.", max_size=8))
def test_chinese_is_measured_as_by_the_script_of_mlqa(answer: str, right: str) -> None:
    """That of lm_eval. Without a Chinese letter, the marks of other scripts stay, as in SQuAD's script."""
    answer, right = f"北{answer}", f"北{right}"
    if not {"a"} & set(re.split(r"[^a-z0-9]", answer + " " + right)):  # an article in Chinese text
        assert token_f1(answer, [right]) == pytest.approx(mlqa.f1_score(answer, right, "zh"))


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
