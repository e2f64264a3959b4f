"""An error of a model names the key, the file and the line where the study names the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import nextset
from nextset.errors import ModelError
from nextset.generation.mask_fills.fill_model import check_fill_model
from nextset.scoring.stage import check_study_models
from nextset.study.study_folder import Study

STUDY = """\
format: 1
name: s
templates: ["builtin:gender/man_is_to_rational"]
fill:
  model: builtin:masked-lm
filter:
  models: [builtin:nli-electra]
release: {name: s}
"""
FILLER, FILTER = "model: builtin:masked-lm", "models: [builtin:nli-electra]"


def study(folder: Path, old: str, new: str) -> Study:
    assert old in STUDY
    (folder / "study.yaml").write_text(STUDY.replace(old, new), encoding="utf-8")
    return Study.load(folder)


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        (FILLER, "model: builtin:nli-electra", 5, "fill.model", "which cannot be asked about"),
        (FILLER, "model: ./bert", 5, "fill.model", "there is no model folder ./bert ("),
        (FILLER, f"{FILLER}\n  meaning: ./bert", 6, "fill.meaning", "there is no model folder"),
        (FILLER, "fluency:\n    model: ./bert", 6, "fill.fluency.model", "there is no model folder"),
        (FILLER, "writer: {seed: 2}", 5, "fill.writer", "fill.writer needs a model that writes"),
    ],
)
def test_models_of_the_section_fill(
    tmp_path: Path, old: str, new: str, line: int, key: str, says: str
) -> None:
    loaded = study(tmp_path, old, new)
    with pytest.raises(ModelError) as caught:
        check_fill_model(loaded)
    assert caught.value.message.startswith(f"{tmp_path / 'study.yaml'}:{line}: {key}: ")
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("new", "line", "key"),
    [
        ("models: [builtin:nli-elektra]", 7, "filter.models"),
        ("models:\n  - builtin:nli-electra\n  - ./bert", 9, "filter.models"),
        ("models: [builtin:masked-lm]", 7, "filter.models"),
        (f"{FILTER}\n  held_out: [./bert]", 8, "filter.held_out"),
        (f"{FILTER}\naudit: {{models: [./bert]}}", 8, "audit.models"),
    ],
)
@pytest.mark.parametrize("check", [check_study_models, nextset.score])
def test_models_of_the_sections_filter_and_audit(
    tmp_path: Path, new: str, line: int, key: str, check: Callable[[Study], object]
) -> None:
    loaded = study(tmp_path, FILTER, new)
    with pytest.raises(ModelError) as caught:
        check(loaded)
    assert caught.value.message.startswith(f"{tmp_path / 'study.yaml'}:{line}: {key}: ")
    assert caught.value.remedy


def test_a_folder_that_is_not_there_is_named_in_full(tmp_path: Path) -> None:
    loaded = study(tmp_path, FILLER, "model: ./bert")
    with pytest.raises(ModelError, match=str(tmp_path / "bert")):
        check_fill_model(loaded)
