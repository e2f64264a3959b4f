"""The categories that a study chooses, from sources of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import InputError
from nextset.generation.choices.choice_tables import choice_sources
from nextset.study.study_folder import Study
from tests.generation.choices.published_templates.small_templates import write_bbq
from tests.generation.questions.pack_choices.small_choices import choice_pack
from tests.nextset.published_choices.published_examples import bbq_set, write_lines


def study(folder: Path, categories: str) -> Study:
    """A study with the categories age (a pack), drinks (templates) and Pets (items)."""
    choice_pack(folder / "en")
    write_bbq(folder / "templates", name="Drinks.csv")
    write_lines(folder / "items.jsonl", bbq_set(category="Pets"))
    sources = "packs: [en], templates: [templates], items: [items.jsonl]"
    text = f"format: 1\nname: mine\nchoices: {{{sources}, categories: [{categories}]}}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return Study.load(folder)


def test_a_category_that_no_source_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    with pytest.raises(InputError, match="no source has the category 'nope'") as caught:
        choice_sources(study(tmp_path, "age, nope"))
    assert (caught.value.file, caught.value.line) == (tmp_path / "study.yaml", 3)
    assert "age" in caught.value.remedy
    assert "Pets" in caught.value.remedy


def test_a_category_is_chosen_whatever_its_capitals(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    made = [
        {row["category"] for piece in source.pieces() for row in piece.to_pylist()}
        for source in choice_sources(study(tmp_path, "AGE, pets"))
    ]
    assert made == [{"age"}, set(), {"Pets"}]
