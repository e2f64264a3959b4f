"""What a search needs of a model: rows as its inputs, with a trigger, and what it says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from nextset.generation.triggers.trigger_place import Around
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import Loaded

if TYPE_CHECKING:
    import torch

__all__ = ["BatchRows", "EncodedInput", "EncodedRows", "SearchedModel"]


@dataclass(frozen=True)
class BatchRows:
    """Rows that a loss is computed of."""

    compared: pa.Table
    """Quads or masked statements, or NLI items in sets that differ only by the group."""
    known: pa.Table
    """Rows whose answers are known: specified twins, or test items; may be empty."""


@dataclass(frozen=True, slots=True)
class EncodedInput:
    """An input as the model reads it."""

    ids: tuple[int, ...]
    """Its tokens, special ones among them."""
    types: tuple[int, ...]
    """The segment of each token."""
    asked: tuple[int, ...]
    """What is read of the model's output for it, as many numbers for each input of a batch."""


@dataclass(frozen=True)
class EncodedRows:
    """Rows as inputs of a model."""

    inputs: tuple[EncodedInput, ...]
    """The inputs; their order depends on the rows alone."""
    columns: int
    """The numbers that are read of each."""
    loss: Callable[[torch.Tensor], torch.Tensor]
    """From readings, shape (…, inputs, columns), the loss of the rows, shape (…)."""


class SearchedModel(Protocol):
    """A loaded model of one kind."""

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        ...

    @property
    def budget(self) -> Budget:
        """Tokens a batch."""
        ...

    def around(self, rows: pa.Table) -> Around:
        """The text that holds the mark of a trigger in the first of ``rows``, as the tokenizer reads it."""
        ...

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """``rows`` as inputs; raises ModelError as scorers do."""
        ...

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Log probabilities in float64, shape (inputs, columns); ``asked`` is that of the inputs."""
        ...
