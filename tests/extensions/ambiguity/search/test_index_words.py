"""Words for the search: as bm25s has them in English, and whole words in other scripts."""

from __future__ import annotations

import bm25s
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.search.index_words import search_words, stop_words


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_english_words_are_those_of_the_library(text: str) -> None:
    (expected,) = bm25s.tokenize([text], stopwords=[], return_ids=False, show_progress=False)
    assert search_words(text) == [word for word in expected if word]


@given(st.text(max_size=60))
def test_any_text_has_words(text: str) -> None:
    assert all(word and not word.isspace() for word in search_words(text))
    assert search_words(" ".join(search_words(text))) == search_words(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The X-ray of Röntgen, a 1901 prize!", ["the", "ray", "of", "röntgen", "1901", "prize"]),
        ("Ro\u0308ntgen", ["röntgen"]),
        ("居里夫人 radium", ["居", "里", "夫", "人", "radium"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("«Мария Кюри»", ["мария", "кюри"]),
        ("IRMAK ırmak İZMİR İzmir", ["irmak", "irmak", "izmir", "izmir"]),  # Turkish
        ("a b ü", []),
        ("", []),
    ],
)
def test_words_of_other_scripts(text: str, words: list[str]) -> None:
    assert search_words(text) == words


def test_stop_words_by_language() -> None:
    assert len(stop_words("en")) == len(stop_words("en-GB")) == 33
    assert {"the", "was"} <= set(stop_words("en"))
    assert "der" in stop_words("de")
    norwegian = stop_words("no")
    assert "ikke" in norwegian
    for tag in ("nb", "nn", "nb-NO", "nob", "NN-no"):
        assert stop_words(tag) == norwegian
    assert stop_words("eng") == stop_words("en")
    assert stop_words("zh") == stop_words("xx") == ()
