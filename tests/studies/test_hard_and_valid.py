"""The recipe for hard and valid items: with built-in models, and with large ones in folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nextset
from nextset.errors import ModelError
from nextset.validation.judgments.judgment_log import read

RECIPE = Path("studies") / "hard_and_valid"


def test_both_recipes_differ_in_names_and_models_alone(root: Path) -> None:
    small, large = (
        nextset.Study.load(root / RECIPE / name).settings.model_dump() for name in ("", "real_models")
    )
    for settings in (small, large):
        del settings["name"], settings["release"]["name"], settings["fill"]["model"]
        del settings["filter"]["models"], settings["filter"]["held_out"]
    assert small == large


@pytest.mark.parametrize("name", ["", "real_models"])
def test_the_recipe_says_how_people_judge_with_a_server_and_without(root: Path, name: str) -> None:
    comments = (root / RECIPE / name / "study.yaml").read_text(encoding="utf-8")
    commands = ["open . --pilot", "export . --for csv --sample 60", "import . FILE"]
    assert all(f"`nextset validate {command}`" in comments for command in commands)


def test_the_recipe_names_a_model_that_was_not_downloaded(root: Path, tmp_path: Path) -> None:
    shutil.copy(root / RECIPE / "real_models" / "study.yaml", tmp_path)
    study = nextset.Study.load(tmp_path)
    with pytest.raises(ModelError, match=r"no model folder \./models/electra-large-discriminator"):
        nextset.run(study)
    assert not (study.out / "generate").exists()  # refused before the first stage


def test_the_projects_own_judgments_are_not_the_studys(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / RECIPE, tmp_path / "study", ignore=shutil.ignore_patterns("out", "models"))
    study = nextset.Study.load(tmp_path / "study")
    (study.judgments / "2026-11-22.csv").write_text("unit_id,judge,verdict,stance\n0,a,valid,pro\n")
    assert not read(study.judgments).entries
    assert {s.stage: s.state for s in nextset.status(study)}["validate"] == "missing"
