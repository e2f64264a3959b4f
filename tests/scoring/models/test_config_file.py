"""Configs: fields that load code need remote_code, and weights lie in the folder that the digest covers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

from nextset.errors import ModelError
from nextset.scoring.models.config_file import QUANTIZATIONS, check_config
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import ModelSource, locate


@pytest.fixture
def folder(nli_folder: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return shutil.copytree(nli_folder, tmp_path / "copy")


def _set(folder: Path, **settings: Any) -> ModelSource:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")
    return locate(str(folder))


CODE: list[dict[str, Any]] = [
    {"_attn_implementation": "someone/kernel"},
    {"_attn_implementation": "someone/kernel@main:attend"},
    {"attn_implementation": "kernels-community/flash-attn2"},
    {"_attn_implementation": "flash_attention_2"},  # a kernel of the Hub where flash_attn is not installed
    {"_attn_implementation": {"": "sdpa", "text_config": "someone/kernel"}},
    {"_attn_implementation_internal": "someone/kernel"},
    {"_experts_implementation": "deepgemm"},
    {"text_config": {"_attn_implementation": "someone/kernel"}},
    {"parts": [{"attn_implementation": "someone/kernel"}]},
    {"kernel_config": {"RMSNorm": "someone/kernel:RMSNorm"}},
    {"quantization_config": {"quant_method": "mxfp4"}},
]


@pytest.mark.parametrize("fields", CODE, ids=str)
def test_fields_that_load_code_are_refused_by_name(folder: Path, fields: dict[str, Any]) -> None:
    source = _set(folder, **fields)
    with pytest.raises(ModelError, match=f"needs code .* config.json has {next(iter(fields))}") as e:
        load(source, "AutoModelForSequenceClassification")
    assert "remote_code: true" in e.value.remedy
    check_config(source, remote_code=True)


@pytest.mark.parametrize("method", ["finegrained_fp8", "GPTQ", "bitsandbytes", 8, None, ["gptq"]])
@pytest.mark.parametrize("inside", [False, True])
def test_a_quantization_that_is_not_known_is_refused_by_name(folder: Path, method: Any, inside: bool) -> None:
    """transformers would read the weights as if they were not quantized."""
    fields: dict[str, Any] = {"quantization_config": {"quant_method": method}}
    source = _set(folder, **({"text_config": fields} if inside else fields))
    shown = "no name" if method is None else re.escape(repr(method))
    with pytest.raises(ModelError, match=f"unknown method: {shown}"):
        check_config(source, remote_code=True)


def test_every_quantization_is_one_of_transformers() -> None:
    assert set(AUTO_QUANTIZATION_CONFIG_MAPPING) >= QUANTIZATIONS


@pytest.mark.parametrize(
    "fields",
    [
        {"_attn_implementation": "eager"},
        {"_attn_implementation": None},
        {"_attn_implementation": {"": "sdpa"}},
        {"conv_kernel": [3, 3], "kernel_size": 5},
        {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}},
    ],
    ids=str,
)
def test_other_fields_stay(folder: Path, fields: dict[str, Any]) -> None:
    check_config(_set(folder, **fields), remote_code=False)


@pytest.mark.parametrize("name", ["other.bin", "below/model.safetensors", "../model.safetensors", 3])
def test_weights_outside_the_digest_are_refused(folder: Path, name: Any) -> None:
    with pytest.raises(ModelError, match="names weights that are not"):
        check_config(_set(folder, transformers_weights=name), remote_code=True)
    source = _set(folder, transformers_weights=None)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": name}}), encoding="utf-8")
    with pytest.raises(ModelError, match="names weights that are not"):
        check_config(source, remote_code=True)


def test_an_adapter_is_refused(folder: Path) -> None:
    """Its other weights are those of a model elsewhere, which no digest covers."""
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "a/b"}', encoding="utf-8")
    with pytest.raises(ModelError, match="is an adapter"):
        load(locate(str(folder)), "AutoModelForSequenceClassification")


@settings(max_examples=40)
@given(
    config=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["_attn_implementation", "kernel", "quant_method", "a"]), inner)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_config_or_refused(config: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("config")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    try:
        check_config(ModelSource("m", folder, "", ""), remote_code=False)
    except ModelError as e:
        assert "config.json" in e.message
