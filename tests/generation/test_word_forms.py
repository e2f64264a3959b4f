"""The lexicon: categories, forms and inflection of English words, and what it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.templates.question_inflection import question_words
from nextset.generation.word_forms import english_words
from nextset.study.mask_constraint import FORMS, MaskConstraint


@pytest.mark.parametrize(
    ("word", "is_one", "is_none"),
    [
        ("calm", ["adj", "adj.positive", "verb.base"], ["adj.comparative", "noun.plural"]),
        ("happier", ["adj", "adj.comparative"], ["adj.positive", "verb"]),
        ("dropped", ["verb", "verb.past", "verb.participle"], ["verb.base", "adj"]),
        ("taken", ["verb.participle"], ["verb.past"]),
        ("drops", ["verb.third", "noun.plural"], ["verb.base", "noun.singular"]),
        ("children", ["noun", "noun.plural"], ["noun.singular"]),
        ("violence", ["noun.singular"], ["noun.plural"]),  # the table repeats a mass noun as its plural
        ("kindness", ["noun.singular"], ["noun.plural"]),  # also where the mass noun ends in s
        ("business", ["noun.singular"], ["noun.plural"]),
        ("politics", ["noun.singular"], ["noun.plural"]),
        ("news", ["noun.singular"], ["noun.plural"]),
        ("clothes", ["noun.plural"], []),
        ("losses", ["noun.plural"], ["noun.singular"]),
        ("series", ["noun.singular", "noun.plural"], []),
        ("rent", ["verb.base", "noun"], ["verb.past", "verb.participle"]),  # listed as the past of rend
        ("people", ["noun.plural"], ["noun.singular"]),
        ("sheep", ["noun.singular", "noun.plural"], []),
        ("poor", ["adj"], ["noun"]),  # listed as a noun without a plural
        ("boring", ["adj", "verb.ing"], ["noun"]),
        ("loving", ["adj"], ["noun"]),
        ("reading", ["verb.ing", "noun"], ["adj"]),  # listed as an adjective, and as a noun
        ("caring", ["adj", "verb.ing"], ["noun"]),  # an adjective that the table lacks
        ("slowly", ["adv"], ["adj"]),
        ("xqzv", [], ["adj", "adv", "noun", "verb"]),
    ],
)
def test_the_categories_and_forms_of_a_word(word: str, is_one: list[str], is_none: list[str]) -> None:
    words = english_words()
    for spelling in (word, word.capitalize()):
        assert [c for c in is_one if not words.is_one_of(spelling, [c])] == []
        assert [c for c in is_none if words.is_one_of(spelling, [c])] == []


@pytest.mark.parametrize(
    ("word", "takes", "form", "expected"),
    [
        ("dropped", "verb.past", "verb.base", "drop"),
        ("found", "verb.past", "verb.base", "find"),
        ("found", "verb.base", "verb.past", "founded"),
        ("left", "verb.past", "verb.ing", "leaving"),
        ("installed", "verb.past", "verb.base", "install"),  # instal has the same past
        ("bathed", "verb.past", "verb.base", "bathe"),  # so has bath
        ("lay", "verb.past", "verb.base", "lie"),
        ("feed", "", "verb.base", "feed"),  # listed as the past of fee
        ("rent", "verb", "verb.third", "rents"),
        ("Ran", "verb", "verb.third", "Runs"),
        ("children", "noun", "noun.singular", "child"),
        ("good", "adj", "adj.comparative", "better"),
        ("violence", "noun", "noun.plural", None),
        ("calm", "adj", "verb.base", None),
        ("gave up", "", "verb.base", "give up"),
        ("basket makers", "", "noun.singular", "basket maker"),
        ("violence", "noun", "", "violence"),
    ],
)
def test_a_word_is_inflected_for_its_question(word: str, takes: str, form: str, expected: str | None) -> None:
    constraint = MaskConstraint((takes,) if takes else ())
    assert question_words([word], [constraint], [form]) == (None if expected is None else [expected])


@given(st.sampled_from(sorted(english_words().readings)), st.sampled_from(FORMS))
def test_an_inflected_word_has_the_form_or_there_is_none(word: str, form: str) -> None:
    words = english_words()
    found = words.inflected(word, (), form)
    assert found is None or words.is_one_of(found, [form]) or found.lower() not in words.readings


def test_the_lexicon_reads_a_table_and_no_pickle() -> None:
    code = (
        "import sys\n"
        "from nextset.generation.word_forms import english_words\n"
        "assert english_words().is_one_of('calm', ['adj'])\n"
        "assert not {'lemminflect', 'spacy', 'pickle'} & sys.modules.keys() - before\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys, pyarrow, pydantic\nbefore = set(sys.modules)\n" + code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
