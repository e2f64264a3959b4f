"""The words that name protected groups: which words count, and what is wrong in the file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import nextset
from nextset.errors import WordListError
from nextset.word_lists import FOLDER
from nextset.word_lists.lexicon import read_lexicon
from nextset.word_lists.protected_groups import (
    group_words,
    protected_groups,
    read_group_markers,
    read_protected_groups,
    unlike_people,
)

ENGLISH = FOLDER / "en" / "protected_groups.yaml"


@pytest.mark.parametrize(
    "word",
    [
        "Jews",
        "jews",
        "JEWISH",
        "Jew's",
        "women’s",
        "non-Jewish",
        "African-American",
        "german",
        "Polish",
        "white",
    ],
)
def test_a_word_names_a_group(word: str) -> None:
    groups = protected_groups("en-GB")
    assert groups is not None
    assert groups.named_by(word)


@pytest.mark.parametrize(
    "word",
    [
        "polish",
        "pole",
        "native",
        "workers",
        "mango",
        "whiteness",
        "turkey",
        "germane",
        "people",
        "nurse",
        "-",
    ],
)
def test_a_word_that_only_looks_so_names_none(word: str) -> None:
    groups = protected_groups("en")
    assert groups is not None
    assert not groups.named_by(word)


def test_a_language_without_a_list_has_none() -> None:
    assert protected_groups("pt") is None


def test_the_list_has_the_groups_of_the_other_english_lists_and_a_source_for_each_ground() -> None:
    groups = read_protected_groups(ENGLISH)
    subjects = [
        yaml.safe_load((FOLDER / "en" / "subjects" / f"{name}.yaml").read_text(encoding="utf-8"))["subjects"]
        for name in ("ethnic_groups", "religions", "countries")
    ]
    demonyms = [entry["forms"]["dem"] for entry in subjects.pop().values()]
    named = [*(name for names in subjects for name in names), *demonyms]
    # a mask is filled with one word, and neither of these two is a group's name by itself
    assert [n for n in named if not any(map(groups.named_by, n.split()))] == ["Middle Eastern"]
    for ground in yaml.safe_load(ENGLISH.read_text(encoding="utf-8"))["grounds"]:
        assert any(c.isdigit() for c in ground["source"]), ground["ground"]
    lexicon = read_lexicon()  # everyday words are not among them
    everyday = {
        *lexicon.adjectives.people,
        *lexicon.adjectives.things,
        *lexicon.nouns.things,
        *lexicon.adverbs,
    }
    assert {word for word in everyday if groups.named_by(word)} <= {
        "black",
        "white",
        "blind",
        "deaf",
        "elderly",
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Jews, ", "Jews, jews, ", "'jews' is repeated"),
        ("[Evangelical,", "[evangelical,", "'evangelical' has no capital"),
        ("Druze, ", "Roman Catholic, ", "'Roman Catholic' is empty or has spaces"),
        ("Druze, ", '"Ma\\u0304ori", ', "NFC"),
        (
            "    source: International Organization for Migration (2019), Glossary on Migration\n",
            "",
            "source",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "protected_groups.yaml"
    text = ENGLISH.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(WordListError, match=message) as e:
        nextset.lint(file)
    assert e.value.line is not None


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*/group_markers.yaml")), ids=lambda p: p.parent.name)
def test_the_shipped_markers_are_read(file: Path) -> None:
    assert [g.source for g in read_group_markers(file)]
    gender = group_words(file.parent.name)["sex and gender"]
    assert len(gender.markers) > 150
    assert not gender.markers & gender.exceptions


@pytest.mark.parametrize(
    ("lists", "line", "says"),
    [
        ("terms: [bride, Bride]", 6, "'Bride' is repeated"),
        ("of_groups: {Mexico: [peso, peso]}", 6, "'peso' is repeated"),
        ("exceptions: ['king  size']", 6, "is empty or has extra spaces"),
        ("markers: [bride]", 6, "unknown key"),
    ],
)
def test_a_wrong_marker_is_named_with_its_line(tmp_path: Path, lists: str, line: int, says: str) -> None:
    file = tmp_path / "group_markers.yaml"
    head = "format: 1\nlanguage: en\ngrounds:\n  - ground: age\n    source: Hall (2020)\n"
    file.write_text(f"{head}    {lists}\n", encoding="utf-8")
    with pytest.raises(WordListError, match=says) as caught:
        read_group_markers(file)
    assert caught.value.line == line


def test_a_language_without_lists_has_no_words() -> None:
    assert group_words("xx") == {}


@pytest.mark.parametrize(
    ("language", "text", "question", "words"),
    [
        ("en", "Old people are slow.", "Are young people slow?", ("old", "young")),
        ("en-GB", "A poor person steals.", "Does a rich person steal?", ("poor", "rich")),
        ("de", "Dicke Menschen sind faul.", "Sind dünne Menschen faul?", ("dicke", "dünne")),
        ("pt-BR", "As pessoas gordas comem.", "As pessoas magras comem?", ("gordas", "magras")),
        ("es", "La gente gorda come.", "¿Come la gente delgada?", ("gorda", "delgada")),
        ("fr", "Les personnes âgées rient.", "Les personnes jeunes rient-elles ?", ("âgées", "jeunes")),
        ("ru", "Толстые люди ленивы.", "Ленивы ли худые люди?", ("толстые", "худые")),
        ("tr", "Şişman insanlar tembel.", "Zayıf insanlar tembel mi?", ("şişman", "zayıf")),
        ("en", "Old people are slow.", "Are people slow when they are old?", None),
        ("en", "A poor person steals.", "Do poor people steal?", None),
        ("en", "Most people eat.", "Do people eat?", None),
        ("en", "Two people fight.", "Do three people fight?", None),
        ("en", "He bought people food.", "Did he buy people food?", None),
        ("en", "American people are rude.", "Are people from America rude?", None),
        ("de", "Ein dicker Mensch ist faul.", "Sind dicke Menschen faul?", None),
        ("fr", "Les gens mangent trop.", "Les gens mangent-ils trop ?", None),
        ("es", "Las personas comían mal.", "¿Comían mal las personas?", None),
        ("sw", "Watu wanene hulala.", "Je, watu wembamba hulala?", None),
    ],
)
def test_words_beside_people_that_only_one_text_has(
    language: str, text: str, question: str, words: tuple[str, str] | None
) -> None:
    assert unlike_people(language, text, question) == words
