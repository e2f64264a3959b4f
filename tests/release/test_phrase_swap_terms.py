from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.release.counterfactuals.group_terms import read_group_terms

HEAD = "format: 1\nlanguage: en\nsets:\n  - name: hands\n    groups: [left, right]\n"


def test_the_english_lexicon_has_the_groups_of_the_templates() -> None:
    terms = read_group_terms("builtin:en", Path)
    assert terms.pair_of("men", "women", "gender") == ("gender", "men", "women")
    assert terms.pair_of("White", "Asian", "race") == ("race", "White", "Asian")
    for other in ("Muslim", "Jewish", "Catholic"):
        assert terms.pair_of("Christian", other, "religion") == ("religion", "Christian", other)
    assert terms.pair_of("Catholic", "Mormon", "religion") is not None
    assert terms.pair_of("men", "Muslim", "gender") is None
    assert {t.others["men"] for t in terms.by_form["her"]} == {"him", "his"}
    assert terms.of_language("en-GB")
    assert not terms.of_language("de")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            HEAD + "    nouns:\n    - {left: [lefty, lefties], right: [righty, Lefties]}\n",
            7,
            "two groups of the set",
        ),
        (HEAD + "    pronouns:\n    - {left: a}\n    - {right: a}\n", 8, "'a' is a term of two groups"),
        (HEAD + "    pronouns:\n    - {lefty: a}\n", 7, "'lefty' is not one of the set's groups"),
        (HEAD + "    adjectives:\n    - {left: left  handed}\n", 7, "has extra spaces"),
        (HEAD + "    adjectives:\n    - {left: '-'}\n", 7, "has no letter"),
        (HEAD + "    adjectives:\n    - {left: 'cafe\u0301'}\n", 7, "not in Unicode NFC"),
        (HEAD + "    adverbs: []\n", 6, "unknown key 'sets.0.adverbs'"),
        (HEAD + "    nouns:\n    - {left: [lefty]}\n", 7, "sets.0.nouns.0.left"),
        (HEAD.replace("[left, right]", "[left, Left]"), 5, "the group 'Left' is listed twice"),
        (HEAD.replace("[left, right]", "[left]"), 5, "sets.0.groups"),
        (
            HEAD + "    adjectives:\n    - {left: a}\n  - {name: hands, groups: [a, b]}\n",
            8,
            "there are two sets named 'hands'",
        ),
        (HEAD, 4, "the set 'hands' has no terms"),
        (HEAD + "    adjectives: []\n    pronouns: [{}]\n", 4, "the set 'hands' has no terms"),
        (HEAD + "    adjectives:\n    - {left: a, right: ''}\n", 7, "the term '' of 'right' is empty"),
        (HEAD + "    nouns:\n    - {left: [lefty, ' ']}\n", 7, "' ' has extra spaces"),
        ("format: 1\nlanguage: en\nsets: []\n", 3, "sets"),
        ("format: 1\nsets: []\n", 1, "'language' is missing"),
    ],
)
def test_a_mistake_in_a_lexicon_has_its_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "terms.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError, match=message) as caught:
        read_group_terms("terms.yaml", lambda name: tmp_path / name)
    assert (caught.value.file, caught.value.line) == (tmp_path / "terms.yaml", line)
    assert caught.value.remedy


def test_the_remedy_of_an_empty_term_or_set_fits(tmp_path: Path) -> None:
    for text, remedy in (
        (HEAD, "add rows under one of nouns, adjectives, before_nouns, pronouns, or remove the set"),
        (HEAD + "    adjectives: [{left: ''}]\n", "write the word, or remove the group from the row"),
        (HEAD + "    adjectives: [{left: '-'}]\n", "write a word"),
    ):
        (tmp_path / "terms.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(WordListError) as caught:
            read_group_terms("terms.yaml", lambda name: tmp_path / name)
        assert caught.value.remedy == remedy


def test_an_unknown_lexicon_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match="'builtin:xy'") as caught:
        read_group_terms("builtin:xy", Path)
    assert "builtin:en" in caught.value.remedy
    with pytest.raises(WordListError, match="no such file"):
        read_group_terms("none.yaml", lambda name: tmp_path / name)
