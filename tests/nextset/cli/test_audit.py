"""`nextset audit` on a dataset version, on predictions, and on a study."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.cli.audit_dataset import is_study_stage
from tests.auditing.datasets.version_example import example_version
from tests.auditing.predictions.prediction_example import predictions, write_predictions

SUBJECTS = ("left_Ana", "right_Bo", "left_Cy", "right_Di")


def test_a_version_is_audited_with_the_models_that_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example_version(tmp_path / "v")
    done = CliRunner().invoke(app, ["audit", "v", "--model", "builtin:nli-electra", "--out", "found"])
    assert done.exit_code == 0, done.output
    assert "builtin:nli-electra  nli" in done.output
    assert "accuracy" in done.output
    assert str(Path("found") / "audit") in done.output


def test_predictions_are_audited_without_models(tmp_path: Path) -> None:
    file = write_predictions(tmp_path / "bert.output.json", predictions(Random(1), SUBJECTS))
    done = CliRunner().invoke(app, ["audit", str(file), "--out", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert {row["model"] for row in rows} == {"bert"}
    assert {"positional_error", "attribute_error", "mu", "eta"} <= {row["measure"] for row in rows}


def test_errors_have_their_exit_codes_and_remedies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    version = example_version(tmp_path / "v")
    (tmp_path / "cut.output.json").write_text('{"a|b')
    for arguments, code, said in (
        ([str(version)], 3, "no model is named"),
        ([str(version), "--model", "builtin:masked-lm"], 6, "only items"),
        ([str(tmp_path / "cut.output.json")], 3, "cut off"),
        (["lab/none@v1.0.0"], 3, "no model is named"),
        ([str(tmp_path / "nothing")], 3, "no such study"),
        ([str(tmp_path / "nope.jsonl")], 3, "no such file"),
        ([str(tmp_path / "nope.jsonl"), "--model", "builtin:nli-bart"], 3, "no such file"),
        ([str(tmp_path / "nothing"), "--model", "builtin:nli-bart"], 3, "neither a folder"),
    ):
        done = CliRunner().invoke(app, ["audit", *arguments])
        assert done.exit_code == code, (arguments, done.output)
        assert said in done.output
        assert "try: " in done.output
        assert "Traceback" not in done.output
    assert not (tmp_path / "audit-cut" / "audit.partial").exists()


def test_a_folder_of_files_with_predictions_says_how_to_name_them(tmp_path: Path) -> None:
    (folder := tmp_path / "preds").mkdir()
    (folder / "age.jsonl").write_text("{}\n")
    done = CliRunner().invoke(app, ["audit", str(folder)])
    said = "".join(done.output.split())
    assert done.exit_code == 3, done.output
    assert "thisisafolderwith1filewithdata" in said
    assert "namethefiles" in said
    assert "preds/*.jsonl" in said


def test_a_study_alone_means_its_stage(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "study").file.parent
    version, file = example_version(tmp_path / "v"), tmp_path / "a.output.json"
    assert is_study_stage([str(study)], [], None)
    assert is_study_stage([str(study / "study.yaml")], [], None)
    assert not is_study_stage([str(study)], ["builtin:nli-bart"], None)
    assert not is_study_stage([str(study)], [], tmp_path)
    assert not is_study_stage([str(version)], [], None)
    assert not is_study_stage([str(file)], [], None)
    assert not is_study_stage(["org/name@v1.0.0"], [], None)


def test_a_study_without_a_version_says_what_to_run(tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "study").file.parent
    done = CliRunner().invoke(app, ["audit", str(study), "--model", "builtin:nli-bart"])
    assert done.exit_code == 4, done.output
    assert "try: run `nextset" in done.output
