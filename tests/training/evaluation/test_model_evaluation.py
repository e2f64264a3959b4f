"""nextset models evaluate: models and published predictions against right answers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import nextset
from nextset.cli.app import app
from nextset.errors import InputError, ModelError
from nextset.records.nli_items import LABELS
from nextset.scoring.models.sources import locate
from nextset.training.evaluation.nli_evaluation import NliEvaluation
from tests.training.squad_examples import write_reader_data

QUESTIONS = [
    {"id": "a", "question": "Who left?", "answers": [{"text": "the old Anna", "answer_start": 0}]},
    {"id": "b", "question": "Who came?", "answers": [{"text": "Tom", "answer_start": 20}]},
    {"id": "c", "question": "Who sang?", "answers": [], "is_impossible": True},
    {"id": "d", "question": "Who slept?", "answers": [], "is_impossible": True},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    paragraph = {"context": "the old Anna left. Tom came.", "qas": QUESTIONS}
    (tmp_path / "dev.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    return tmp_path


def _write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_published_predictions_by_hand(data: Path) -> None:
    predictions = _write(data / "p.json", {"a": "old Anna", "b": "Anna", "c": "", "d": "Tom"})
    scores = _write(data / "na.json", {"a": 0.1, "b": 0.2, "c": 0.9, "d": 0.8})
    found = nextset.evaluate_model(predictions, data / "dev.json", no_answer_scores=scores)
    assert (found.name, found.task) == ("p.json", "qa")
    # a: EM 1 (the article does not count), F1 1; b: 0; c: 1; d: 0
    assert found.figures["em"] == found.figures["f1"] == 0.5
    assert found.figures["avna"] == 0.75
    assert (found.figures["has_answer_f1"], found.figures["no_answer_f1"]) == (0.5, 0.5)
    # up to 0.1: a is answered and right, all others get none: c and d are right
    assert (found.figures["best_f1"], found.figures["best_f1_threshold"]) == (0.75, 0.1)


def test_a_missing_prediction_is_wrong(data: Path) -> None:
    predictions = _write(data / "p.json", {"a": "old Anna", "c": "", "x": "y"})
    found = nextset.evaluate_model(predictions, data / "dev.json")
    assert found.figures["em"] == 2 / 4
    assert found.figures["missing"] == 2
    assert (found.figures["has_answer_questions"], found.figures["has_answer_em"]) == (2, 0.5)
    assert found.counts["predictions of other questions"] == 1
    with pytest.raises(InputError, match="the data have none of the ids in the file: x"):
        nextset.evaluate_model(_write(data / "p.json", {"x": "y"}), data / "dev.json")


def test_predictions_for_one_group_alone_count_in_both(data: Path) -> None:
    found = nextset.evaluate_model(_write(data / "p.json", {"a": "old Anna"}), data / "dev.json")
    assert (found.figures["em"], found.figures["missing"]) == (1 / 4, 3)
    assert (found.figures["has_answer_questions"], found.figures["has_answer_em"]) == (2, 0.5)
    assert (found.figures["no_answer_questions"], found.figures["no_answer_em"]) == (2, 0)


def test_the_command(data: Path) -> None:
    predictions = _write(data / "p.json", {"a": "old Anna", "b": "Tom", "c": "", "d": ""})
    command = ["models", "evaluate", str(predictions), "--data", str(data / "dev.json")]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert "  em                      100.0%\n" in shown.stdout
    assert "  has_answer_questions         2\n" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert (found["task"], found["figures"]["f1"]) == ("qa", 1.0)
    wrong = CliRunner().invoke(app, [*command, "--column", "context"])
    assert wrong.exit_code == 2


def test_answers_replace_answers_alone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an input, nor a file of the model, nor anything else that is there, also through a link."""
    mine, predictions = _write(data / "settings.json", {"a": 1}), _write(data / "p.json", {"a": "Anna"})
    (data / "link.json").symlink_to("dev.json")
    (data / "model").mkdir()
    within = _write(data / "model" / "vocab.json", {"a": "b"})
    monkeypatch.chdir(data)
    before = {path: path.read_bytes() for path in (data / "dev.json", mine, predictions, within)}
    for model, answers, problem in (
        ("builtin:qa-roformer", data / "dev.json", "would replace an input of the evaluation"),
        ("builtin:qa-roformer", "link.json", "would replace an input of the evaluation"),
        ("builtin:qa-roformer", "settings.json", "does not hold answers"),
        ("builtin:qa-roformer", "model", "this is a folder"),
        ("model", within, "would replace an input of the evaluation"),
        ("p.json", "p.json", "would replace an input of the evaluation"),
        ("p.json", "new.json", "only readers give answers"),
    ):
        with pytest.raises(InputError, match=problem):
            nextset.evaluate_model(model, "dev.json", answers=answers)
    assert {path: path.read_bytes() for path in before} == before
    assert not (data / "new.json").exists()


