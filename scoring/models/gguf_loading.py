"""GGUF files, which transformers reads and unpacks: what they need, and how they are loaded."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from nextset.errors import DependencyMissing

__all__ = ["gguf_arguments", "require_gguf", "unpacking"]

NEEDED = ("gguf", "accelerate")
"""The packages with which transformers reads GGUF files."""
WORDS = "tokenizer.ggml.tokens"
PART = 4 << 20
"""Bytes of packed weights that are unpacked at a time."""


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
def unpacking() -> Iterator[Callable[[], None]]:
    """Let transformers read a GGUF file once instead of three times, unpack large weights without a second
    copy, and hide the bar that it shows.

    The configuration, the tokenizer and the model are read by themselves otherwise, which takes most of the
    time for a large vocabulary. nextset shows its own progress. Yields a function to call when the tokenizer
    is read, which forgets the words.
    """
    reading: Any = importlib.import_module("gguf")
    shown: Any = importlib.import_module("transformers.modeling_gguf_pytorch_utils")
    reader, unpack, bar = reading.GGUFReader, reading.dequantize, shown.tqdm
    read: dict[str, Any] = {}

    def read_once(file: Any) -> Any:
        if str(file) not in read:
            read[str(file)] = reader(file)
        return read[str(file)]

    def forget_words() -> None:
        for parsed in read.values():
            _forget_words(parsed.fields)

    reading.GGUFReader, shown.tqdm = read_once, partial(bar, disable=True)
    reading.dequantize = partial(_in_parts, unpack)
    try:
        yield forget_words
    finally:
        reading.GGUFReader, reading.dequantize, shown.tqdm = reader, unpack, bar


def _forget_words(fields: dict[str, Any]) -> None:
    """Remove the lists of the tokenizer, which take more memory than many models; the number of words stays,
    because the model has a vector for each."""
    for name in [name for name in fields if name.startswith("tokenizer.") and len(fields[name].data) > 1]:
        field = fields.pop(name)
        if name == WORDS:
            # every word has the bytes of the first
            first = field.parts[field.data[0]]
            fields[name] = field._replace(parts=[first], data=[0] * len(field.data))


def _in_parts(unpack: Callable[..., Any], packed: Any, kind: Any) -> Any:
    """Return the weights that ``unpack`` makes of the rows of ``packed``, a part of them at a time.

    The package gguf itself unpacks all rows in pieces, and then copies the pieces together.
    """
    step = max(1, PART * len(packed) // max(1, packed.nbytes))
    if step >= len(packed):
        return unpack(packed, kind)
    first = unpack(packed[:step], kind)
    whole = np.empty((len(packed), *first.shape[1:]), first.dtype)
    whole[:step] = first
    for start in range(step, len(packed), step):
        whole[start : start + step] = unpack(packed[start : start + step], kind)
    return whole
