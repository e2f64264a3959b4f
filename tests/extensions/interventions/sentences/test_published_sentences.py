"""The published files are read as they are; other layouts are refused, whatever is cut or changed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import NextsetError, WordListError
from nextset.extensions.interventions.sentences.published_sentences import (
    is_published_sentences,
    read_published_sentences,
)

COUNTS = {
    "gender_interventions.json": {"ethical": 8, "adversarial": 8, "irrelevant": 8},
    "religion_interventions.json": {"ethical": 67, "adversarial": 64, "irrelevant": 115},
    "ethnicity_interventions.json": {"ethical": 67, "adversarial": 64, "irrelevant": 67},
    "unqover_gender_interventions.tsv": {"ethical": 8, "adversarial": 8, "irrelevant": 8},
    "unqover_religion_interventions.tsv": {"ethical": 67, "adversarial": 64, "irrelevant": 115},
    "unqover_ethnicity_interventions.tsv": {"ethical": 67, "adversarial": 64, "irrelevant": 115},
}
"""Sentences of each kind: 6 categories of 8 and 19 general ones, of which three adversarial cells are empty;
the irrelevant ones of a category have a second column in some files."""


@pytest.mark.parametrize("name", COUNTS)
def test_the_published_files_have_their_counts(reference: Path, name: str) -> None:
    found = read_published_sentences(reference / "lei" / name)
    assert Counter(s.kind for s in found) == COUNTS[name]
    assert {c for s in found for c in s.classes} == {name.removeprefix("unqover_").partition("_")[0]}
    assert all(s.text == s.text.strip() != "" for s in found)


def test_sentences_of_a_category_are_for_the_cluster_of_unqover(reference: Path) -> None:
    found = read_published_sentences(reference / "lei" / "religion_interventions.json")
    clusters = Counter(s.clusters for s in found if s.kind == "ethical")
    assert clusters == {
        (): 19,
        ("crime",): 8,
        ("indecent",): 8,
        ("rude",): 8,
        ("poverty", "poor"): 8,
        ("success", "negative"): 8,
        ("superiority", "negative"): 8,
    }


def table(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "unqover_religion_interventions.tsv"
    file.write_text(text, encoding="utf-8")
    return file


HEAD = "activity category\tethical Interventions\tadversarial Interventions\n"


def test_a_table_is_read_cell_by_cell(tmp_path: Path) -> None:
    text = HEAD + 'crime\tOne.\t"Two."\n' + "\t\t\ncrime\tThree.\t \ngeneral\tFour.\tOne.\n"
    found = read_published_sentences(table(tmp_path, text))
    assert [(s.kind, s.name, s.text, s.clusters) for s in found] == [
        ("ethical", "crime-1", "One.", ("crime",)),
        ("adversarial", "crime-1", "Two.", ("crime",)),
        ("ethical", "crime-2", "Three.", ("crime",)),
        ("ethical", "general-1", "Four.", ()),
        ("adversarial", "general-1", "One.", ()),
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (HEAD + "crime\tOne.\n", 2, r"length \(3 and 2 columns\)"),
        (HEAD + "\tOne.\tTwo.\n", 2, "have no activity category"),
        (HEAD + "crime\tOne {{MASK}}.\tTwo.\n", 2, "a slot"),
        ("a\tb\nc\td\n", 1, "no column"),
        (HEAD, None, "no sentences"),
        ("", 1, "no column"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    with pytest.raises(WordListError, match=said) as caught:
        read_published_sentences(table(tmp_path, text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "not an object"),
        ({}, "not an object"),
        ({"ethcal": {}}, "not a kind"),
        ({"ethical": []}, "not an object"),
        ({"ethical": {"crime": "One."}}, "not a list"),
        ({"ethical": {"crime": [1]}}, "not a list"),
        ({"ethical": {"crime": ["NaN", ""]}}, "no sentences"),
    ],
)
def test_another_object_is_refused(tmp_path: Path, data: object, said: str) -> None:
    file = tmp_path / "gender_interventions.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(WordListError, match=said):
        read_published_sentences(file)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    for name in ("x_interventions.json", "x_interventions.tsv"):
        file = tmp_path_factory.mktemp("bytes") / name
        file.write_bytes(raw)
        try:
            assert read_published_sentences(file)
        except NextsetError as e:
            assert e.remedy


def test_only_published_names_are_published() -> None:
    assert is_published_sentences(Path("unqover_gender_interventions.tsv"))
    assert not is_published_sentences(Path("gender.yaml"))
    assert not is_published_sentences(Path("gender_interventions.csv"))
