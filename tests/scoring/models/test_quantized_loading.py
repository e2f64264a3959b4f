"""Quantized folders: loaded with the package of their method, and refused by its name without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from nextset.errors import DependencyMissing
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.models.quantized_loading import quantization_methods
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Numbers, Pair
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama

PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps.", "Nobody is there.")]


def scores(folder: Path, precision: str = "float32") -> tuple[Numbers, Numbers]:
    scoring = ScoringSettings.model_validate({"precision": precision})
    scorer = CausalScorer.load(locate(str(folder)), Asking("nli", scoring, ModelSettings()))
    encoded = scorer.encoded(PAIRS)
    return scorer.scores(encoded), scorer.alone(encoded)


@pytest.mark.parametrize(
    ("fields", "package"),
    [
        ({"quant_method": "gptq", "bits": 4}, "gptqmodel"),
        ({"quant_method": "awq", "bits": 4}, "gptqmodel"),
        ({"load_in_4bit": True}, "bitsandbytes"),
        ({"quant_method": "vptq"}, "vptq"),
    ],
)
def test_a_missing_package_is_named_before_the_weights_are_read(
    tmp_path: Path, fields: dict[str, Any], package: str
) -> None:
    folder = save_llama(tmp_path)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "quantization_config": fields}), "utf-8")
    with pytest.raises(DependencyMissing, match=f"needs {package}, which is not installed") as e:
        scores(folder)
    assert f"pip install {package}" in e.value.remedy


def test_methods_are_read_from_every_part_of_a_config() -> None:
    config = {"text_config": {"quantization_config": {"quant_method": "gptq"}}, "other": {}}
    assert quantization_methods(config) == ["gptq"]
    assert quantization_methods({"quantization_config": {"load_in_8bit": True}}) == ["bitsandbytes"]
    assert quantization_methods({"quantization_config": "gptq"}) == []


@pytest.mark.slow
def test_a_folder_of_compressed_tensors_gives_nearly_the_same_numbers(tmp_path: Path) -> None:
    pytest.importorskip("compressed_tensors")
    plain = save_llama(tmp_path / "plain", hidden=64)
    packed = _compressed(plain, tmp_path / "packed")
    expected, (found, alone) = scores(plain)[0], scores(packed)
    np.testing.assert_allclose(found, alone, atol=1e-5)
    np.testing.assert_allclose(found, expected, atol=1e-2)
    assert not np.array_equal(found, expected)
    coarse, exact = scores(packed, "bfloat16")
    np.testing.assert_array_equal(exact, alone)
    np.testing.assert_allclose(coarse, exact, atol=1e-2)


def _compressed(folder: Path, target: Path) -> Path:
    """A copy of the model in ``folder`` with the weights of its layers as integers of eight bits."""
    from compressed_tensors.compressors import ModelCompressor
    from compressed_tensors.quantization import (
        QuantizationArgs,
        QuantizationConfig,
        QuantizationScheme,
        apply_quantization_config,
    )

    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    args = QuantizationArgs(num_bits=8, type="int", symmetric=True, strategy="channel")
    groups = {"group_0": QuantizationScheme(targets=["Linear"], weights=args)}
    apply_quantization_config(
        model, QuantizationConfig(config_groups=groups, ignore=["lm_head"], format="pack-quantized")
    )
    for module in model.modules():
        if hasattr(module, "weight_scale"):
            module.weight_scale.data.copy_(module.weight.data.abs().amax(dim=1, keepdim=True) / 127)
    compressor = ModelCompressor.from_pretrained_model(model, quantization_format="pack-quantized")
    compressor.compress_model(model)
    model.save_pretrained(target)
    compressor.update_config(target)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(target)
    return target
