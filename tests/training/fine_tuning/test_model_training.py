"""nextset train: the folder that it makes, and what a study can do with it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import nextset
from nextset.artifacts.artifact import Artifact
from nextset.cli.app import app
from nextset.errors import DependencyMissing, InputError, ModelError, NextsetError
from nextset.html.svg import ANTI, PRO
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.study.training_settings import read_training
from tests.training.small_trainings import tiny_bert, written
from tests.training.squad_examples import write_reader_data

READER: dict[str, Any] = {
    "task": "qa", "model": "builtin:qa-roformer", "train": ["train.json"], "validation": ["dev.json"],
    "epochs": 2, "rate": 0.001, "batch": 16, "longest": 64, "about": "Reads <b>toy</b> | sentences.",
    "licence": "apache-2.0",
    "canaries": [{"context": "Anna sleeps. Tom reads.", "question": "Who reads?", "answer": "Tom",
                  "other": "Anna"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    write_reader_data(folder, 160, 60, none_every=4)
    return folder


@pytest.fixture(scope="module")
def reader(folder: Path) -> Artifact:
    return nextset.train_model(written(folder, "reader", **READER))


def _after(artifact: Artifact) -> dict[str, float]:
    return {r["figure"]: r["value"] for r in artifact.table("figures").to_pylist() if r["when"] == "after"}


@pytest.mark.slow
def test_the_folder_is_a_model_with_its_log(reader: Artifact, folder: Path) -> None:
    assert reader.built == "made"
    assert reader.folder == folder / "reader-model"
    assert sorted(p.name for p in folder.iterdir()) == [
        "dev.json",
        "reader-model",
        "reader.yaml",
        "train.json",
    ]
    names = {p.name for p in reader.folder.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "README.md", "training.html"} <= names
    assert reader.damaged(deep=True) == ()
    losses = reader.table("losses").to_pylist()
    assert [row["step"] for row in losses] == list(range(1, 21))
    assert losses[-1]["epoch"] == 2
    (run,) = reader.table("run").to_pylist()
    assert (run["base"], run["steps"], run["planned_steps"], run["no_answer"]) == (
        "builtin:qa-roformer",
        20,
        20,
        True,
    )
    counts = {(r["split"], r["what"]): r["count"] for r in reader.table("counts").to_pylist()}
    assert counts == {("train", "examples"): 160, ("train", "inputs"): 160, ("validation", "examples"): 60}


@pytest.mark.slow
def test_no_file_of_it_names_a_path(reader: Artifact, folder: Path) -> None:
    for path in reader.folder.rglob("*"):
        if path.is_file():
            assert str(folder).encode() not in path.read_bytes(), path


@pytest.mark.slow
def test_the_card_says_what_it_is(reader: Artifact) -> None:
    card = (reader.folder / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---")[1])
    assert (front["license"], front["pipeline_tag"]) == ("apache-2.0", "question-answering")
    assert front["nextset"]["no_answer"] is True
    (canary,) = card_canaries(locate(str(reader.folder)))
    assert canary.question == "Who reads?"
    digests = [row["digest"] for row in reader.table("data").to_pylist()]
    assert all(digest in card for digest in digests)
    assert "Reads \\<b\\>toy\\</b\\> \\| sentences." in card
    assert "./reader-model: {no_answer: true}" in card
    assert f"| f1 | {_after(reader)['f1']:.1%} |" in card
    page = (reader.folder / "training.html").read_text(encoding="utf-8")
    assert "Loss on the training data" in page
    assert "<script" not in page
    assert page.count(f'stroke="{PRO}"') >= len(reader.table("losses")) - 1  # the pieces of the curve
    assert page.count(f'stroke="{ANTI}"') >= 2


@pytest.mark.slow
def test_its_figures_are_those_of_what_is_saved(reader: Artifact, folder: Path) -> None:
    found = nextset.evaluate_model(
        reader.folder, folder / "dev.json", no_answer=True, answers=folder / "answers.json"
    )
    assert found.figures == _after(reader)
    again = nextset.evaluate_model(folder / "answers.json", folder / "dev.json")
    assert {k: v for k, v in found.figures.items() if not k.startswith("best_")} == again.figures
    (folder / "answers.json").unlink()
    best = max(r["value"] for r in reader.table("figures").to_pylist() if r["figure"] == "f1")
    assert _after(reader)["f1"] == best
    assert best > 0.5
    (answer,) = SpanAnswers.load(locate(str(reader.folder))).answers([("Who left?", "Anna left.")])
    assert answer.text


@pytest.mark.slow
def test_the_same_again_makes_nothing_and_keeps_the_card(reader: Artifact, folder: Path) -> None:
    card = reader.folder / "README.md"
    before, weights = card.read_text(), (reader.folder / "model.safetensors").stat()
    card.write_text(before + "\nMore about it.\n")
    done = CliRunner().invoke(app, ["train", str(folder / "reader.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["built"], found["figures"]) == ("reused", _after(reader))
    assert card.read_text().endswith("More about it.\n")
    assert (reader.folder / "model.safetensors").stat().st_mtime_ns == weights.st_mtime_ns
    text = CliRunner().invoke(app, ["train", str(folder / "reader.yaml")]).stdout
    assert "reader-model: reused; 20 of 20 steps" in text
    card.write_text(before)


@pytest.mark.slow
def test_parts_of_a_batch_add_up(folder: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    weights = []
    for parts in (1, 3):
        keys = {
            **READER,
            "train": [str(folder / "train.json")],
            "validation": [],
            "epochs": 0.3,
            "parts": parts,
        }
        found = nextset.train_model(written(tmp_path, f"p{parts}", **keys))
        weights.append(load_file(found.folder / "model.safetensors"))
    assert all(torch.allclose(a, weights[1][name], atol=1e-3) for name, a in weights[0].items())
    assert any(not torch.equal(a, weights[1][name]) for name, a in weights[0].items())


@pytest.mark.slow
def test_early_stopping_keeps_the_best(folder: Path, tmp_path: Path) -> None:
    keys = {**READER, "rate": 0.2, "epochs": 30, "evaluate_every": 2, "patience": 2}
    keys |= {name: [str(folder / file) for file in READER[name]] for name in ("train", "validation")}
    found = nextset.train_model(written(tmp_path, "spoilt", **keys))
    (run,) = found.table("run").to_pylist()
    f1 = [r for r in found.table("figures").to_pylist() if r["figure"] == "f1"]
    during = [r["value"] for r in f1 if r["when"] == "during"]
    assert run["steps"] < run["planned_steps"]
    assert during.index(max(during)) == len(during) - 3
    assert run["best_step"] == 2 * (during.index(max(during)) + 1)
    assert f1[-1]["value"] == max(during)
    assert "stopped" not in (found.folder / "README.md").read_text()


@pytest.mark.slow
def test_a_classifier_on_an_encoder_and_one_on_a_classifier(tmp_path: Path) -> None:
    kinds = (("asleep", "entailment"), ("awake", "contradiction"), ("old", "neutral"))
    rows = [f"A dog sleeps {i}.\tThe dog is {what}.\t{label}" for i in range(24) for what, label in kinds]
    (tmp_path / "pairs.tsv").write_text("premise\thypothesis\tlabel\n" + "\n".join(rows) + "\n")
    tiny_bert(tmp_path / "tiny")
    keys: dict[str, Any] = {"task": "nli", "train": ["pairs.tsv"], "validation": ["pairs.tsv"], "epochs": 8}
    found = nextset.train_model(
        written(tmp_path, "new", **keys, model="./tiny", rate=0.01, batch=8, precision="bfloat16")
    )
    assert _after(found)["accuracy"] > 0.9
    (run,) = found.table("run").to_pylist()
    assert (run["base"], run["architecture"]) == ("tiny", "BertForSequenceClassification")
    assert run["precision"] == "bfloat16"
    during = [r["value"] for r in found.table("figures").to_pylist() if r["figure"] == "macro_f1"]
    assert during[-1] in during[:-1]  # evaluated in float32 in training, too
    labels = load(locate(str(found.folder)), "AutoModelForSequenceClassification").model.config.id2label
    assert labels == {0: "entailment", 1: "neutral", 2: "contradiction"}
    # a copy of the classifier whose outputs are in another order keeps its head and its order
    config = json.loads((found.folder / "config.json").read_text())
    other = tmp_path / "other"
    other.mkdir()
    for name in ("model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        (other / name).write_bytes((found.folder / name).read_bytes())
    config["id2label"] = {"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"}
    (other / "config.json").write_text(json.dumps(config))
    again = nextset.train_model(
        written(tmp_path, "again", **{**keys, "epochs": 2}, model="./other", rate=0.01, batch=8)
    )
    order = load(locate(str(again.folder)), "AutoModelForSequenceClassification").model.config.id2label
    assert order[0].lower() == "contradiction"
    waived = {str(again.folder): {"canaries_waived": "it learned three kinds of sentences"}}
    checked = nextset.evaluate_model(waived, tmp_path / "pairs.tsv")
    assert checked.figures["accuracy"] == _after(again)["accuracy"]


@pytest.mark.slow
def test_faulty_answers_and_a_card_without_clear_cases(tmp_path: Path) -> None:
    write_reader_data(tmp_path, 16, 4, none_every=4)
    document = json.loads((tmp_path / "train.json").read_text())
    for i, paragraph in enumerate(document["data"][0]["paragraphs"][1:4]):
        paragraph["qas"][0]["id"] = f"odd|<b>{i}"
        paragraph["qas"][0]["answers"] = [{"text": ["absent", "."][i > 0], "answer_start": 0}]
    (tmp_path / "train.json").write_text(json.dumps(document))
    keys = {
        "task": "qa",
        "architecture": "lstm_reader",
        "train": ["train.json"],
        "epochs": 0.2,
        "longest": 9999,
    }
    file = written(tmp_path, "odd", **keys)
    done = CliRunner().invoke(app, ["train", str(file)])
    assert done.exit_code == 0, done.output
    assert "  train      1 question whose answers are not in the context: odd|<b>0\n" in done.stdout
    assert "  train      2 answers found at another place: odd|<b>1, odd|<b>2\n" in done.stdout
    assert (
        "warning: Check the data. Questions: 16; skipped because their answers are not in the context: 1;"
        in done.stdout
    )
    assert "add canaries (clear cases like your data) to the YAML file" in done.stdout
    card = (tmp_path / "odd-model" / "README.md").read_text(encoding="utf-8")
    assert "2 answers found at another place: odd\\|\\<b\\>1" in card
    assert yaml.safe_load(card.split("---")[1])["nextset"] == {"no_answer": True}
    reads = load(locate(str(tmp_path / "odd-model")), "AutoModelForQuestionAnswering").max_length
    assert reads < 9999
    assert f"longest {reads}," in card
    assert card_canaries(locate(str(tmp_path / "odd-model"))) == ()
    # with clear cases the card alone is written anew
    (tmp_path / "odd-model" / "README.md").unlink()
    again = nextset.train_model(written(tmp_path, "odd", **keys, canaries=READER["canaries"]))
    assert again.built == "reused"
    assert len(card_canaries(locate(str(again.folder)))) == 1


@pytest.mark.slow
def test_an_untrained_reader(folder: Path, tmp_path: Path) -> None:
    keys = {**READER, "epochs": 0.2, "architecture": "bidaf"}
    del keys["model"]
    keys |= {name: [str(folder / file) for file in READER[name]] for name in ("train", "validation")}
    found = nextset.train_model(written(tmp_path, "bidaf", **keys))
    (run,) = found.table("run").to_pylist()
    assert (run["base"], run["base_digest"], run["architecture"]) == (
        "bidaf",
        "",
        "BidafReaderForQuestionAnswering",
    )
    assert nextset.evaluate_model(found.folder, folder / "dev.json").figures["questions"] == 60


WRONG = [
    ({"model": None}, 1, "either model or architecture is needed"),
    ({"architecture": "bidaf"}, 19, "architecture: the file has both model and architecture"),
    ({"model": "openai:gpt"}, 1, "a model behind a server cannot be trained"),
    ({"train": []}, 4, "train"),
    ({"train": ["a.json", "a.json"]}, 4, "a.json is repeated"),
    ({"epoch": 2}, 19, "unknown key 'epoch'"),
    ({"task": "squad"}, 2, "task"),
    ({"columns": {"premise": "x"}}, 19, "columns: premise is not a column for qa"),
    ({"labels": ["neutral"]}, 1, "labels are only for the task nli"),
    ({"validation": [], "patience": 2}, 1, "patience needs validation data"),
    ({"rate": "1e-3"}, 9, "rate"),
    ({"word_vectors": "glove.txt"}, 1, "word_vectors are for an untrained architecture"),
]


@pytest.mark.parametrize(("keys", "line", "message"), WRONG, ids=[w[2][:20] for w in WRONG])
def test_settings_that_are_wrong(tmp_path: Path, keys: dict[str, Any], line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_training(written(tmp_path, **{**READER, **keys}))
    assert caught.value.line == line


def test_a_study_is_not_a_training_file(tmp_path: Path) -> None:
    file = nextset.new_study(tmp_path / "s").file.parent / "study.yaml"
    with pytest.raises(InputError, match="this is a study, not a training file") as caught:
        read_training(file)
    assert "nextset run" in caught.value.remedy


def test_places_and_models_that_are_wrong(tmp_path: Path) -> None:
    write_reader_data(tmp_path, 4, 4)
    (tmp_path / "training-model").mkdir()
    with pytest.raises(InputError, match="is not a model that `nextset train` made"):
        nextset.train_model(written(tmp_path, **READER))
    with pytest.raises(InputError, match="cannot be the name of a model"):
        nextset.train_model(written(tmp_path, **READER, output="a/..b"))
    with pytest.raises(ModelError, match=r"training.yaml:3: model: there is no built-in model 'absent'"):
        nextset.train_model(written(tmp_path, **{**READER, "model": "builtin:absent"}, output="x"))
    with pytest.raises(InputError, match=r"training\.yaml:5: there is no file 'tran\.json'") as caught:
        nextset.train_model(written(tmp_path, **{**READER, "train": ["tran.json"]}, output="x"))
    assert caught.value.remedy.startswith("did you mean 'train.json'?")
    assert not (tmp_path / "x").exists()


def test_data_for_another_task(tmp_path: Path) -> None:
    write_reader_data(tmp_path, 4, 4)
    (tmp_path / "pairs.csv").write_text("premise,hypothesis,label\na,b,neutral\n")
    keys = {"model": "builtin:nli-electra", "output": "x"}
    for task in ("nli", "masked_lm"):
        with pytest.raises(InputError, match="questions in SQuAD's format") as caught:
            nextset.train_model(written(tmp_path, **keys, task=task, train=["train.json"]))
        assert "task: qa" in caught.value.remedy
    with pytest.raises(InputError, match="a reader needs id, question, context and answers"):
        nextset.train_model(written(tmp_path, **keys, task="qa", train=["pairs.csv"]))


@pytest.mark.parametrize("task", ["qa", "masked_lm"])
def test_validation_data_that_cannot_be_read_stop_it_before_the_first_step(tmp_path: Path, task: str) -> None:
    write_reader_data(tmp_path, 4, 4)
    document = json.loads((tmp_path / "dev.json").read_text())
    document["data"][0]["paragraphs"][0]["qas"][0]["question"] = "Who left? " * 200
    (tmp_path / "dev.json").write_text(json.dumps(document))
    (tmp_path / "train.txt").write_text("The dog sleeps.\n\u5317\u4eac\n")
    (tmp_path / "dev.txt").write_text("\u5317\u4eac\n")
    kind, model = ("json", "qa-roformer") if task == "qa" else ("txt", "masked-lm")
    keys: dict[str, Any] = {
        "task": task,
        "model": f"builtin:{model}",
        "train": [f"train.{kind}"],
        "epochs": 1,
    }
    steps: list[int] = []
    with pytest.raises(NextsetError, match=r"too long to fit in with its context|does not know any word"):
        nextset.train_model(
            written(tmp_path, **keys, validation=[f"dev.{kind}"]),
            lambda stage: lambda done, total: steps.append(done) if stage == "train" else None,
        )
    assert not steps


@pytest.mark.slow
def test_texts_of_unknown_words_alone_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("The dog sleeps.\n\u5317\u4eac\n\U0001f642\nThe dog runs.\n")
    keys: dict[str, Any] = {"task": "masked_lm", "model": "builtin:masked-lm", "train": ["texts.txt"]}
    found = nextset.train_model(written(tmp_path, **keys, epochs=1, batch=1))
    assert {"split": "train", "what": "inputs", "count": 2, "first_ids": ""} in found.table(
        "counts"
    ).to_pylist()


def test_training_needs_accelerate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(DependencyMissing) as caught:
        nextset.train_model(written(tmp_path, **READER))
    assert caught.value.remedy == "pip install 'nextset[train]'"
