"""The sentences of word_lists/LANGUAGE/interventions: how many, how long, about what, and in whose words."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from nextset.extensions.interventions.sentences.sentence_files import read_sentences
from nextset.word_lists import FOLDER
from nextset.word_lists.protected_groups import protected_groups
from tests.word_lists.shipped_packs import pack_of

FILES = sorted(FOLDER.glob("*/interventions/*.yaml"))
KINDS = ("ethical", "adversarial", "irrelevant")
EACH = 8
"""So many sentences of each kind for any question, and for each cluster."""
CLUSTERS = {"crime", "violence", "poverty", "competence", "character", "belonging", "manners", "body"}
WITH_CLUSTERS = {("en", "ethnicity"), ("en", "religion"), ("en", "nationality")}
LONGEST_RUN = 7
"""A sentence may share so many words in a row with a published one."""
SPEAKS_OF = {
    "gender": "gender|sex|a man|geschlechts?|männern|männlich|mann",
    "ethnicity": "ethnicity|ethnic|race|skin|ethnischen?|hautfarbe|abstammung|herkunft",
    "religion": "religions?|faith|belief|believes|prays|glaubens?|glaube|konfession|betet|weltanschauung",
    "nationality": "nationality|country|countries|passport|flag|border|name of a place|how modern a place"
    "|map|nationalität|land|ländern|pass|staatsangehörigkeit|flagge|grenzen",
}
"""How the sentences of a class name what people are judged by."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a file."""

    kind: str
    """ethical, adversarial or irrelevant."""
    name: str
    """Its name in the file."""
    text: str
    """The text."""
    clusters: tuple[str, ...]
    """The clusters of attributes that it is about; empty: any."""

    @property
    def idea(self) -> str:
        """What the three sentences of one idea share in their names."""
        return re.split(r"_(?:not_)?by_", self.name)[0]


