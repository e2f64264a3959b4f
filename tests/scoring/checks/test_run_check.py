"""Before a run: every model of the study answers its canaries while nothing is made yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.cli.run import run
from nextset.errors import ModelError
from nextset.study.study_folder import Study


@pytest.mark.parametrize("role", ["models", "held_out"])
def test_a_model_that_fails_its_canaries_stops_a_run_before_the_fill(
    role: str, tmp_path: Path, another_head: Any
) -> None:
    folder = nextset.new_study(tmp_path / "mine")
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
