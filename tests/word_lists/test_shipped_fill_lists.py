"""The lists that shipped masks name hold plain words of one kind, none of them the name of a group."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nextset.errors import TemplateError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.word_forms import english_words
from nextset.study.mask_constraint import parse_constraint
from nextset.word_lists import FOLDER
from nextset.word_lists.fill_list import fill_list_names, read_fill_list
from nextset.word_lists.protected_groups import protected_groups

ROOT = Path(__file__).parents[2]
WRITTEN = [
    *sorted((ROOT / "bbnli_templates").glob("*/*.yaml")),
    *sorted((ROOT / "studies").glob("*/overlays/*.yaml")),
]
CHOICES = sorted(FOLDER.glob("*/choice/*.yaml"))
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
    assert len(set(words)) == len(words)


@named
def test_no_word_names_a_group(name: str) -> None:
    groups = protected_groups("en")
    assert groups is not None
    assert [word for word in LISTS[name] if groups.named_by(word)] == []


def test_every_shipped_list_is_named_by_a_mask_and_by_masks_of_several_files() -> None:
    """A list of one file stands in that file."""
    uses = dict.fromkeys(SHIPPED, 0)
    for file in (*WRITTEN, *CHOICES):
        for name in set(re.findall(r"\{\{MASK:[^}]*\b(?:in|not) (\w+)", file.read_text(encoding="utf-8"))):
            if name in uses:
                uses[name] += 1
    assert {name for name, files in uses.items() if files < 2} == set()


KINDS = {
    "adjectives": ("adj", "verb.participle", "verb.ing"),
    "nouns": ("noun", "verb.ing"),
    "plural nouns": ("noun.plural",),
    "singular nouns": ("noun.singular", "verb.ing"),
    "verbs": ("verb.base",),
    "verbs in -s": ("verb.third",),
    "verbs in -ing": ("verb.ing",),
    "participles": ("verb.participle",),
    "adverbs": ("adv",),
}
"""The kinds of words that a list can hold; each stands in other places of a sentence."""
GAPS = frozenset(
    {
        "calm",
        "childbearing",
        "cunning",
        "focused",
        "fun",
        "quiet",
        "responsible",
        "silver",
        "spoiled",
        "unheard",
        "unnoticed",
        "unseen",
        "visible",
    }
)
"""Words of which the lexicon lacks the kind that is meant."""
PLACES = (
    (r"\btoo @", "adjectives"),
    (r"\b(?:should|must|would|may) @", "verbs"),
    (r"\b(?:look|looks|become|becomes|seem|seems|smell) @", "adjectives"),
    (r"\bare @[.]", "adjectives"),
    (r"\bof @[.]", "nouns"),
    (r"\bthe @", "nouns"),
    (r"@ of {{GROUP2}} \w+ are\b", "plural nouns"),
    (r"@ (?:comes|matters)\b", "singular nouns"),
    (r"\b(?:lack|more|out of|for|with) @(?: than {{GROUP2}} have)?[.]", "nouns"),
)
"""What can stand at a mask (@), by the words beside it."""


def kinds(name: str) -> set[str]:
    listed = [w for w in LISTS[name] if w not in GAPS]
    words = [w for w in listed if english_words().has(w)]
    assert len(words) > 0.9 * len(listed)
    return {
        k for k, categories in KINDS.items() if all(english_words().is_one_of(w, categories) for w in words)
    }


@named
def test_the_words_of_a_list_are_of_one_kind(name: str) -> None:
    assert kinds(name)


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_mask_has_many_words_of_the_kind_that_fits_its_sentence(file: Path) -> None:
    for masked in read_yaml(file, TemplateError).data["masked"]:
        (constraint,) = re.findall(r"\{\{MASK:?([^}]*)\}\}", masked["text"])
        sentence = re.sub(r"\{\{MASK[^}]*\}\}", "@", masked["text"])
        parsed = parse_constraint(constraint)
        names = [f"{file.stem}: {name}" for name in (*parsed.like, *parsed.unlike)]
        assert sum(len(LISTS[name]) for name in names) >= 24, sentence  # so that many are left to choose from
        for name in names:
            for place, kind in PLACES:
                if re.search(place, sentence):
                    assert kind in kinds(name), sentence
