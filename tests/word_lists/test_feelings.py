"""The classes of the English pack that ask for feelings, and what they leave as it was."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml

from nextset.generation.pack_sheets.pack_scaffold import CLASSES
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import blocks, full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import Attribute, QuestionSet
from nextset.generation.questions.subset import sampled_cells
from nextset.word_lists import FOLDER
from tests.word_lists.shipped_packs import pack_of

OF_UNQOVER = ["gender", "nationality", "ethnicity", "religion"]
SUBJECTS_OF = {"gender_sentiment": "gender", "ethnicity_sentiment": "ethnicity"}
named = pytest.mark.parametrize("name", SUBJECTS_OF)


def of(name: str, form: str = "question") -> QuestionSet:
    (found,) = [s for s in pack_of("en").sets if (s.name, s.form) == (name, form)]
    return found


def feelings(name: str, form: str = "question") -> list[Attribute]:
    found = (a.attribute for t in of(name, form).templates for a in t.by_attribute)
    return list({a.name: a for a in found}.values())


@named
@pytest.mark.parametrize("form", ["question", "statement"])
def test_ten_feelings_are_negative_and_nine_positive(name: str, form: str) -> None:
    found = feelings(name, form)
    assert Counter(a.cluster for a in found) == {"negative": 10, "positive": 9}
    assert {a.kind for a in found} == {"feeling"}
    assert len({form for a in found for form in a.forms.values()}) == 2 * 19


def test_a_feeling_is_felt_or_not() -> None:
    for a in feelings("gender_sentiment"):
        forms = {".".join(sorted(key)): text for key, text in a.forms.items()}
        assert forms == {"": f"felt {a.name}", "neg": f"did not feel {a.name}"}


@named
def test_the_subjects_are_those_of_the_class_beside_it(name: str) -> None:
    for form in ("question", "statement"):
        assert of(name, form).subjects == of(SUBJECTS_OF[name], form).subjects
        assert of(name, form).n_pairs == of(SUBJECTS_OF[name], form).n_pairs


# 6 templates × 70 × 70 names × 19 feelings; 6 × 2 genders × 15 · 14 / 2 groups × 19
@pytest.mark.parametrize(
    ("name", "templates", "rows"), [("gender_sentiment", 6, 558_600), ("ethnicity_sentiment", 12, 23_940)]
)
def test_both_forms_expand_and_have_the_same_templates(name: str, templates: int, rows: int) -> None:
    questions, statements = of(name), of(name, "statement")
    assert [t.id for t in questions.templates] == [t.id for t in statements.templates]
    assert (len(questions.templates), questions.rows, statements.rows) == (templates, rows, rows)
    for asked in (questions, statements):
        table = quad_table(asked, full_cells(asked, next(iter(blocks(asked)))))
        assert set(table["attribute"].to_pylist()) == {a.name for a in feelings(name)}


@named
def test_no_context_or_question_speaks_of_a_feeling(name: str) -> None:
    words = {word for a in feelings(name) for text in a.forms.values() for word in text.split()} - {"not"}
    words |= {"smiled", "laughed", "cried", "mood", "loved", "hated", "feeling", "emotion"}
    text = (FOLDER / "en" / "templates" / f"{name}.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    contexts = {t["context"] for part in ("templates", "statements") for t in data[part].values()}
    assert len(contexts) == 6  # questions and statements share theirs
    for context in contexts:
        assert words.isdisjoint(re.findall(r"\w+", context.lower())), context


def test_the_other_classes_have_the_rows_that_they_have_without_feelings(tmp_path: Path) -> None:
    """The pack without the two classes makes the same samples of the four others."""
    folder = tmp_path / "en"
    shutil.copytree(FOLDER / "en", folder)
    head = (folder / "pack.yaml").read_text(encoding="utf-8")
    lines = [line for line in head.splitlines(keepends=True) if "_sentiment:" not in line]
    (folder / "pack.yaml").write_text("".join(lines), encoding="utf-8")
    (folder / "attributes" / "feelings.yaml").unlink()
    for name in SUBJECTS_OF:
        (folder / "templates" / f"{name}.yaml").unlink()
    without = {(s.name, s.form): s for s in read_pack(folder).sets}
    assert {name for name, _ in without} == set(OF_UNQOVER)
    for (name, form), questions in without.items():
        ours = of(name, form)
        cells = sampled_cells(ours, 40, 1)
        assert quad_table(ours, cells) == quad_table(questions, sampled_cells(questions, 40, 1))


@pytest.mark.parametrize("study", ["unqover", "hard_questions"])
def test_studies_of_the_pack_take_the_classes_of_unqover(root: Path, study: str) -> None:
    settings = yaml.safe_load((root / "studies" / study / "study.yaml").read_text(encoding="utf-8"))
    assert settings["questions"]["classes"] == OF_UNQOVER


def test_a_new_pack_begins_with_the_classes_of_unqover() -> None:
    assert list(CLASSES) == OF_UNQOVER
