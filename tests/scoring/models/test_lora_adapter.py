"""LoRA adapters: checked before they are read, merged exactly, and part of what the model is."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from nextset.errors import DependencyMissing, InputError, ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.model_kinds import check_settings
from nextset.scoring.models.loading import load
from nextset.scoring.models.lora_adapter import adapter_files
from nextset.scoring.models.own_models import function_source
from nextset.scoring.models.sources import check_unchanged, locate
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama

PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps.", "Nobody is there.")]
RANK, ALPHA = 2, 6


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def adapter(llama: Path, tmp_path: Path) -> Path:
    return save_adapter(llama, tmp_path / "adapter")


def save_adapter(base: Path, folder: Path, **config: Any) -> Path:
    """An adapter of the queries of all layers, with random factors."""
    folder.mkdir()
    weights = load_file(base / "model.safetensors")
    generator = torch.Generator().manual_seed(3)
    factors = {}
    for name in (name for name in weights if name.endswith("q_proj.weight")):
        rows, columns = weights[name].shape
        module = f"base_model.model.{name.removesuffix('.weight')}"
        factors[f"{module}.lora_A.weight"] = torch.randn(RANK, columns, generator=generator)
        factors[f"{module}.lora_B.weight"] = torch.randn(rows, RANK, generator=generator)
    save_file(factors, folder / "adapter_model.safetensors")
    fields = {
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": ALPHA, "lora_dropout": 0.0,
        "target_modules": ["q_proj"], "bias": "none", "base_model_name_or_path": base.name, **config,
    }  # fmt: skip
    (folder / "adapter_config.json").write_text(json.dumps(fields), encoding="utf-8")
    return folder


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has peft for finding adapters, which need not be merged."""
    monkeypatch.setattr("nextset.scoring.models.sources.require_peft", lambda name: None)


@pytest.mark.usefixtures("installed")
def test_an_adapter_is_part_of_what_the_model_is(llama: Path, adapter: Path) -> None:
    plain, changed = locate(str(llama)), locate(str(llama), settings=ModelSettings(adapter=str(adapter)))
    assert plain.adapter is None
    assert changed.adapter == adapter
    assert changed.digest != plain.digest
    assert changed.identity != plain.identity
    assert locate(str(llama), adapter.parent, ModelSettings(adapter="adapter")).identity == changed.identity
    (adapter / "adapter_config.json").write_text(
        (adapter / "adapter_config.json").read_text(encoding="utf-8") + " ", encoding="utf-8"
    )
    with pytest.raises(ModelError, match="changed while the model was in use"):
        check_unchanged(changed)
    check_unchanged(plain)


