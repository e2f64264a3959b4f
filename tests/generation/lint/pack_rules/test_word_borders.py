"""Whole words are found in any script, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.lint.pack_rules.word_borders import find_word, words


@pytest.mark.parametrize(
    ("text", "word", "at"),
    [
        ("somali and mali", "mali", 11),
        ("malian", "mali", None),
        ("l’iran", "iran", 2),
        ("चोरी की", "चोर", None),  # the vowel sign ी belongs to the word चोरी
        ("चोर था", "चोर", 0),
        ("仇恨日本人", "日本", 2),
        ("ひどい日本語", "日本", 3),
        ("한국인이다", "한국", None),  # Korean writes blanks
        ("ชาวไทย", "ไทย", 3),
        ("", "a", None),
        ("a", "", None),
    ],
)
def test_find_word(text: str, word: str, at: int | None) -> None:
    assert find_word(text, word) == at


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("N’a jamais volé.", ["n", "a", "jamais", "volé"]),
        ("चोरी नहीं की", ["चोरी", "नहीं", "की"]),
        ("没有偷 it", ["没", "有", "偷", "it"]),
        ("سَرَقَ قط", ["سَرَقَ", "قط"]),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.lists(st.sampled_from(["ab", "abc", "日", "é", "की", "don"]), min_size=1))
def test_each_word_of_a_text_is_found_in_it(parts: list[str]) -> None:
    text = " ".join(parts)
    assert words(text) == parts
    for part in parts:
        at = find_word(text, part)
        assert at is not None
        assert text[at : at + len(part)] == part
