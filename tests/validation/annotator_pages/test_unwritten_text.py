"""Consent and support that nobody has finished are found, and never shown to annotators."""

from __future__ import annotations

from pathlib import Path

import pytest

import nextset
from nextset.errors import StudyError
from nextset.validation.annotator_pages.unwritten_text import unwritten_texts
from nextset.validation.file_exchange.task_export import export_csv, export_potato, export_tasks
from nextset.validation.session.open import materials_to_open
from tests.validation.plan.sample_plans import settings
from tests.validation.session.sample_study import SESSION, made_study


@pytest.mark.parametrize(
    "support",
    [
        "Talk to … (phone, e-mail) when something troubles you.",
        "Talk to ... when something troubles you.",
        "Talk to X when something troubles you.",
        "Talk to XXX when something troubles you.",
        "Talk to N. N. when something troubles you.",
        "Talk to [name] when something troubles you.",
        "Talk to <your name> when something troubles you.",
        "Talk to {name} when something troubles you.",
        "Talk to ____ when something troubles you.",
        "Talk to YOUR_NAME when something troubles you.",
        "TODO: whom people can talk to",
    ],
)
def test_a_place_for_own_words_is_found(support: str) -> None:
    session = settings().model_copy(update={"support": support})
    (found,) = unwritten_texts(session)
    assert found.key == ("validate", "session", "support")


@pytest.mark.parametrize(
    "support",
    [
        "Talk to A. Example <a.example@example.org>, room 1.",
        "Talk to A. Example [by e-mail](mailto:a@example.org), or call +00 000 000.",
        "Write to a_b@example.org. Max (ext. 10) and the NHS answer at once.",
    ],
)
def test_addresses_are_no_places(support: str) -> None:
    assert unwritten_texts(settings().model_copy(update={"support": support})) == ()


UNWRITTEN = SESSION.replace("Example University runs this study.", "This study is run by … for X.")


def test_unfinished_consent_is_refused_before_people_are_shown_it(tmp_path: Path) -> None:
    study = made_study(tmp_path / "s", 2, UNWRITTEN)
    line = study.file.read_text().splitlines().index(UNWRITTEN.splitlines()[1]) + 1
    for show in (materials_to_open, export_csv, export_tasks, export_potato):
        with pytest.raises(StudyError, match=r"consent still has a placeholder: '…', 'X'") as refused:
            show(study)
        assert (refused.value.file, refused.value.line) == (study.file, line)
        assert "who runs the study" in str(refused.value.remedy)
    assert not (study.out / "tasks").exists()
    written = made_study(tmp_path / "written", 2)
    assert export_csv(written).n_tasks == 2
    assert materials_to_open(written).unit_ids


def test_lint_finds_it_also_in_the_shipped_recipe(tmp_path: Path, root: Path) -> None:
    study = made_study(tmp_path / "s", 1, UNWRITTEN)
    (found,) = (f for f in nextset.lint(study.folder).findings if f.rule == "unwritten-text")
    assert "validate.session.consent" in found.message
    recipe = nextset.lint(root / "studies" / "hard_and_valid").findings
    lines = (root / "studies" / "hard_and_valid" / "study.yaml").read_text().splitlines()
    places = [f.line for f in recipe if f.rule == "unwritten-text"]
    assert [lines[n - 1].split(":")[0].strip() for n in places if n] == ["consent", "support"]
