"""GGUF files, which transformers reads and unpacks: what they need, and how they are loaded."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["gguf_arguments", "require_gguf", "silent_unpacking"]

NEEDED = ("gguf", "accelerate")
"""The packages with which transformers reads GGUF files."""


def require_gguf(name: str) -> None:
    """Raise DependencyMissing without the packages that read the GGUF file of the model ``name``."""
    for package in NEEDED:
        if importlib.util.find_spec(package) is None:
            raise DependencyMissing(
                f"{name} is a GGUF file, which needs {package}, which is not installed",
                remedy="pip install 'nextset[gguf]'",
            )


def gguf_arguments(file: str) -> dict[str, Any]:
    """Return transformers' arguments for a model in the GGUF ``file``.

    All weights are unpacked, because transformers would download code to compute with packed ones.
    """
    import transformers

    return {"gguf_file": file, "quantization_config": transformers.GgufConfig(dequantize=True)}


@contextmanager
def silent_unpacking() -> Iterator[None]:
    """Hide the bar that transformers shows while it unpacks weights; nextset shows its own progress."""
    unpacking: Any = importlib.import_module("transformers.modeling_gguf_pytorch_utils")
    bar = unpacking.tqdm
    unpacking.tqdm = partial(bar, disable=True)
    try:
        yield
    finally:
        unpacking.tqdm = bar
