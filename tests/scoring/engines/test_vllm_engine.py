"""vLLM as an engine: the same prompts and numbers, near ties in float32, and a clear error without it.

vLLM itself does not run here. A model of transformers that gives the log probabilities of tokens takes its
place behind the one method that the rest needs.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from nextset.errors import DependencyMissing, ModelError
from nextset.forms import FormName
from nextset.scoring.asked_model import Model
from nextset.scoring.asking import Asking
from nextset.scoring.engines import engine_of
from nextset.scoring.engines.local import run_in_order
from nextset.scoring.engines.vllm_engine import vllm_folder
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.generative.engine_scorer import EngineScorer
from nextset.scoring.models.own_models import function_source
from nextset.scoring.models.sources import locate
from nextset.scoring.near_ties import CLOSE
from nextset.scoring.scorer_protocol import ChoiceQuestion, Pair, Question
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama

SPANS = ((0, 1), (2, 3))
PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps.", "Nobody is there.")]
QUESTIONS = [
    Question("A man met a boy.", "Who was kind?", ("A man", "a boy"), SPANS),
    Question("People of Niger met people of Nigeria.", "Who won?", ("Niger", "Nigeria"), SPANS),
]
CHOICES = [
    ChoiceQuestion("Niger met Nigeria.", "Who won?", ("Niger", "Not known", "Nigeria"), 1),
    ChoiceQuestion("Ann met Bob.", "Who won?", ("Ann", "Bob"), -1),
]
ON_VLLM = ScoringSettings(engine="vllm")
without_vllm = pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vLLM is installed")


@dataclass
class TextsOfTransformers:
    """The log probabilities of tokens by transformers, one text at a time."""

    folder: Path
    asked: list[tuple[int, ...]] = field(default_factory=list)

    def prompt_logprobs(self, texts: Sequence[Sequence[int]]) -> list[list[float | None]]:
        model: Any = AutoModelForCausalLM.from_pretrained(self.folder)
        found: list[list[float | None]] = []
        for text in texts:
            self.asked.append(tuple(text))
            with torch.inference_mode():
                logs = torch.log_softmax(model(torch.tensor([list(text)])).logits[0].double(), dim=-1)
            found.append([None, *(float(logs[i, token]) for i, token in enumerate(text[1:]))])
        return found


@pytest.fixture(scope="module", params=[save_gpt2, save_llama])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return request.param(tmp_path_factory.mktemp("engine"))  # type: ignore[no-any-return]


def local_scorer(folder: Path, form: FormName) -> CausalScorer:
    return CausalScorer.load(locate(str(folder)), Asking(form, ScoringSettings()))


@pytest.mark.parametrize(("form", "inputs"), [("nli", PAIRS), ("question", QUESTIONS), ("choice", CHOICES)])
def test_the_numbers_are_those_of_the_engine_local(folder: Path, form: FormName, inputs: list[Any]) -> None:
    local = local_scorer(folder, form)
    found = EngineScorer(local, TextsOfTransformers(folder))
    encoded = found.encoded(inputs)
    assert found.columns == local.columns
    np.testing.assert_allclose(found.scores(encoded), local.scores(encoded), atol=1e-5)
    np.testing.assert_array_equal(found.alone(encoded), local.alone(encoded))
    np.testing.assert_array_equal(found.exact(encoded), local.exact(encoded))


def test_the_engine_reads_each_prompt_with_each_choice(folder: Path) -> None:
    local, engine = local_scorer(folder, "nli"), TextsOfTransformers(folder)
    found = EngineScorer(local, engine)
    (encoded,) = found.encoded(PAIRS[:1])
    found.scores([encoded])
    assert len(engine.asked) == 3 * len(encoded.rows)
    assert len(set(engine.asked)) == len(engine.asked)
    longest = {row.ids for wording in encoded.rows for row in wording}
    assert longest <= {text[:-1] for text in engine.asked}


def test_nothing_in_nothing_out(folder: Path) -> None:
    found = EngineScorer(local_scorer(folder, "nli"), TextsOfTransformers(folder))
    assert found.scores(found.encoded([])).shape == (0, 4)


class Endless(TextsOfTransformers):
    """An engine that gives numbers that are not finite."""

    def prompt_logprobs(self, texts: Sequence[Sequence[int]]) -> list[list[float | None]]:
        return [[None, *[float("-inf")] * (len(text) - 1)] for text in texts]


def test_numbers_that_are_not_finite_stop(folder: Path) -> None:
    found = EngineScorer(local_scorer(folder, "nli"), Endless(folder))
    with pytest.raises(ModelError, match="not finite"):
        found.scores(found.encoded(PAIRS))


@without_vllm
def test_without_vllm_the_error_comes_before_any_work(folder: Path) -> None:
    with pytest.raises(DependencyMissing, match=r"scoring\.engine: vllm needs vLLM") as e:
        Model.of(locate(str(folder)), Asking("nli", ON_VLLM))
    assert e.value.remedy == "pip install 'nextset[vllm]'"


def test_other_kinds_run_as_with_the_engine_local() -> None:
    source = locate("builtin:nli-bart")
    here, there = (Model.of(source, Asking("nli", scoring)) for scoring in (ScoringSettings(), ON_VLLM))
    assert here.scope == there.scope
    assert there.coarseness == "float32"
    Model.of(function_source(lambda inputs: inputs), Asking("nli", ON_VLLM))
    assert engine_of("vllm") is run_in_order


def test_batched_scores_are_stored_apart_and_exact_ones_together(folder: Path) -> None:
    local = Model.of(locate(str(folder)), Asking("nli", ScoringSettings()))
    there = replace(local, asking=Asking("nli", ON_VLLM))
    assert there.scope != local.scope
    assert (there.exact, there.alone) == (local.exact, local.alone)
    assert CLOSE[there.coarseness] > CLOSE[local.coarseness]
    coarse = replace(there, asking=Asking("nli", ScoringSettings(engine="vllm", precision="bfloat16")))
    assert coarse.coarseness == "bfloat16"


def test_what_vllm_would_read_differently_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nextset.scoring.engines.vllm_engine.require_vllm", lambda: None)
    source = locate(str(folder))
    for other, problem in [
        (replace(source, gguf="m.gguf"), "GGUF"),
        (replace(source, adapter=folder), "adapter"),
    ]:
        with pytest.raises(ModelError, match=problem):
            vllm_folder(other)
    with pytest.raises(ModelError, match="thinking"):
        Model.of(source, Asking("nli", ON_VLLM, ModelSettings(thinking=True)))