def read(file: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return data


def sentences(file: Path) -> list[Sentence]:
    return [
        Sentence(kind, name, entry["text"], tuple(entry.get("clusters", ())))
        for kind, entries in read(file)["interventions"].items()
        for name, entry in entries.items()
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def naming(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    listed = words(text)
    return {tuple(listed[i : i + length]) for i in range(len(listed) - length + 1)}


def of_one_idea(file: Path) -> Iterator[dict[str, Sentence]]:
    by_idea: dict[str, dict[str, Sentence]] = {}
    for s in sentences(file):
        by_idea.setdefault(s.idea, {})[s.kind] = s
    yield from by_idea.values()


each_file = pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.parent.name}-{f.stem}")


def test_the_files_are_those_of_the_classes() -> None:
    found = {(f.parent.parent.name, f.stem) for f in FILES}
    german = {("de", name) for name in ("gender", "nationality", "ethnicity", "religion")}
    english = {("en", s.name) for s in pack_of("en").sets}
    assert found == german | english
    for file in FILES:
        data = read(file)
        assert set(data) == {
            "format", "language", "about", "source", "classes", "domains", "interventions",
        }  # fmt: skip
        assert (data["format"], data["language"]) == (1, file.parent.parent.name)
        assert data["classes"] == [file.stem]
        # the domains of NLI items; questions about nationality and feelings have none
        domain = {"gender": ["gender"], "ethnicity": ["race"], "religion": ["religion"]}
        assert data["domains"] == domain.get(file.stem, [])
        assert file.read_text(encoding="utf-8").startswith("# Content warning: ")
        assert "Zhao" in data["about"]
        assert "our own" in data["about"]
        assert all(
            re.search(r"\((1[89]|20)\d\d\)", part) or "names the work" in part
            for part in data["source"].split("; ")
        )


@each_file
def test_studies_read_each_sentence_as_it_is_written(file: Path) -> None:
    found = [(s.kind, s.name, s.text, s.clusters) for s in read_sentences(file)]
    assert found == [(s.kind, s.name, s.text, s.clusters) for s in sentences(file)]


@each_file
def test_there_are_eight_of_each_kind_and_cluster(file: Path) -> None:
    clusters = CLUSTERS if (file.parent.parent.name, file.stem) in WITH_CLUSTERS else set()
    expected = {(kind, cluster): EACH for kind in KINDS for cluster in ({()} | {(c,) for c in clusters})}
    assert Counter((s.kind, s.clusters) for s in sentences(file)) == expected


@pytest.mark.parametrize("name", ["ethnicity", "religion", "nationality"])
def test_every_cluster_that_is_asked_about_has_sentences(name: str) -> None:
    asked = {
        a.attribute.cluster
        for questions in pack_of("en").sets
        if questions.name == name
        for t in questions.templates
        for a in t.by_attribute
    }
    file = FOLDER / "en" / "interventions" / f"{name}.yaml"
    assert {c for s in sentences(file) for c in s.clusters} == asked == CLUSTERS


@each_file
def test_a_text_is_one_sentence(file: Path) -> None:
    for s in sentences(file):
        assert re.fullmatch(r"[A-ZÄÖÜ][^.!?:;\"]*[a-zäöüß]\.", s.text), s.text
        assert s.text.split(" ") == s.text.split(), s.text
        assert unicodedata.is_normalized("NFC", s.text)
        assert 6 <= len(s.text.split()) <= 22, s.text


@each_file
def test_an_idea_has_a_sentence_of_each_kind_and_they_are_about_as_long(file: Path) -> None:
    names = [s.name for s in sentences(file)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) and len(name) <= 60 for name in names)
    for idea in of_one_idea(file):
        assert set(idea) == set(KINDS)
        assert len({s.clusters for s in idea.values()}) == 1
        lengths = [len(s.text.split()) for s in idea.values()]
        assert max(lengths) - min(lengths) <= 4, idea["ethical"].text


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_text_is_repeated_in_a_language(language: str) -> None:
    """The id of an intervention is a hash of its text, so no two may have the same."""
    texts = [s.text for f in FILES if f.parent.parent.name == language for s in sentences(f)]
    assert len(texts) == len(set(texts)) == {"de": 4 * 24, "en": 3 * 24 + 3 * 9 * 24}[language]


@each_file
def test_no_two_sentences_of_a_kind_are_alike(file: Path) -> None:
    """Sentences about the same cluster share less than 60 % of their words, others less than 80 %."""
    for one, two in itertools.combinations(sentences(file), 2):
        if one.kind == two.kind:
            a, b = set(words(one.text)), set(words(two.text))
            most = 0.6 if one.clusters == two.clusters else 0.8
            assert len(a & b) / len(a | b) < most, (one.text, two.text)


@each_file
def test_irrelevant_sentences_alone_are_silent_about_what_is_compared(file: Path) -> None:
    compared = naming(SPEAKS_OF[file.stem.removesuffix("_sentiment")])
    grounds = naming(
        "|".join(SPEAKS_OF[n] for n in ("gender", "ethnicity", "religion")) + "|age|disability|alter"
    )
    for s in sentences(file):
        if s.kind == "irrelevant":
            assert not grounds.search(s.text), s.text
        else:
            assert compared.search(s.text), s.text


@each_file
def test_no_group_is_named(file: Path) -> None:
    """Sentences about gender may name women and men together; an attribute is about the rights of women."""
    language = file.parent.parent.name
    groups = protected_groups(language)
    assert groups is not None
    for s in sentences(file):
        named = [word for word in re.findall(r"[\w'-]+", s.text) if groups.named_by(word)]
        if file.stem.startswith("gender") and s.kind != "irrelevant":
            assert len(named) in (0, 2), s.text
        else:
            assert named == (["women"] if "_rights_" in s.name else []), s.text


@each_file
def test_no_subject_is_named(file: Path) -> None:
    """A reader that finds a subject in the sentence would answer with that, and not with the context's."""
    sets = [q for q in pack_of(file.parent.parent.name).sets if q.name == file.stem]
    assert sets
    texts = {t.casefold() for q in sets for listed in q.subjects for s in listed for t in s.forms.values()}
    named = naming("|".join(sorted(map(re.escape, texts))))
    assert [s.text for s in sentences(file) if named.search(s.text)] == []


@pytest.mark.reference
@each_file
def test_the_sentences_are_our_own(file: Path, reference: Path) -> None:
    published: set[tuple[str, ...]] = set()
    whole: set[tuple[str, ...]] = set()
    for path in (reference / "lei").iterdir():
        for text in re.split(r'[\t\n]|", "|"\]|\["', path.read_text(encoding="utf-8")):
            published |= runs(text, LONGEST_RUN + 1)
            whole.add(tuple(words(text)))
    assert len(whole) > 300
    for s in sentences(file):
        assert runs(s.text, LONGEST_RUN + 1).isdisjoint(published), s.text
        assert tuple(words(s.text)) not in whole, s.text
