"""Packs with some of the classes: begun with them, or with the others removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import InputError, WordListError
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.new_pack import new_language
from nextset.generation.pack_sheets.pack_scaffold import CLASSES


@pytest.mark.parametrize("name", CLASSES)
def test_a_pack_with_one_class_has_its_files_only(tmp_path: Path, name: str) -> None:
    made = new_language("it", tmp_path / "it", classes=[name], countries=3)
    status = language_status(made.folder)
    assert [c.name for c in status.by_class] == [name]
    assert status.lacking == ()
    assert [p.name for p in (made.folder / "templates").iterdir()] == [f"{name}.yaml"]
    # one file of attributes, one list of subjects or the two of names
    assert len(list((made.folder / "attributes").iterdir())) == 1
    assert len(list((made.folder / "subjects").iterdir())) == (2 if name == "gender" else 1)


@pytest.mark.parametrize("classes", [[], ["age"]])
def test_classes_that_cannot_be_are_refused(tmp_path: Path, classes: list[str]) -> None:
    with pytest.raises(InputError, match="classes: ") as caught:
        new_language("it", tmp_path / "it", classes=classes)
    assert caught.value.remedy == "use one or more of gender, nationality, ethnicity, religion"
    assert list(tmp_path.iterdir()) == []


def test_what_to_delete_for_removed_classes_is_listed_at_once(tmp_path: Path) -> None:
    folder = new_language("it", tmp_path / "it", countries=3).folder
    head = folder / "pack.yaml"
    lines = head.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("  gender:", "  ethnicity:", "  religion:"))]
    head.write_text("".join(kept), encoding="utf-8")
    with pytest.raises(WordListError, match="'ethnicity' is not in pack") as caught:
        language_status(folder)
    assert caught.value.remedy == (
        "put the class back into pack.yaml, or delete templates/ethnicity.yaml, templates/gender.yaml, "
        "templates/religion.yaml, subjects/ethnic_groups.yaml, subjects/female_names.yaml, "
        "subjects/male_names.yaml, subjects/religions.yaml, attributes/occupations.yaml, "
        "and in pack.yaml the lines of ethnic_groups, religions below forms"
    )
    for name in ("ethnicity", "gender", "religion"):
        (folder / "templates" / f"{name}.yaml").unlink()
    kept = [line for line in kept if not line.startswith(("  ethnic_groups:", "  religions:"))]
    head.write_text("".join(kept), encoding="utf-8")
    (lacking,) = language_status(folder).lacking
    assert "attributes/occupations.yaml: delete it" in lacking
    (folder / "attributes" / "occupations.yaml").unlink()
    assert language_status(folder).lacking == ()


def test_a_folder_that_cannot_be_made_and_one_with_a_pack_are_named(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match="the parent folder does not exist"):
        new_language("it", tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
    new_language("it", tmp_path / "it", countries=3)
    with pytest.raises(WordListError, match="the folder already has a pack"):
        new_language("it", tmp_path / "it")
