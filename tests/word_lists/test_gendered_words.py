"""gendered_words.yaml: the shipped ones are read, and a wrong word is named with its line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.word_lists import FOLDER
from nextset.word_lists.gendered_words import gendered_words, read_gendered_words

SHIPPED = sorted(FOLDER.glob("*/gendered_words.yaml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda p: p.parent.name)
def test_the_shipped_words_are_read(file: Path) -> None:
    found = read_gendered_words(file)
    assert found.f
    assert found.m


def test_a_pack_lists_its_own_words_or_takes_those_of_its_language(tmp_path: Path) -> None:
    english = gendered_words(tmp_path, "en-GB")
    assert english is not None
    assert {"nun", "her"} <= english.f
    assert {"monk", "his"} <= english.m
    assert gendered_words(tmp_path, "xx") is None
    (tmp_path / "gendered_words.yaml").write_text("format: 1\nf: [Dame]\n", encoding="utf-8")
    own = gendered_words(tmp_path, "en")
    assert own is not None
    assert own.f == {"dame"}


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("nun", "'nun' is repeated"),
        ("Nun", "'Nun' is repeated"),
        ('""', "is empty"),
        ("<b>", "contains '<', which is not allowed in words"),
        ('"a\u0308"', "is not in Unicode NFC"),
    ],
)
def test_a_wrong_word_is_named_with_its_line(tmp_path: Path, word: str, says: str) -> None:
    text = f"format: 1\nf: [nun]\nm:\n  - {word}\n"
    (tmp_path / "gendered_words.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read_gendered_words(tmp_path / "gendered_words.yaml")
    assert says in caught.value.message
    assert caught.value.line == 4
    assert caught.value.remedy


@pytest.mark.parametrize("there", ["folder", "pipe", "dangling link", "link to itself"])
def test_what_is_not_a_file_is_not_taken_for_absent(tmp_path: Path, there: str) -> None:
    place = tmp_path / "gendered_words.yaml"
    if there == "folder":
        place.mkdir()
    elif there == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("gone" if there == "dangling link" else place.name)
    with pytest.raises(WordListError, match=r"not a file|leads nowhere") as caught:
        gendered_words(tmp_path, "en")
    assert caught.value.file == place
