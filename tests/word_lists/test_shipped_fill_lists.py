"""The lists that shipped masks name hold plain words of one kind, none of them the name of a group."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.errors import TemplateError
from nextset.files.yaml_reader import read_yaml
from nextset.word_lists import FOLDER
from nextset.word_lists.fill_list import fill_list_names, read_fill_list
from nextset.word_lists.protected_groups import protected_groups

ROOT = Path(__file__).parents[2]
WRITTEN = [
    *sorted((ROOT / "bbnli_templates").glob("*/*.yaml")),
    *sorted((ROOT / "studies").glob("*/overlays/*.yaml")),
]
SHIPPED = {
    name: read_fill_list(FOLDER / "en" / "fill_lists" / f"{name}.yaml").words
    for name in fill_list_names("en")
}
LISTS = {
    **SHIPPED,
    **{
        f"{file.stem}: {name}": tuple(words)
        for file in WRITTEN
        for name, words in read_yaml(file, TemplateError).data.get("lists", {}).items()
    },
}
named = pytest.mark.parametrize("name", LISTS)


@named
def test_words_are_single_and_small_and_sorted(name: str) -> None:
    words = LISTS[name]
    assert [w for w in words if not re.fullmatch(r"[a-z]+", w)] == []
    assert list(words) == sorted(words)
    assert len(set(words)) == len(words) >= 24  # so that a mask still has many fills


@named
def test_no_word_names_a_group(name: str) -> None:
    groups = protected_groups("en")
    assert groups is not None
    assert [word for word in LISTS[name] if groups.named_by(word)] == []


def test_every_shipped_list_is_named_by_a_mask_and_by_masks_of_several_files() -> None:
    """A list of one file stands in that file."""
    uses = dict.fromkeys(SHIPPED, 0)
    for file in WRITTEN:
        for name in set(re.findall(r"\{\{MASK:[^}]*\b(?:in|not) (\w+)", file.read_text(encoding="utf-8"))):
            if name in uses:
                uses[name] += 1
    assert {name for name, files in uses.items() if files < 2} == set()
