from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import WordListError
from nextset.word_lists.lexicon import ENGLISH, read_lexicon


def test_group_terms_are_linted(root: Path, tmp_path: Path) -> None:
    """tests/extensions/ambiguity/questions/test_eponymous_collection.py lints them with their language."""
    terms = root / "word_lists" / "en" / "group_terms.yaml"
    text = terms.read_text(encoding="utf-8")
    wrong = tmp_path / "group_terms.yaml"
    wrong.write_text(text.replace("women: [girl, girls]", "women: [boy, girls]"), encoding="utf-8")
    with pytest.raises(WordListError, match="'boy' is a term of two groups") as caught:
        nextset.lint(wrong)
    assert caught.value.line is not None
    assert "boy" in text.splitlines()[caught.value.line - 1]


def test_the_english_lexicon_reads() -> None:
    lexicon = read_lexicon()
    assert lexicon.nouns.occupations["surgeon"] == "surgeons"
    assert lexicon.verbs.with_things["buy"] == ("buys", "bought", "bought", "buying")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("adverbs: [\n", "adverbs: [\n  quickly,\n", "'quickly' is listed twice in adverbs"),
        ("adverbs: [\n", 'adverbs: [\n  " warmly",\n', "' warmly' has extra spaces"),
        ("adverbs: [\n", 'adverbs: [\n  "all  day",\n', "extra spaces"),
        ("adverbs: [\n", 'adverbs: [\n  "",\n', "extra spaces"),
        ("adverbs: [\n", 'adverbs: [\n  "cafe\\u0301",\n', "NFC"),
        ("adverbs: [\n", "adverb: []\nadverbs: [\n", "unknown key 'adverb'"),
        ("    open: [opens, opened, opened, opening]", "    open: [opens]", "with_things.open"),
        (
            "    open: [opens",
            "    open: [opens, opened, opened, opening]\n    open: [opens",
            "is listed twice",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "lexicon.yaml"
    text = ENGLISH.read_text(encoding="utf-8")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(WordListError, match=message) as e:
        read_lexicon(file)
    assert e.value.file == file
    assert e.value.line is not None
