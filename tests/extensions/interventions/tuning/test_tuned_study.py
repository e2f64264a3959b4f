"""Tuning in a study: what it sees, what it changes, and that a stopped one goes on."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import ModelError, StudyError
from nextset.extensions.interventions.settings.study_settings import tuning_of
from nextset.extensions.interventions.tuning.stage import CHECKPOINTS
from nextset.extensions.interventions.tuning.tuning_checkpoint import TuningCheckpoint
from nextset.extensions.interventions.tuning.tuning_classes import tuning_classes
from nextset.extensions.interventions.tuning.tuning_records import StepLoss
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.models.sources import BUILTIN, locate

READER = "builtin:qa-roformer"
TUNED = "builtin-qa-roformer-tuned"


def written(folder: Path, *, subset: int = 120, **changed: Any) -> nextset.Study:
    folder.mkdir(parents=True, exist_ok=True)
    own: dict[str, object] = {k: v for k, v in changed.items() if k in ("most", "twins")}
    changed = {k: v for k, v in changed.items() if k not in own}
    wanted: dict[str, object] = {
        "models": [READER], "steps": 6, "batch": 4, "questions": 30, "rate": 0.001, **changed
    }  # fmt: skip
    told: dict[str, object] = {"models": [READER], "most": 2, "twins": 60, "tuning": wanted, **own}
    data: dict[str, object] = {
        "format": 1, "name": "tuned",
        "questions": {
            "packs": ["builtin:en"], "classes": ["gender_sentiment"], "forms": ["question"], "subset": subset,
        },
        "interventions": told,
    }  # fmt: skip
    (folder / "study.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return nextset.Study.load(folder)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    study = written(tmp_path_factory.mktemp("generated") / "study")
    nextset.generate(study)
    return study


def copy_of(study: nextset.Study, folder: Path, **changed: Any) -> nextset.Study:
    """A copy of a generated ``study``, with other settings of its tuning."""
    shutil.copytree(study.folder, folder)
    return written(folder, **changed)


@pytest.fixture(scope="module")
def tuned(generated: nextset.Study, tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    study = copy_of(generated, tmp_path_factory.mktemp("tuned") / "study")
    nextset.tune_readers(study)
    nextset.audit_interventions(study)
    nextset.report_interventions(study)
    return study


def test_training_sees_nothing_that_is_held_out(tuned: nextset.Study) -> None:
    rows = open_artifact(tuned.out / "tune").table("held_out").to_pylist()
    hidden = {(r["kind"], r["name"]) for r in rows if r["held_out"]}
    assert {kind for kind, _ in hidden} == {"template", "subject"}
    (seen,) = tuning_classes(open_artifact(tuned.out / "generate"), tuning_of(tuned), tuned.file)
    assert not any(s.held_out for s in seen.sentences)
    for table in (seen.quads, seen.twins):
        assert table.num_rows
        for column, kind in (("template_id", "template"), ("subject1", "subject"), ("subject2", "subject")):
            assert hidden.isdisjoint((kind, name) for name in table[column].to_pylist())


def test_the_tuned_reader_is_asked_beside_its_base_on_held_out_rows_alone(tuned: nextset.Study) -> None:
    rows = open_artifact(tuned.out / "interventions").table("changes").to_pylist()
    assert {r["selection"] for r in rows if r["model"] == TUNED} == {"held_out"}
    assert {r["selection"] for r in rows if r["model"] == READER} >= {"all", "held_out"}
    told = {i["id"]: i for i in open_artifact(tuned.out / "interventions").table("interventions").to_pylist()}
    sentences = {r["intervention"] for r in rows if r["selection"] == "held_out"} - {""}
    assert sentences
    assert all(told[i]["held_out"] for i in sentences)


def test_the_table_compares_the_same_rows_before_and_after(tuned: nextset.Study) -> None:
    artifact = open_artifact(tuned.out / "interventions")
    found = artifact.table("tuning").to_pylist()
    assert {(r["model"], r["tuned"]) for r in found} == {(READER, TUNED)}
    assert {"mu", "twin_accuracy"} <= {r["measure"] for r in found}
    changes = {
        (r["model"], r["kind"], r["measure"]): r
        for r in artifact.table("changes").to_pylist()
        if r["selection"] == "held_out" and not r["intervention"]
    }
    for row in found:
        before, after = (changes[model, row["kind"], row["measure"]] for model in (READER, TUNED))
        assert before["n"] == after["n"] == row["n"]
        assert row["before_with"] == pytest.approx(before["value_with"])
        assert row["after_without"] == pytest.approx(after["value_without"])
        assert row["change"] == pytest.approx(after["value_with"] - before["value_with"])


def test_the_loss_falls_and_the_page_shows_before_and_after(tuned: nextset.Study) -> None:
    losses = open_artifact(tuned.out / "tune").table("losses").to_pylist()
    assert [r["step"] for r in losses] == [1, 2, 3, 4, 5, 6]
    assert losses[-1]["twins"] < losses[0]["twins"]
    page = (tuned.out / "interventions_report" / "index.html").read_text(encoding="utf-8")
    assert "Readers before and after training on interventions" in page
    assert "tuned on interventions" in page
    assert "Questions, held out from tuning: all measures by kind" in page


def test_the_base_model_is_untouched_and_the_tuned_one_loads(tuned: nextset.Study) -> None:
    from transformers import AutoModelForQuestionAnswering

    folder = tuned.out / "tune" / TUNED
    model = AutoModelForQuestionAnswering.from_pretrained(folder)
    base = AutoModelForQuestionAnswering.from_pretrained(BUILTIN / "qa-roformer")
    assert any((a != b).any() for a, b in zip(model.parameters(), base.parameters(), strict=True))
    assert "tuned on interventions" in (folder / "README.md").read_text(encoding="utf-8")
    assert card_canaries(locate(str(folder))) == card_canaries(locate(READER))


def test_a_damaged_weight_file_is_made_again_with_the_same_bytes(tuned: nextset.Study) -> None:
    weights = tuned.out / "tune" / TUNED / "model.safetensors"
    raw = weights.read_bytes()
    weights.write_bytes(raw[:-1])
    again = nextset.tune_readers(tuned)
    assert weights.read_bytes() == raw
    assert again.built != "made"


def test_a_tuned_model_that_was_altered_is_not_asked(tuned: nextset.Study) -> None:
    file = tuned.out / "tune" / TUNED / "config.json"
    raw = file.read_bytes()
    file.write_bytes(raw.replace(b'"gelu"', b'"relu"'))
    assert file.read_bytes() != raw
    with pytest.raises(
        nextset.DamagedShard, match=r"config\.json is missing, truncated or altered"
    ) as caught:
        nextset.audit_interventions(tuned)
    assert "nextset tune STUDY" in str(caught.value.remedy)
    file.write_bytes(raw)


def test_two_readers_whose_copies_would_have_one_folder_are_refused(
    generated: nextset.Study, tmp_path: Path
) -> None:
    study = copy_of(generated, tmp_path / "study")
    other = study.folder / "m"
    shutil.copytree(BUILTIN / "qa-roformer", other)
    file = study.folder / "study.yaml"
    text = file.read_text(encoding="utf-8").replace("- builtin:qa-roformer", "- builtin:qa-roformer\n  - ./m")
    text = text.replace("    - builtin:qa-roformer\n  - ./m", "    - builtin:qa-roformer\n    - ./m")
    file.write_text(text + "models: {./m: {label: Builtin-qa-roformer}}\n", encoding="utf-8")
    changed = nextset.Study.load(study.folder)
    with pytest.raises(StudyError, match=r"tuned copies of builtin:qa-roformer and \./m"):
        nextset.tune_readers(changed)


def test_a_checkpoint_of_another_training_is_not_used(tmp_path: Path) -> None:
    import torch

    model = torch.nn.Linear(2, 1)
    optimiser = torch.optim.AdamW(model.parameters())
    one, other = (TuningCheckpoint(tmp_path / f"{name}.safetensors") for name in ("one", "other"))
    loss = StepLoss(step=1, ethical=None, adversarial=None, irrelevant=None, twins=1.0)
    one.save(model, optimiser, [loss])
    assert one.restore(model, optimiser) == [loss]
    other.file.write_bytes(one.file.read_bytes())
    assert other.restore(model, optimiser) == []


def test_a_damaged_checkpoint_is_not_used(tmp_path: Path) -> None:
    import torch

    model = torch.nn.Linear(2, 1)
    optimiser = torch.optim.AdamW(model.parameters())
    checkpoint = TuningCheckpoint(tmp_path / "c.safetensors")
    checkpoint.save(model, optimiser, [])
    raw = checkpoint.file.read_bytes()
    for damaged in (b"", raw[:-1], raw[:70], bytes([*raw[:-3], raw[-3] ^ 1, *raw[-2:]])):
        checkpoint.file.write_bytes(damaged)
        before = [p.clone() for p in model.parameters()]
        assert checkpoint.restore(model, optimiser) == []
        assert all((a == b).all() for a, b in zip(before, model.parameters(), strict=True))


def test_a_tuned_reader_is_asked_about_held_out_rows_and_sentences_alone(tuned: nextset.Study) -> None:
    hidden = {
        (r["kind"], r["name"])
        for r in open_artifact(tuned.out / "tune").table("held_out").to_pylist()
        if r["held_out"]
    }
    told = {i["id"]: i for i in open_artifact(tuned.out / "interventions").table("interventions").to_pylist()}
    for stage, table in (("score_tuned_questions", "quads"), ("score_tuned_twins", "specified_questions")):
        asked = open_artifact(tuned.out / stage).table("scores").to_pylist()
        rows = open_artifact(tuned.out / "generate").table(table).to_pylist()
        wanted = {
            r["id"] for r in rows
            if {("template", r["template_id"]), ("subject", r["subject1"]), ("subject", r["subject2"])}
            <= hidden
        }  # fmt: skip
        assert {r["item_id"] for r in asked} == wanted
        assert {r["model"] for r in asked} == {TUNED}
        sentences = {r["intervention"] for r in asked} - {""}
        assert len(sentences) == 3
        assert all(told[i]["held_out"] for i in sentences)


def test_a_reader_that_tuning_spoils_is_a_result_with_a_warning(
    generated: nextset.Study, tmp_path: Path
) -> None:
    study = copy_of(generated, tmp_path / "study", rate=0.05, steps=12)
    nextset.tune_readers(study)
    nextset.audit_interventions(study)
    nextset.report_interventions(study)
    (clear,) = open_artifact(study.out / "interventions").table("clear_questions").to_pylist()
    assert (clear["model"], clear["before"], clear["questions"]) == (TUNED, 10, 10)
    assert clear["after"] < 9
    found = open_artifact(study.out / "interventions").table("conclusions").to_pylist()
    assert "canaries" in found[0]["text"]
    assert [r["warning"] for r in found[:2]] == [True, False]
    said = f"{TUNED} answers {clear['after']} of 10 canaries correctly"
    assert said in (study.out / "interventions_report" / "index.html").read_text(encoding="utf-8")
    assert f"{clear['after']} of 10" in (study.out / "tune" / TUNED / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"held_out": 0.01}, "left to measure on"),
        ({"held_out": 0.99}, "left to train on"),
        ({"twins": 1}, "no specified twin"),
        ({"most": 1}, "no ethical sentence is left to measure on"),
    ],
)
def test_a_study_without_rows_on_one_side_is_refused(
    generated: nextset.Study, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    study = copy_of(generated, tmp_path / "study", **changed)
    nextset.generate(study)
    with pytest.raises(StudyError, match=said):
        nextset.tune_readers(study)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"loss_weights": dict.fromkeys(("ethical", "adversarial", "irrelevant", "twins"), 0)},
            "all weights are 0",
        ),
        ({"twins": 0}, "tuning needs specified twins"),
        ({"models": [READER, READER]}, "is repeated"),
    ],
)
def test_settings_that_train_nothing_are_refused(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        written(tmp_path / "study", **changed)


def test_a_model_that_reads_no_spans_is_refused_with_its_line(
    generated: nextset.Study, tmp_path: Path
) -> None:
    study = copy_of(generated, tmp_path / "study")
    file = study.folder / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("qa-roformer", "masked-lm"), encoding="utf-8")
    with pytest.raises(ModelError, match=r"study\.yaml:\d+: interventions\.tuning\.models: .* tuned"):
        nextset.tune_readers(nextset.Study.load(study.folder))


def test_interventions_before_tune_names_the_missing_stage(generated: nextset.Study, tmp_path: Path) -> None:
    study = copy_of(generated, tmp_path / "study")
    with pytest.raises(nextset.MissingStage, match="tune"):
        nextset.audit_interventions(study)


def test_without_twins_a_reader_is_tuned_on_sentences_alone(tmp_path: Path) -> None:
    changed = written(tmp_path / "study", subset=60, twins=0, loss_weights={"twins": 0})
    nextset.generate(changed)
    nextset.tune_readers(changed)
    nextset.audit_interventions(changed)
    losses = open_artifact(changed.out / "tune").table("losses").to_pylist()
    assert {r["twins"] for r in losses} == {None}
    measures = {
        r["measure"] for r in open_artifact(changed.out / "interventions").table("tuning").to_pylist()
    }
    assert "mu" in measures
    assert "twin_accuracy" not in measures


CODE = """
import sys, nextset
from nextset.extensions.interventions.tuning import tuning_checkpoint, stage
stage.TuningCheckpoint = lambda file: tuning_checkpoint.TuningCheckpoint(file, pause=0.0)
nextset.tune_readers(sys.argv[1], progress=lambda name: lambda done, total: print(done, flush=True))
"""


@pytest.mark.slow
def test_a_killed_training_goes_on_and_ends_with_the_same_weights(
    generated: nextset.Study, tuned: nextset.Study, tmp_path: Path
) -> None:
    study = copy_of(generated, tmp_path / "study")
    command = [sys.executable, "-c", CODE, str(study.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == "3":
                process.send_signal(signal.SIGKILL)
                break
    assert list((study.out / CHECKPOINTS).glob("*.safetensors"))
    steps: list[int] = []
    nextset.tune_readers(study, progress=lambda name: lambda done, total: steps.append(done))
    assert min(steps) > 1
    weights = [s.out / "tune" / TUNED / "model.safetensors" for s in (study, tuned)]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    assert not list((study.out / CHECKPOINTS).glob("*.safetensors"))
    shutil.rmtree(study.folder)
