"""docs/how_to/training.md: its commands, its files and its Python run; its recipes are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.study.training_settings import RECIPES, TrainingFile
from nextset.training.training_data.data_source import find_source
from nextset.training.training_data.squad_data import read_questions
from tests.docs_pages import ROOT, blocks
from tests.training.squad_examples import write_reader_data

PAGE = ROOT / "docs" / "how_to" / "training.md"


@pytest.mark.slow
def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_reader_data(tmp_path / "data", 200, 40, none_every=4)
    for name in ("train", "dev"):
        (tmp_path / "data" / f"{name}.json").rename(tmp_path / "data" / f"{name}-v2.0.json")
    training, study, cases = blocks(PAGE, "yaml")
    TrainingFile.model_validate({**yaml.safe_load(training), **yaml.safe_load(cases)})
    (tmp_path / "reader.yaml").write_text(training, encoding="utf-8")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    shell = [*blocks(PAGE, "sh"), *blocks(PAGE.with_name("evaluation.md"), "sh")]
    commands = [line for block in shell for line in block.splitlines()]
    assert [line.split()[1] for line in commands] == ["train", "run", "models", "models"]
    shown = []
    for line in commands:
        done = CliRunner().invoke(app, line.split()[1:])
        assert done.exit_code == 0, done.output
        shown.append(done.stdout)
    assert "no_answer_em" in shown[0]
    assert shown[2].splitlines()[2:8] == shown[3].splitlines()[2:8]
    assert (tmp_path / "out" / "interventions_report" / "index.html").is_file()
    (code,) = blocks(PAGE, "python")
    exec(compile(code, "docs/how_to/training.md", "exec"), {})
    assert re.search(r"^F1 \d+\.\d%$", capsys.readouterr().out, re.M)


def test_the_data_of_the_page_are_read(tmp_path: Path) -> None:
    (text,) = blocks(PAGE, "json")
    json.loads(text)
    file = tmp_path / "data.json"
    file.write_text(text, encoding="utf-8")
    read = read_questions([find_source("data.json", file)], {})
    assert [one.texts for one in read.questions] == [("Rome",), ()]
    (span,) = read.questions[0].answers
    assert read.questions[0].context[span.start :].startswith("Rome")


def test_the_recipes_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    power = {2e-5: "2·10⁻⁵", 3e-5: "3·10⁻⁵", 5e-5: "5·10⁻⁵", 1e-3: "10⁻³"}
    assert RECIPES["lstm_reader"] == RECIPES["bidaf"]
    for key, name in (
        ("epochs", "`epochs`"),
        ("batch", "`batch`"),
        ("rate", "`rate`"),
        ("longest", "`longest`, in tokens"),
    ):
        values = [RECIPES[task][key] for task in ("nli", "qa", "masked_lm", "bidaf")]
        row = " | ".join(power.get(value, str(value)) for value in values)
        assert f"| {name} | {row} |" in page
