"""closed_class.yaml: the shipped one is read, and a wrong word is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.word_lists import FOLDER
from nextset.word_lists.closed_class import closed_class_words, read_closed_class

SHIPPED = (FOLDER / "en" / "closed_class.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ('""', "is empty"),
        ("<b>so", "contains '<', which is not allowed in words"),
        ("So", "has a capital or a space"),
        ("so far", "has a capital or a space"),
        ("the", "'the' is repeated"),
        ('"so\\0"', "the control character U+0000"),
        ("so\u202e", "the control character U+202E"),
        ("'...'", "is not a word"),
    ],
)
def test_a_wrong_word_is_named_with_its_line(tmp_path: Path, word: str, says: str) -> None:
    text = f"format: 1\nlanguage: en\nclasses:\n  determiners: [the]\n  others:\n    - {word}\nnumbers: []\n"
    (tmp_path / "closed_class.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read_closed_class(tmp_path / "closed_class.yaml")
    assert says in caught.value.message
    assert caught.value.line == 6
    assert caught.value.remedy


def test_the_shipped_words_are_read(tmp_path: Path) -> None:
    (tmp_path / "closed_class.yaml").write_text(SHIPPED, encoding="utf-8")
    assert read_closed_class(tmp_path / "closed_class.yaml") == closed_class_words("en")
