"""Before a run: every model of the study answers its canaries while nothing is made yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.errors import ModelError
from nextset.generation.mask_fills.stage import fill
from nextset.generation.stage import generate
from nextset.pipeline.run import run
from nextset.study.study_folder import Study


@pytest.mark.parametrize("role", ["models", "held_out"])
def test_a_model_that_fails_its_canaries_stops_a_run_before_the_fill(
    role: str, tmp_path: Path, another_head: Any
) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    wrong = another_head([1, 1, 1])
    models = {"models": "builtin:nli-electra", role: str(wrong)}
    named = ", ".join(f"{name}: ['{model}']" for name, model in models.items())
    (folder / "study.yaml").write_text(
        f"format: 1\nname: mine\ntemplates: [templates]\nvalidate: {{judge: rule}}\n"
        f"release: {{name: mine, version: 0.1.0}}\nfilter: {{candidates: [filled], {named}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(ModelError, match="at least three in four of each label are needed") as e:
        run(Study.load(folder))
    assert str(wrong) in e.value.message
    assert not list(folder.glob("out/*/manifest.json"))


@pytest.mark.parametrize("model", ["builtin:nli-bart", "builtin:qa-roformer"])
def test_a_model_that_fills_no_masks_stops_a_run_before_the_first_stage(model: str, tmp_path: Path) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    (folder / "study.yaml").write_text(
        f"format: 1\nname: mine\ntemplates: [templates]\nfill: {{model: '{model}'}}\n", encoding="utf-8"
    )
    with pytest.raises(ModelError, match=f"{model} is a model of the kind .* masked statements"):
        run(Study.load(folder))
    assert not list(folder.glob("out/*/manifest.json"))
    generate(folder)
    with pytest.raises(ModelError, match="cannot be asked about masked statements"):
        fill(folder)
