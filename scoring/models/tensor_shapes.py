"""The tensors of a model's safetensors files, from the headers of the files; weights are not read."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.models.gguf_header import gguf_header
from nextset.scoring.models.sources import ModelSource

__all__ = ["Tensor", "parameters", "tensors"]

MAX_HEAD = 100_000_000
"""The maximum number of bytes of a header, the same as in safetensors itself."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in a file."""

    dtype: str
    """The tensor's type by its name in safetensors or GGUF, such as F32."""
    shape: tuple[int, ...]
    """The tensor's size in each dimension."""


def parameters(source: ModelSource) -> int | None:
    """Return the number of weights in the files of ``source``; None for a model behind a server.

    Raises ModelError if a file is damaged.
    """
    if source.folder is None:
        return None
    return sum(math.prod(tensor.shape) for tensor in tensors(source).values())


def tensors(source: ModelSource) -> dict[str, Tensor]:
    """Return the tensors in the files of ``source`` by name, without its adapter; raises ModelError."""
    name, folder = source.name, source.folder
    assert folder is not None
    if source.gguf:
        header = gguf_header(name, folder / source.gguf)
        return {key: Tensor(one.dtype, one.shape) for key, one in header.tensors.items()}
    by_name: dict[str, Tensor] = {}
    for file in sorted(folder.glob("*.safetensors")):
        try:
            head = _head(file)
            by_name |= {key: Tensor(str(t["dtype"]), tuple(map(int, t["shape"]))) for key, t in head.items()}
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise ModelError(
                f"{name}: the header of {file} cannot be read; it is damaged or not a safetensors file",
                remedy="download or save the model again",
            ) from None
    return by_name


def _head(file: Path) -> dict[str, Any]:
    """Return the JSON header of ``file``, which follows eight bytes with its length."""
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        if size > MAX_HEAD:
            raise ValueError("longer than safetensors allows")
        head = json.loads(stream.read(size))
    head.pop("__metadata__", None)
    return dict(head)
