"""GGUF files, which transformers reads and unpacks: what they need, and how they are loaded."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from nextset.errors import DependencyMissing

__all__ = ["gguf_arguments", "require_gguf", "unpacking"]

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
def unpacking() -> Iterator[None]:
    """Let transformers read a GGUF file once instead of three times, and hide the bar that it shows.

    The configuration, the tokenizer and the model are read by themselves otherwise, which takes most of the
    time for a large vocabulary. nextset shows its own progress.
    """
    reading: Any = importlib.import_module("gguf")
    shown: Any = importlib.import_module("transformers.modeling_gguf_pytorch_utils")
    reader, bar = reading.GGUFReader, shown.tqdm
    reading.GGUFReader, shown.tqdm = lru_cache(maxsize=1)(reader), partial(bar, disable=True)
    try:
        yield
    finally:
        reading.GGUFReader, shown.tqdm = reader, bar
