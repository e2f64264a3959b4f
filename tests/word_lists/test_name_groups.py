"""First names by group, of language packs and of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.word_lists.name_groups import NameGroups, first_name, read_name_groups


def read(*lists: str, folder: Path = Path()) -> NameGroups:
    return read_name_groups(lists, lambda written: folder / written)


def refused(folder: Path, name: str, text: str) -> WordListError:
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read(name, folder=folder)
    return caught.value


@pytest.mark.parametrize("language", ["ar", "de", "en", "es", "fr", "hi", "ru", "tr", "zh"])
def test_every_pack_has_names_of_women_and_men(language: str) -> None:
    found = set(read(f"builtin:{language}").groups.values())
    assert {"female", "male"} <= found <= {"female", "male", ""}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Mary Alder", "Mary"),
        ("Mary Alder (physicist)", "Mary"),
        ("Mary (given name)", None),
        ("Florence", None),
        ("  ", None),
        ("Анна Петрова", "Анна"),
    ],
)
def test_the_first_name_of_a_title(title: str, name: str | None) -> None:
    assert first_name(title) == name


def test_names_of_two_groups_are_of_none(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("name,group\nRobin,female\nROBIN,male\nMary,male\n", encoding="utf-8")
    found = read("builtin:en", "own.csv", folder=tmp_path)
    assert found.of("Robin Alder") == ""
    assert found.of("Mary Alder") == ""
    assert found.of("mary alder") == ""
    assert found.of("James Alder") == "male"
    assert found.of("Qux Alder") is None


def test_accents_are_composed(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"name": "Zoe\u0301", "group": "female"}\n', encoding="utf-8")
    assert read("own.jsonl", folder=tmp_path).of("Zo\u00e9 Alder") == "female"


@pytest.mark.parametrize(
    ("name", "text", "message", "remedy"),
    [
        ("a.csv", "names,group\nMary,female\n", "no column 'name'", "'names'"),
        ("a.csv", "name,sex\nMary,female\n", "no column 'group'", "name and group"),
        ("a.csv", "name,group\n,female\n", "not a text", "one first name"),
        ("a.csv", "name;group\nAnna;-1\n", "group is empty or not a text: '-1'", "its group"),
        ("a.jsonl", '{"name": 3, "group": "female"}\n', "not a text", "one first name"),
        ("a.csv", "name,group\n", "no names", "one name"),
        ("a.txt", "Mary", ".txt", "convert"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, name: str, text: str, message: str, remedy: str) -> None:
    error = refused(tmp_path, name, text)
    assert message in error.message
    assert remedy in error.remedy
    assert error.file == tmp_path / name


def test_a_missing_column_is_in_the_header(tmp_path: Path) -> None:
    error = refused(tmp_path, "a.csv", "name,sex\nMary,female\n")
    assert error.line == 1
    assert "the file has name, sex" in error.message
    assert refused(tmp_path, "a.jsonl", '{"name": "A", "group": "f"}\n{"name": "B"}\n').line == 2


def test_an_unknown_pack_is_refused() -> None:
    with pytest.raises(WordListError) as caught:
        read("builtin:xx")
    assert "builtin:en" in caught.value.remedy


@given(st.text(max_size=40))
def test_any_title_has_a_group_or_none(title: str) -> None:
    assert NameGroups({"mary": "female"}).of(title) in ("female", None)