def test_what_does_not_fit(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-answer scores need a file of predictions"):
        nextset.evaluate_model("builtin:qa-roformer", data / "dev.json", no_answer_scores="x.json")
    with pytest.raises(InputError, match="'premise' is not a column for this"):
        nextset.evaluate_model("builtin:qa-roformer", data / "dev.json", columns={"premise": "x"})
    with pytest.raises(InputError, match="only readers give answers"):
        nextset.evaluate_model("builtin:nli-bart", data / "dev.json", answers="x.json")
    (data / "p.json").write_text("{}")
    for model in ("builtin:qa-roformer", data / "p.json"):
        with pytest.raises(InputError, match="only classifiers have labels"):
            nextset.evaluate_model(model, data / "dev.json", labels=["entailment"])
    for model in ("builtin:nli-bart", data / "p.json"):
        with pytest.raises(InputError, match="no_answer is only for models that are readers"):
            nextset.evaluate_model(model, data / "dev.json", no_answer=True)
    with pytest.raises(ModelError, match="there is no model folder"):
        nextset.evaluate_model("./absent", data / "dev.json")
    with pytest.raises(InputError, match="no data are named"):
        nextset.evaluate_model("builtin:nli-bart", [])


def _renamed(folder: Path, *names: str) -> Path:
    """Copy nextset's classifier to ``folder``, with other names of its outputs."""
    shipped = locate("builtin:nli-electra").folder
    assert shipped is not None
    shutil.copytree(shipped, folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_a_classifier_whose_labels_are_in_another_order_is_not_evaluated(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("premise,hypothesis,label\nA man sleeps.,A man sleeps.,entailment\n")
    permuted = _renamed(tmp_path / "permuted", "contradiction", "entailment", "neutral")
    unnamed = _renamed(tmp_path / "unnamed", "LABEL_0", "LABEL_1", "LABEL_2")
    data, labels = ["--data", str(tmp_path / "d.csv")], "entailment,neutral,contradiction"
    for model, option in ((permuted, labels), (unnamed, "LABEL,LABEL,LABEL")):
        refused = CliRunner().invoke(app, ["models", "evaluate", str(model), *data])
        assert (refused.exit_code, refused.stdout) == (6, "")
        assert f"with --model-labels {option}" in refused.stderr
    contradicting = [
        "models",
        "evaluate",
        "builtin:nli-electra",
        *data,
        "--model-labels",
        ",".join(LABELS[::-1]),
    ]
    refused = CliRunner().invoke(app, contradicting)
    assert (
        "the labels that you name are contradiction, neutral, entailment, but its config calls"
        in refused.stderr
    )
    named = CliRunner().invoke(app, ["models", "evaluate", str(unnamed), *data, "--model-labels", labels])
    assert "canaries: 12 of 12 canary pairs right" in named.stdout
    assert nextset.evaluate_model({str(unnamed): {"labels": labels.split(",")}}, tmp_path / "d.csv").figures[
        "accuracy"
    ]
    waived = CliRunner().invoke(
        app, ["models", "evaluate", str(permuted), *data, "--waive-canaries", "to see what happens"]
    )
    assert "canaries: waived: to see what happens" in waived.stdout
    with pytest.raises(ModelError) as e:
        nextset.evaluate_model(unnamed, tmp_path / "d.csv")
    assert f"with model={ {str(unnamed): {'labels': ['LABEL'] * 3}} }" in e.value.remedy
    probe = ["probe", "--model", str(unnamed), "--premise", "A man sleeps.", "--hypothesis", "A man sleeps."]
    assert "with --labels LABEL,LABEL,LABEL" in CliRunner().invoke(app, probe).stderr
    assert "entailment" in CliRunner().invoke(app, [*probe, "--labels", labels]).stdout
    with pytest.raises(InputError, match="only classifiers are asked canaries"):
        nextset.evaluate_model({"builtin:qa-roformer": {"canaries_waived": "w"}}, tmp_path / "d.csv")
    with pytest.raises(InputError, match="labels"):
        nextset.evaluate_model({str(unnamed): {"labels": ["yes"]}}, tmp_path / "d.csv")


@pytest.mark.parametrize(
    ("predicted", "better"),
    [
        (
            "n" * 12 + "c" * 12 + "e" * 12,
            "nce",
        ),  # none right, below 1/3 - 2 * sqrt(2/9/36) = 0.18; all in this order
        ("e" * 7 + "n" * 5 + "c" * 12 + "e" * 12, ""),  # 7 of 36 right = 0.19
        ("c" * 36, ""),  # one label, with any order 12 of 36
        ("n" * 3, ""),  # 0 of 3 is not below 1/3 - 0.54
    ],
)
def test_labels_of_the_data_in_another_order(predicted: str, better: str) -> None:
    names = {label[0]: label for label in LABELS}
    size = len(predicted) // 3
    right = "e" * size + "n" * size + "c" * size
    evaluation = NliEvaluation(
        {}, tuple(names[c] for c in predicted), tuple(names[c] for c in right), tuple(LABELS)
    )
    assert list(evaluation.better_order().values()) == [names[c] for c in better]


def test_the_order_that_fits_is_named(tmp_path: Path) -> None:
    texts = [("A man sleeps.", 0), ("A man does not sleep.", 2)] * 6
    rows = [
        f"A man sleeps on the sofa. It is {i} o'clock.,{text},{label}"
        for i, (text, label) in enumerate(texts)
    ]
    file = tmp_path / "d.csv"
    file.write_text("\n".join(["premise,hypothesis,label", *rows]) + "\n")
    order = ["contradiction", "neutral", "entailment"]
    warning = nextset.evaluate_model("builtin:nli-bart", file, labels=order).warning
    assert (
        "the labels entailment,neutral,contradiction would fit, not contradiction,neutral,entailment"
        in warning
    )
    mapped = dict(zip("012", order, strict=True))
    warning = nextset.evaluate_model("builtin:nli-bart", file, labels=mapped).warning
    assert (
        "the labels contradiction,neutral,entailment would fit, not entailment,neutral,contradiction"
        in warning
    )
    assert not nextset.evaluate_model("builtin:nli-bart", file, labels=order[::-1]).warning


def test_texts_of_unknown_words_have_no_loss(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\u5317\u4eac\n", encoding="utf-8")
    with pytest.raises(InputError, match="builtin:masked-lm does not know any word of the texts"):
        nextset.evaluate_model("builtin:masked-lm", tmp_path / "texts.txt")


@pytest.mark.slow
def test_models_of_each_kind(tmp_path: Path) -> None:
    write_reader_data(tmp_path, 4, 40)
    reader = nextset.evaluate_model("builtin:qa-roformer", tmp_path / "dev.json")
    assert reader.figures["em"] > 0.8
    assert reader.counts == {"examples": 40}
    document = json.loads((tmp_path / "dev.json").read_text())
    document["data"][0]["paragraphs"][0]["qas"][0].update(answers=[], is_impossible=True)
    command = [
        "models",
        "evaluate",
        "builtin:qa-roformer",
        "--data",
        str(_write(tmp_path / "2.json", document)),
    ]
    note = "note: 1 question without an answer, and the reader had to give one"
    assert note in CliRunner().invoke(app, command).stdout
    assert "note:" not in CliRunner().invoke(app, [*command, "--no-answer"]).stdout
    (tmp_path / "pairs.csv").write_text(
        "sentence1,sentence2,gold\nA dog sleeps.,A dog is asleep.,0\nA dog sleeps.,A dog is awake.,1\n"
    )
    found = nextset.evaluate_model(
        "builtin:nli-electra",
        tmp_path / "pairs.csv",
        columns={"premise": "sentence1", "hypothesis": "sentence2", "label": "gold"},
        labels=["entailment", "not_entailment"],
    )
    assert found.figures["pairs"] == 2
    assert set(found.figures) >= {"accuracy", "entailment_f1", "not_entailment_f1", "macro_f1"}
    (tmp_path / "texts.txt").write_text("The dog sleeps in the garden.\nThe nurse opened the door.\n" * 5)
    masked = nextset.evaluate_model("builtin:masked-lm", tmp_path / "texts.txt")
    assert masked.figures["tokens"] > 0
    assert 0 <= masked.figures["accuracy"] <= 1
    assert masked.figures["pseudo_perplexity"] > 1
    again = nextset.evaluate_model("builtin:masked-lm", tmp_path / "texts.txt")
    assert again.figures == masked.figures
