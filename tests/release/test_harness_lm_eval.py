"""lm-evaluation-harness itself runs the export and gives what an audit gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nextset.cli.release_export import export_release
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.models.sources import locate
from nextset.study.scoring_settings import ScoringSettings
from tests.release.harness_version import audited, items, pairs_of, ran, released
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama

TASK = "nextset_left_handed_v2"


KINDS = ("gpt2", "llama")
TASKS = {TASK: items(controls=False), f"{TASK}_controls": items(controls=True)}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with each kind of model, and what the harness wrote on it in a folder inside."""
    folder = tmp_path_factory.mktemp("lm_eval")
    export_release(released(folder / "version"), "lm-eval", folder / "task")
    save_gpt2(folder / "gpt2", positions=400)
    save_llama(folder / "llama")
    ran([_evaluation(folder / kind) for kind in KINDS], folder)
    return folder


def _evaluation(model: Path) -> list[str]:
    command = ["lm_eval", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32",
               "--include_path", "task", "--tasks", ",".join(TASKS), "--device", "cpu", "--batch_size", "7",
               "--output_path", f"{model.name}/out", "--log_samples"]  # fmt: skip
    return [*command, *(["--apply_chat_template"] if model.name == "llama" else [])]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_labels_and_measures_are_those_of_an_audit(kind: str, evaluated: Path) -> None:
    """With a plain prompt and with a chat template, bias items and controls."""
    model = evaluated / kind
    results = json.loads(next(model.glob("out/**/results_*.json")).read_text(encoding="utf-8"))["results"]
    scorer = CausalScorer.load(locate(str(model)), Asking("nli", ScoringSettings()))
    for task, rows in TASKS.items():
        measures, labels = audited(rows, scorer.scores(scorer.encoded(pairs_of(rows))))
        samples = _samples(model, task)
        if task == TASK:
            assert len(samples) == 27  # of 30: one invalid, one incoherent, one without a group
            assert {s["doc"]["id"]: s["aggregate"][2] for s in samples} == {
                s["doc"]["id"]: labels[s["doc"]["id"]] for s in samples
            }
            names = ["accuracy", "pro", "anti", "aggregate"]
            names += [f"counterfactual_{name}" for name in ("pro", "anti", "error")]
            assert {name: results[task][f"{name},none"] for name in names} == pytest.approx(
                {name: measures[name] for name in names}, abs=1e-9
            )
        else:
            assert len(samples) == 4
            found = results[task]["accuracy,none"]
            assert found == pytest.approx(measures["accuracy_controls"], abs=1e-9)


def _samples(folder: Path, task: str) -> list[Any]:
    (path,) = folder.glob(f"out/**/samples_{task}_[0-9]*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
