"""negation.yaml: each shipped one turns words into their opposites, and has no entry without effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.files.yaml_model import read_model
from nextset.letter_case import folded
from nextset.word_lists import FOLDER
from nextset.word_lists.opposite_words import NegationFile, negated_words, negation_digest

SHIPPED = {
    file.parent.name: read_model(file, NegationFile, WordListError)[0]
    for file in sorted(FOLDER.glob("*/negation.yaml"))
}


@pytest.mark.parametrize("language", SHIPPED)
def test_a_shipped_file_has_its_language_and_no_entry_without_effect(language: str) -> None:
    negation = SHIPPED[language]
    assert negation.language == language
    assert negation_digest(language) == negation_digest(f"{language}-XX")
    for entries in (negation.words, negation.prefixes, negation.not_negated):
        assert len(set(entries)) == len(entries)
        assert [folded(entry, language) for entry in entries] == list(entries)
    for word in negation.not_negated:  # else the word needs no exception
        assert word.startswith(negation.prefixes)
        assert negated_words(language, word) == frozenset()
    listed = {prefix + word: word for prefix, words in negation.listed.items() for word in words}
    for negated, word in (listed | negation.pairs).items():
        assert negated_words(language, negated) == {word}
    for words in negation.listed.values():
        assert list(words) == sorted(set(words))


@pytest.mark.parametrize("language", SHIPPED)
@given(word=st.text("abcdeghklnoprstu", min_size=3, max_size=12))
def test_a_negation_of_a_word_negates_that_word(language: str, word: str) -> None:
    negation = SHIPPED[language]
    negations = [f"{before} {word}" for before in negation.words]
    negations += [prefix + hyphen + word for prefix in negation.prefixes for hyphen in ("", "-")]
    for text in set(negations) - set(negation.not_negated):
        assert word in negated_words(language, text)
        assert word in negated_words(f"{language}-XX", text.upper())


@pytest.mark.parametrize(
    "word",
    [
        "restless", "helpless", "shameless", "indifferent", "infamous", "improve", "inform", "discover",
        "dismiss", "display", "immigrant", "imprison", "intended", "united", "disease",
    ],
)  # fmt: skip
def test_a_word_that_only_looks_negated_negates_nothing(word: str) -> None:
    assert negated_words("en", word) == frozenset()


def test_a_short_rest_and_a_language_without_a_file_have_no_negation() -> None:
    assert negated_words("en", "unit") == negated_words("xx", "not clean") == frozenset()
    assert negation_digest("xx") is None
