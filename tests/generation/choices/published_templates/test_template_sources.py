from __future__ import annotations

from pathlib import Path

import pytest

from nextset.artifacts.artifact import open_artifact
from nextset.errors import StudyError
from nextset.generation.stage import generate
from nextset.study.study_folder import Study
from tests.generation.choices.published_templates.small_templates import (
    bbq_row,
    write_bbq,
    write_kobbq,
)


def study(folder: Path, choices: str, language: str = "en", more: str = "") -> Study:
    text = f"format: 1\nname: s\nlanguage: {language}\nchoices: {choices}\n{more}"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return Study.load(folder)


def test_a_study_expands_the_files_that_it_names(tmp_path: Path) -> None:
    write_bbq(tmp_path)
    write_bbq(tmp_path, bbq_row(Category="Drinks"), name="Drinks.csv")
    generate(study(tmp_path, "{templates: [.]}"))
    items = open_artifact(tmp_path / "out" / "generate").table("choices")
    assert sorted(set(items["category"].to_pylist())) == ["Age", "Drinks"]
    generate(study(tmp_path, "{templates: [.], categories: [drinks], subset: 2}"))
    items = open_artifact(tmp_path / "out" / "generate").table("choices")
    assert set(items["template_id"].to_pylist()) == {"Drinks-1"}


def test_snapshots_have_templates_and_vocabularies(tmp_path: Path) -> None:
    row = bbq_row(Names="", Known_stereotyped_groups='["tea"]')
    write_bbq(tmp_path, row, name="Drinks.csv")
    generate(study(tmp_path, "{templates: [Drinks.csv]}"))
    names = {path.name.rpartition("-")[2] for path in (tmp_path / "out").rglob("*.csv")}
    assert {name for name in names if "vocabulary" in name or "Drinks" in name}


def test_too_many_items_are_refused_before_they_are_made(tmp_path: Path) -> None:
    write_bbq(tmp_path)
    few = study(tmp_path, "{templates: [Age.csv]}", more="generate: {max_rows: 95}\n")
    with pytest.raises(StudyError, match=r"expand to 96 rows, more than 95 \(96 of them are from Age.csv"):
        generate(few)


def test_a_file_that_does_not_exist_is_named_with_the_line(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"nowhere\.csv does not exist") as caught:
        generate(study(tmp_path, "{templates: [nowhere.csv]}"))
    assert caught.value.line == 4


def test_korean_templates_need_no_vocabulary(tmp_path: Path) -> None:
    write_kobbq(tmp_path)
    generate(study(tmp_path, "{templates: [templates.tsv], orders: rotated}", "ko"))
    items = open_artifact(tmp_path / "out" / "generate").table("choices")
    assert items.num_rows == 2 * 2 * 4 * 2 * 3
