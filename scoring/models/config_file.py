"""A model's config.json: read as JSON, and refused if it would load code or weights from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.models.gguf_header import gguf_architecture, gguf_header
from nextset.scoring.models.sources import ModelSource
from nextset.study.model_key import model_setting

__all__ = ["check_config", "read_config"]

IMPLEMENTATIONS = {"eager", "sdpa", "flex_attention", "grouped_mm", "batched_mm"}
"""Implementations of attention and experts in torch; transformers gets others from kernel repositories."""
KERNEL_QUANTIZATIONS = {"eetq", "fbgemm_fp8", "fp8", "mxfp8", "metal", "mxfp4", "nvfp4"}
"""Quantization methods whose kernels transformers downloads and runs."""
QUANTIZATIONS = {
    "aqlm", "auto-round", "awq", "bitnet", "bitsandbytes_4bit", "bitsandbytes_8bit",
    "compressed-tensors", "fouroversix", "fp_quant", "gemma", "gptq", "higgs", "hqq", "quanto", "quark",
    "sinq", "spqr", "torchao", "vptq",
}  # fmt: skip
"""Other methods that transformers knows; with an unknown method, it reads the weights unchanged."""
DEEPEST = 50
"""The maximum depth of nested values that is searched."""


def read_config(source: ModelSource) -> dict[str, Any]:
    """Return the config.json of ``source``; raises ModelError if it is missing or cannot be read.

    Of a GGUF file, it has only the class of the model: transformers makes the rest from the file.
    """
    assert source.folder is not None
    if source.gguf:
        header = gguf_header(source.name, source.folder / source.gguf)
        return {"architectures": [gguf_architecture(header.architecture)]}
    try:
        config = json.loads((source.folder / "config.json").read_text(encoding="utf-8"))
        if isinstance(config, dict):
            return config
        problem = "it is not a JSON object"
    except FileNotFoundError:
        problem = "it is missing"
    except (OSError, ValueError) as e:
        problem = str(e)
    except RecursionError:
        problem = "its values are nested too deeply"
    raise ModelError(
        f"{source.name} has no readable config.json: {problem:.200}",
        remedy=f"check the files in {source.folder}, or download or save the model again",
    )


def check_config(source: ModelSource, remote_code: bool) -> None:
    """Raise ModelError if the files of ``source`` would load code, or weights that its digest does not cover.

    ``remote_code`` is True if the user has read the code and wants to run it.
    """
    assert source.folder is not None
    if not source.gguf:
        _check_weights(source, source.folder)
        _check_quantization(source)
    if remote_code:
        return
    for place, value in _code(read_config(source)):
        raise ModelError(
            f"{source.name} needs code that nextset does not run: config.json has {place}: {value!r:.100}",
            remedy="choose a different model, or read that code and then allow it "
            f"{model_setting(source.name, 'remote_code: true')}",
        )


def _check_weights(source: ModelSource, folder: Path) -> None:
    if (folder / "adapter_config.json").exists():
        raise ModelError(
            f"{source.name} is an adapter, and its other weights are in a different model",
            remedy="name its model instead, and the adapter with it "
            + model_setting(source.name, f"adapter: {source.name}"),
        )
    written = read_config(source).get("transformers_weights")
    named = [] if written is None else [written]
    for index in sorted(folder.glob("*.safetensors.index.json")):
        named += _indexed(source, index)
    for name in named:
        if not isinstance(name, str) or Path(name).name != name or not _is_weights(name):
            raise ModelError(
                f"{source.name} names weights that are not *.safetensors in its folder: {name!r:.100}",
                remedy="save the model again, with all weights in one folder",
            )


def _check_quantization(source: ModelSource) -> None:
    config = read_config(source)
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    for quantization in (part.get("quantization_config") for part in parts):
        if quantization is None:
            continue
        fields = quantization if isinstance(quantization, dict) else {}
        method = fields.get("quant_method")
        bits = fields.get("load_in_8bit") or fields.get("load_in_4bit")  # then the method is bitsandbytes
        known = isinstance(method, str) and method in QUANTIZATIONS | KERNEL_QUANTIZATIONS
        if not known and not bits:
            raise ModelError(
                f"{source.name} is quantized with an unknown method: "
                + ("no name" if method is None else f"{method!r:.100}"),
                remedy="choose a model that is not quantized, or one that is quantized with one of: "
                + ", ".join(sorted(QUANTIZATIONS)),
            )


def _is_weights(name: str) -> bool:
    return name.endswith((".safetensors", ".safetensors.index.json"))


def _indexed(source: ModelSource, index: Path) -> list[Any]:
    """Return the files that an index of weights names; raises ModelError if it cannot be read."""
    try:
        names = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        return sorted(set(names))
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ModelError(
            f"{source.name} has no readable {index.name} in {source.folder}",
            remedy="download or save the model again",
        ) from None


def _code(value: Any, place: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield each field in ``value`` that loads code, with its place."""
    if depth > DEEPEST:
        yield place.partition(".")[0], "values that are nested too deeply"
    elif isinstance(value, dict):
        for key, inner in value.items():
            below = f"{place}.{key}" if place else str(key)
            if _loads_code(key, inner):
                yield below, inner
            yield from _code(inner, below, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _code(inner, place, depth + 1)


def _loads_code(key: str, value: Any) -> bool:
    """Return True if transformers would load code for ``value`` under ``key``."""
    parts = value.values() if isinstance(value, dict) else [value]  # one for each part of the model
    texts = {text for text in parts if isinstance(text, str)}
    if "implementation" in key:
        return not texts <= IMPLEMENTATIONS
    if "kernel" in key:
        return any("/" in text for text in texts)
    return key == "quant_method" and any(text.lower() in KERNEL_QUANTIZATIONS for text in texts)
