"""Quantized models: the package that each method needs, and how their weights get onto a device."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nextset.errors import DependencyMissing

if TYPE_CHECKING:
    import torch

__all__ = ["on_device", "quantization_methods", "quantized_arguments", "require_quantization"]

_PACKAGES = {
    "aqlm": "aqlm", "auto-round": "auto-round", "awq": "gptqmodel", "bitsandbytes": "bitsandbytes",
    "bitsandbytes_4bit": "bitsandbytes", "bitsandbytes_8bit": "bitsandbytes",
    "compressed-tensors": "compressed-tensors", "fp_quant": "fp_quant", "gptq": "gptqmodel",
    "higgs": "flute-kernel", "hqq": "hqq", "quanto": "optimum-quanto", "quark": "amd-quark",
    "spqr": "spqr-quant", "torchao": "torchao", "vptq": "vptq",
}  # fmt: skip
"""The package that reads the weights of each method; other methods need only transformers and torch."""
_MODULES = {
    "auto-round": "auto_round", "compressed-tensors": "compressed_tensors", "flute-kernel": "flute",
    "optimum-quanto": "optimum.quanto", "amd-quark": "quark", "spqr-quant": "spqr_quant",
}  # fmt: skip
"""The module of a package, if its name is different."""


def quantization_methods(config: Mapping[str, Any]) -> list[str]:
    """Return the methods that the parts of a model with this ``config`` are quantized with."""
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    sections = (part.get("quantization_config") for part in parts)
    return [_method(fields) for fields in sections if isinstance(fields, dict)]


def _method(fields: Mapping[str, Any]) -> str:
    named = fields.get("quant_method")
    bits = fields.get("load_in_8bit") or fields.get("load_in_4bit")
    return "bitsandbytes" if bits else str(named)


def require_quantization(name: str, methods: list[str]) -> None:
    """Raise DependencyMissing without a package that the model ``name`` needs for ``methods``."""
    for method in methods:
        package = _PACKAGES.get(method)
        needed = (package, "accelerate") if package else ("accelerate",)
        for one in needed:
            if not _is_installed(_MODULES.get(one, one)):
                raise DependencyMissing(
                    f"{name} is quantized with {method}, which needs {one}, which is not installed",
                    remedy=f"pip install {one}, or choose the model that is not quantized",
                )


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def quantized_arguments(methods: list[str], device: torch.device) -> dict[str, Any]:
    """Return transformers' arguments for a model that is quantized with ``methods``.

    Its weights are read onto ``device`` directly, because some methods cannot move them later.
    """
    return {"device_map": {"": device}} if methods else {}


def on_device(model: Any, device: torch.device) -> Any:
    """Return ``model`` on ``device``; a quantized model is there already."""
    return model if getattr(model, "is_quantized", False) else model.to(device)