def test_a_pickle_is_refused(adapter: Path) -> None:
    (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
    with pytest.raises(ModelError, match="only as a pickle"):
        adapter_files("m", adapter)


@pytest.mark.parametrize("file", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_missing_file_or_a_pipe_is_named(adapter: Path, file: str) -> None:
    (adapter / file).unlink()
    with pytest.raises(ModelError, match=f"{file} is missing"):
        adapter_files("m", adapter)
    os.mkfifo(adapter / file)
    with pytest.raises(ModelError, match="this is a pipe"):
        adapter_files("m", adapter)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"peft_type": "PREFIX_TUNING"}', "\x00"])
def test_other_configs_are_refused(adapter: Path, text: str) -> None:
    (adapter / "adapter_config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="adapter"):
        adapter_files("m", adapter)


@pytest.mark.parametrize("fields", [{"megatron_config": {"a": 1}}, {"megatron_core": "os"}])
def test_a_config_that_names_code_is_refused(llama: Path, tmp_path: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="names code that nextset does not run"):
        adapter_files("m", save_adapter(llama, tmp_path / "code", **fields))


def test_without_peft_the_remedy_names_it(
    llama: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DependencyMissing, match="needs peft") as e:
        locate(str(llama), settings=ModelSettings(adapter=str(adapter)))
    assert e.value.remedy == "pip install 'nextset[adapters]'"


def test_a_function_has_no_adapter() -> None:
    with pytest.raises(InputError, match="does not use adapter"):
        check_settings(function_source(lambda inputs: inputs), ModelSettings(adapter="./a"))


@pytest.mark.slow
@pytest.mark.parametrize(("rslora", "scale"), [(False, ALPHA / RANK), (True, ALPHA / RANK**0.5)])
def test_the_merged_weights_are_those_worked_out(
    llama: Path, tmp_path: Path, rslora: bool, scale: float
) -> None:
    """W + B·A·alpha/r, and with rank-stabilised scaling alpha/√r."""
    pytest.importorskip("peft")
    folder = save_adapter(llama, tmp_path / "adapter", use_rslora=rslora)
    loaded = load(locate(str(llama), settings=ModelSettings(adapter=str(folder))), "AutoModelForCausalLM")
    weights, factors = load_file(llama / "model.safetensors"), load_file(folder / "adapter_model.safetensors")
    merged = loaded.model.state_dict()
    for name, weight in weights.items():
        module = f"base_model.model.{name.removesuffix('.weight')}"
        added: Any = 0.0
        if f"{module}.lora_A.weight" in factors:
            added = factors[f"{module}.lora_B.weight"] @ factors[f"{module}.lora_A.weight"] * scale
        np.testing.assert_allclose(merged[name], weight + added, atol=1e-5)
    assert not any("lora" in name for name in merged)


@pytest.mark.slow
def test_scores_are_those_of_a_folder_that_was_merged_before(
    llama: Path, adapter: Path, tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(llama)
    factors = load_file(adapter / "adapter_model.safetensors")
    for name, weight in model.named_parameters():
        module = f"base_model.model.{name.removesuffix('.weight')}"
        if f"{module}.lora_A.weight" in factors:
            added = factors[f"{module}.lora_B.weight"] @ factors[f"{module}.lora_A.weight"]
            weight.data += added * (ALPHA / RANK)
    merged = shutil.copytree(llama, tmp_path / "merged")
    model.save_pretrained(merged)

    def scores(name: Path, adapter: str = "") -> Any:
        asking = Asking("nli", ScoringSettings(), ModelSettings())
        scorer = CausalScorer.load(locate(str(name), settings=ModelSettings(adapter=adapter)), asking)
        return scorer.scores(scorer.encoded(PAIRS))

    changed = scores(llama, adapter=str(adapter))
    np.testing.assert_allclose(changed, scores(merged), atol=1e-5)
    assert not np.allclose(changed, scores(llama), atol=1e-4)


@pytest.mark.slow
def test_a_classifier_can_have_an_adapter(nli_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("peft")
    model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(nli_folder)
    name, module = next((n, m) for n, m in model.named_modules() if isinstance(m, torch.nn.Linear))
    folder = tmp_path / "adapter"
    folder.mkdir()
    rows, columns = module.weight.shape
    stored = {f"base_model.model.{name}.lora_A.weight": torch.ones(1, columns)}
    stored[f"base_model.model.{name}.lora_B.weight"] = torch.ones(rows, 1)
    head = {key: 2 * value for key, value in model.state_dict().items() if key.startswith("classifier.")}
    stored |= {f"base_model.model.{key}": value for key, value in head.items()}  # an adapter replaces it
    save_file(stored, folder / "adapter_model.safetensors")
    fields = {"peft_type": "LORA", "task_type": "SEQ_CLS", "r": 1, "lora_alpha": 1, "target_modules": [name]}
    (folder / "adapter_config.json").write_text(json.dumps(fields), encoding="utf-8")
    loaded = load(
        locate(str(nli_folder), settings=ModelSettings(adapter=str(folder))),
        "AutoModelForSequenceClassification",
    )
    changed = dict(loaded.model.named_parameters())[f"{name}.weight"]
    np.testing.assert_allclose(changed.detach(), module.weight.detach() + 1, atol=1e-6)
    for key, value in head.items():
        np.testing.assert_allclose(loaded.model.state_dict()[key], value)


@pytest.mark.slow
def test_an_adapter_of_another_model_does_not_half_fit(llama: Path, adapter: Path) -> None:
    pytest.importorskip("peft")
    file = adapter / "adapter_model.safetensors"
    factors = load_file(file)
    first = min(factors)
    save_file({first.replace("layers.0", "layers.9"): factors.pop(first), **factors}, file)
    with pytest.raises(ModelError, match="does not fit"):
        load(locate(str(llama), settings=ModelSettings(adapter=str(adapter))), "AutoModelForCausalLM")
    save_file({name: factor[:1, :1].contiguous() for name, factor in factors.items()}, file)
    with pytest.raises(ModelError, match="cannot be merged"):
        load(locate(str(llama), settings=ModelSettings(adapter=str(adapter))), "AutoModelForCausalLM")


@pytest.mark.slow
def test_another_base_is_a_warning(llama: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("peft")
    folder = save_adapter(llama, tmp_path / "adapter", base_model_name_or_path="some/other-model")
    with caplog.at_level(logging.WARNING):
        load(locate(str(llama), settings=ModelSettings(adapter=str(folder))), "AutoModelForCausalLM")
    assert "was trained on 'other-model'" in caplog.text
