"""nextset models check: a paragraph a model, JSON for scripts, 6 when one cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.errors import InputError
from nextset.scoring.study_models import model_of
from tests.training.conversion.published_pipeline import Pipeline, save_transformer, write_checkpoint

CHECK = ["models", "check"]
READER = "builtin:qa-roformer"


def test_a_model_is_described() -> None:
    done = CliRunner().invoke(app, [*CHECK, "builtin:nli-electra"])
    assert done.exit_code == 0, done.output
    for said in (
        "builtin:nli-electra\n  kind       NLI classifier, asked about premise and hypothesis",
        "ElectraForSequenceClassification of ",
        "float32; computes in float32 on c",
        "at most 256 tokens",
        "entailment, neutral, contradiction",
        "12 of 12 canary pairs right (from its card)",
    ):
        assert said in done.output


def test_all_are_checked_and_the_code_is_that_of_the_one_that_failed() -> None:
    done = CliRunner().invoke(app, [*CHECK, "--json", "builtin:none", "builtin:nli-bart"])
    assert done.exit_code == 6
    first, second = json.loads(done.output)
    assert first["found"] is None
    assert "there is no built-in model 'none'" in first["problem"]
    assert second["found"]["labels"] == ["entailment", "neutral", "contradiction"]
    assert second["problem"] == ""
    done = CliRunner().invoke(app, [*CHECK, "builtin:none"])
    assert (done.exit_code, "cannot be used" in done.output) == (6, True)


def test_labels_can_be_given() -> None:
    three = "entailment, neutral,contradiction"
    assert CliRunner().invoke(app, [*CHECK, "--labels", three, "builtin:nli-bart"]).exit_code == 0
    done = CliRunner().invoke(
        app, [*CHECK, "--labels", "neutral,entailment,contradiction", "builtin:nli-bart"]
    )
    assert (done.exit_code, "calls output 0 'entailment'" in done.output) == (6, True)
    done = CliRunner().invoke(app, [*CHECK, "--labels", "yes,no", "builtin:nli-bart"])
    assert (done.exit_code, "--labels" in done.output) == (2, True)


def test_settings_that_a_model_never_uses_are_refused(tmp_path: Path) -> None:
    labels = ["--labels", "entailment,neutral,contradiction"]
    texts = [
        "--context",
        "A {subject1} met a {subject2}.",
        "--question",
        "Who slept?",
        "--negated",
        "Who did not sleep?",
        "--subjects",
        "man,woman",
    ]
    for command in ([*CHECK, READER], ["probe", "--model", READER, *texts]):
        done = CliRunner().invoke(app, [*command, *labels])
        assert done.exit_code in (3, 6), done.output
        assert f"{READER} is a model of the kind extractive reader, which does not use labels" in done.output
        assert "remove --labels" in done.output
    rows = [{"id": "a", "premise": "A man sleeps.", "hypothesis": "A man rests.", "label": "neutral"}]
    with pytest.raises(InputError, match="NLI classifier, which does not use no_answer") as e:
        nextset.score(pa.Table.from_pylist(rows), models={"builtin:nli-bart": {"no_answer": True}})
    assert e.value.remedy == "remove no_answer of builtin:nli-bart in models"
    study = tmp_path / "study.yaml"
    study.write_text(
        f"format: 1\nname: s\nfilter: {{models: [builtin:nli-electra], held_out: ['{READER}']}}\n"
        "release: {name: s, version: 0.1.0}\n"
        f"models:\n  {READER}:\n    labels: [entailment, not_entailment]\n"
    )
    with pytest.raises(InputError, match=r"study\.yaml:7: builtin:qa-roformer .*does not use labels"):
        model_of(nextset.Study.load(tmp_path), READER, "qa")


def test_another_form_can_be_asked_for() -> None:
    done = CliRunner().invoke(app, [*CHECK, "--form", "question", "builtin:nli-bart"])
    assert (done.exit_code, "cannot be asked about questions" in done.output) == (6, True)


def test_a_checkpoint_is_converted_and_checked(tmp_path: Path) -> None:
    base = save_transformer(tmp_path / "base", "roberta")
    file = write_checkpoint(
        tmp_path / "squad.hdf5", Pipeline(base), options="Namespace(transformer_type='x\x1b[31m')"
    )
    command = ["models", "convert", str(file), "--transformer", str(base), "--out"]
    done = CliRunner().invoke(app, [*command, str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "is a       RobertaForQuestionAnswering of " in done.output
    assert "2 parameters of the pooler" in done.output
    assert "\x1b" not in done.output
    assert f"nextset models check {tmp_path / 'out'}" in done.output
    done = CliRunner().invoke(app, [*command, str(tmp_path / "again"), "--json"])
    assert json.loads(done.output)["types"] == ["float32"]
    done = CliRunner().invoke(app, [*command, str(tmp_path / "out")])
    assert (done.exit_code, "already exists" in done.output) == (3, True)
    file.write_bytes(b"no")
    done = CliRunner().invoke(app, [*command, str(tmp_path / "third")])
    assert (done.exit_code, "not an HDF5 file" in done.output) == (3, True)
    assert not (tmp_path / "third").exists()
