"""The header of a GGUF file (version 2 or 3): the architecture and the tensors; weights are not read.

Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The libraries that load such files trust
its numbers, so a file whose numbers do not fit its size is refused here.
"""

from __future__ import annotations

import functools
import math
import mmap
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import ModelError

__all__ = ["GgufHeader", "GgufTensor", "gguf_architecture", "gguf_header"]

MOST_KEYS = 10_000
"""The maximum number of metadata keys; models have about 50."""
MOST_ELEMENTS = 4_000_000
"""The maximum number of elements of all arrays; a vocabulary of 262,000 tokens with its merges has 1.3
million."""
MOST_TENSORS = 100_000
MOST_DIMENSIONS = 4
MOST_TYPES = 255
"""The highest number of a type of tensors; about 40 are in use."""
LONGEST_CONTEXT = 2**30
"""The highest context_length that is believed."""
LONGEST = 2**24
"""The maximum number of bytes of a string; the longest is a chat template."""

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The formats of the types of metadata."""
_STRING, _ARRAY = 8, 9
_LENGTH = struct.Struct("<Q")
_ARCHITECTURE = re.compile(r"[a-z0-9_.-]{1,64}")
_QUANTIZED = {
    2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210), 0: ("F32", 1, 4), 1: ("F16", 1, 2), 30: ("BF16", 1, 2),
}  # fmt: skip
"""Types of tensors: the name, and the values and bytes of a block."""
_UNBOUNDED = ("context_length", "rope.", "attention.sliding_window", "general.")
"""The beginnings of keys with numbers that no tensor has as its size."""


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor in the file."""

    dtype: str
    """The tensor's type, such as Q4_K; a number for types that transformers does not read."""
    shape: tuple[int, ...]
    """The tensor's size in each dimension, the fastest last as in torch."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says about itself."""

    architecture: str
    """The architecture, such as llama."""
    tensors: Mapping[str, GgufTensor]
    """The tensors by name."""


_OTHERS = {"t5": "T5ForConditionalGeneration", "t5encoder": "T5EncoderModel"}


def gguf_architecture(architecture: str) -> str:
    """Return the name of a class for ``architecture``, whose ending shows the kind of the model.

    Except T5, all architectures that transformers reads from GGUF files are causal language models.
    """
    return _OTHERS.get(architecture, f"{architecture}ForCausalLM")


@functools.lru_cache(maxsize=16)
def _read(file: Path, _size: int, _changed: int) -> GgufHeader:
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _Header(content).read()


def gguf_header(name: str, file: Path) -> GgufHeader:
    """Return the header of ``file``, the model ``name``.

    Raises ModelError if the file is damaged, or if its numbers do not fit its size.
    """
    try:
        status = file.stat()
        return _read(file, status.st_size, status.st_mtime_ns)
    except (OSError, ValueError, struct.error, LookupError, OverflowError) as e:
        raise ModelError(
            f"{name}: {file} is damaged or not a GGUF file of version 2 or 3 ({str(e)[:100]})",
            remedy="download the file again, or choose a different model",
        ) from None


