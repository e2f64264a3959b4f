"""The tensors of a model's safetensors files, as the heads of the files list them; no weights are read."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.models.sources import ModelSource

__all__ = ["Tensor", "parameters", "tensors"]

MAX_HEAD = 100_000_000
"""The most bytes of a head, as safetensors itself has it."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in a file."""

    dtype: str
    """Its type as safetensors names it, such as F32."""
    shape: tuple[int, ...]
    """Its size in each dimension."""


def parameters(source: ModelSource) -> int | None:
    """The number of weights in the files of ``source``; None for a model behind a server.

    Raises ModelError if a file is damaged.
    """
    if source.folder is None:
        return None
    return sum(math.prod(tensor.shape) for tensor in tensors(source.name, source.folder).values())


def tensors(name: str, folder: Path) -> dict[str, Tensor]:
    """The tensors in the safetensors files of ``folder``, by their names; raises ModelError for ``name``."""
    found: dict[str, Tensor] = {}
    for file in sorted(folder.glob("*.safetensors")):
        try:
            head = _head(file)
            found |= {key: Tensor(str(t["dtype"]), tuple(map(int, t["shape"]))) for key, t in head.items()}
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise ModelError(
                f"{name}: the head of {file} cannot be read: the file is damaged, or not of safetensors",
                remedy="download or save the model again",
            ) from None
    return found


def _head(file: Path) -> dict[str, Any]:
    """The JSON at the beginning of ``file``, behind eight bytes with its length."""
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        if size > MAX_HEAD:
            raise ValueError("longer than safetensors allows")
        head = json.loads(stream.read(size))
    head.pop("__metadata__", None)
    return dict(head)
