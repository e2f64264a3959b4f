"""Given names come from language packs and tables; each is of one word and of one group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nextset.errors import ImportedDataError, InputError, StudyError
from nextset.extensions.ambiguity.questions import given_names
from nextset.extensions.ambiguity.questions.given_names import GivenName, LoadedNames, load_given_names
from nextset.extensions.ambiguity.settings.selectional_settings import NameBalanceSettings
from nextset.files.row_files import FileRow, rows_of_file


def loaded(names: tuple[str, ...], groups: tuple[str, ...] = ("female", "male")) -> LoadedNames:
    return load_given_names(NameBalanceSettings(groups=groups, names=names), Path, Path("study.yaml"))


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "ru", "tr"])
def test_the_names_of_language_packs_are_read(language: str) -> None:
    found = loaded((f"builtin:{language}",))
    counts = Counter((name.group, name.gender) for name in found.names)
    assert set(counts) == {("female", "female"), ("male", "male")}
    assert min(counts.values()) >= 35
    assert [file.name for file in found.files] == ["female_names.yaml", "male_names.yaml"]


def test_a_table_has_name_group_and_gender(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text(
        "name,group,gender\nAnna,Italy,female\nOtto,Austria,\nEve,Mars,female\n", encoding="utf-8"
    )
    assert loaded((str(file),), ("Italy", "Austria")).names == (
        GivenName("Anna", "Italy", "female"),
        GivenName("Otto", "Austria", None),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,group\nAnna Maria,female\n", "not a given name of one word"),
        ("name,group\nanna,female\n", "not a given name of one word"),
        ("name,group\nA,female\n", "not a given name of one word"),
        ("name,group\n,female\n", "not a given name of one word"),
        ("name,group\nAnna,\n", "group is not a group: ''"),
        ("name,group\nAnna,-1\n", "group is not a group: '-1'"),
        ("name,group,gender\nAnna,female,f\n", "gender is 'f'"),
        ("nam,group\nAnna,female\n", "there is no column 'name'"),
        ("name,group\nAnna,female\nAnna,male\n", "'Anna' is in the groups female and male"),
        ("name,group\n", "the file has no rows"),
    ],
)
def test_damaged_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "names.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ImportedDataError, match=message):
        loaded((str(file),))


def test_groups_without_names_and_unknown_entries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="the group 'Italy' has no names"):
        loaded(("builtin:en",), ("Italy", "male"))
    with pytest.raises(StudyError, match="nextset has no names 'builtin:xx'"):
        loaded(("builtin:xx",))
    with pytest.raises(InputError):
        loaded((str(tmp_path / "missing.csv"),))


def test_a_list_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "names.csv"
    file.write_text("name,group\nAnna,female\nOtto,male\n", encoding="utf-8")

    def rows(*asked: Any) -> Iterator[FileRow]:
        yield from rows_of_file(*asked)
        file.write_text("name,group\nAnna,male\nOtto,female\n", encoding="utf-8")

    monkeypatch.setattr(given_names, "rows_of_file", rows)
    with pytest.raises(ImportedDataError, match="the file changed while it was read"):
        loaded((str(file),))