class _Header:
    """A reader that checks each number against the size of the file."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content, self.at, self.elements = content, 0, 0

    def read(self) -> GgufHeader:
        if self._take(4) != b"GGUF" or self._number("I") not in (2, 3):
            raise ValueError("it does not begin as one")
        tensors, keys = self._number("Q"), self._number("Q")
        if keys > MOST_KEYS or tensors > MOST_TENSORS:
            raise ValueError(f"it announces {keys} keys and {tensors} tensors")
        metadata = dict(self._entry() for _ in range(keys))
        architecture = metadata.get("general.architecture")
        if not isinstance(architecture, str) or not _ARCHITECTURE.fullmatch(architecture):
            raise ValueError("it names no architecture")
        places = [self._tensor() for _ in range(tensors)]
        if len({name for name, *_ in places}) < len(places):
            raise ValueError("two tensors have the same name")
        _check_sizes(metadata, architecture, [tensor for _, tensor, *_ in places])
        self._check_places(metadata, [(start, size) for *_, start, size in places])
        return GgufHeader(architecture, {name: tensor for name, tensor, *_ in places})

    def _take(self, count: int) -> bytes:
        if count > len(self.content) - self.at:
            raise ValueError("it is cut off")
        taken = self.content[self.at : self.at + count]
        self.at += count
        return taken

    def _number(self, form: str) -> Any:
        form = f"<{form}"
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _text(self) -> str:
        length = self._number("Q")
        if length > LONGEST:
            raise ValueError(f"it has a text of {length} bytes")
        return self._take(length).decode("utf-8", "replace")

    def _entry(self) -> tuple[str, Any]:
        return self._text(), self._value(self._number("I"))

    def _value(self, kind: int) -> Any:
        """Return a number or a text; of an array, return its length."""
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY:
            return self._number(_NUMBERS[kind])
        inner, count = self._number("I"), self._number("Q")
        self.elements += count
        if self.elements > MOST_ELEMENTS:
            raise ValueError(f"its arrays have {self.elements} elements")
        if inner == _STRING:
            self._skip_texts(count)
        else:
            self._skip(count * struct.calcsize(f"<{_NUMBERS[inner]}"))
        return [count]

    def _skip_texts(self, count: int) -> None:
        """Skip texts; a file may have millions, so their lengths are read without a call for each."""
        unpack, content, at, last = _LENGTH.unpack_from, self.content, self.at, len(self.content) - 8
        for _ in range(count):
            if at > last:
                raise ValueError("it is cut off")
            at += 8 + unpack(content, at)[0]
        self._skip(at - self.at)

    def _skip(self, count: int) -> None:
        if count > len(self.content) - self.at:
            raise ValueError("it is cut off")
        self.at += count

    def _tensor(self) -> tuple[str, GgufTensor, int, int]:
        """Return a tensor's name, type and shape, the place of its data, and the number of bytes."""
        name, dimensions = self._text(), self._number("I")
        if not 1 <= dimensions <= MOST_DIMENSIONS:
            raise ValueError(f"a tensor has {dimensions} dimensions")
        shape = tuple(self._number("Q") for _ in range(dimensions))[::-1]
        if min(shape) < 1:
            raise ValueError("a tensor is empty")
        kind, start = self._number("I"), self._number("Q")
        if kind > MOST_TYPES:
            raise ValueError(f"a tensor has the type {kind}")
        label, values, size = _QUANTIZED.get(kind, (str(kind), 8, 1))  # no type has less than a bit per value
        return name, GgufTensor(label, shape), start, -(-math.prod(shape) // values) * size

    def _check_places(self, metadata: Mapping[str, Any], places: list[tuple[int, int]]) -> None:
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 1 <= alignment <= 2**20:
            raise ValueError(f"its alignment is {alignment!r:.30}")
        begin = -(-self.at // alignment) * alignment
        if any(begin + start + size > len(self.content) for start, size in places):
            raise ValueError("it ends before its tensors do")


def _check_sizes(metadata: Mapping[str, Any], architecture: str, tensors: list[GgufTensor]) -> None:
    """Raise ValueError for a size of the model, such as its number of layers, that no tensor can have."""
    largest = max([len(tensors), *(size for tensor in tensors for size in tensor.shape)])
    for key, value in metadata.items():
        short = key.removeprefix(f"{architecture}.")
        if short == key or short.startswith(_UNBOUNDED) or not isinstance(value, int):
            continue
        if value < 0:
            raise ValueError(f"{key} is {value}")
        if value > largest:
            raise ValueError(f"{key} is {value}, which is more than its tensors have")
    for short, most in (("block_count", len(tensors)), ("context_length", LONGEST_CONTEXT)):
        value = metadata.get(f"{architecture}.{short}", 1)
        if not isinstance(value, int) or not 1 <= value <= most:
            raise ValueError(f"its {short} is {value!r:.40}, not 1 to {most}")
