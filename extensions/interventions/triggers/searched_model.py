"""The interface of a model to a search: rows with a trigger as inputs, and their readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from nextset.extensions.interventions.triggers.trigger_place import Around
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import Loaded

if TYPE_CHECKING:
    import torch

__all__ = ["BatchRows", "EncodedInput", "EncodedRows", "SearchedModel"]


@dataclass(frozen=True)
class BatchRows:
    """The rows of a loss."""

    compared: pa.Table
    """Quads or masked statements, or NLI items in sets that differ only by the group."""
    known: pa.Table
    """Rows whose answers are known: specified twins, or test items; may be empty."""


@dataclass(frozen=True, slots=True)
class EncodedInput:
    """An input as the model reads it."""

    ids: tuple[int, ...]
    """The tokens of the input, including special ones."""
    types: tuple[int, ...]
    """The segment of each token."""
    asked: tuple[int, ...]
    """The parts of the model's output that are read, the same number for each input of a batch."""


@dataclass(frozen=True)
class EncodedRows:
    """Rows as inputs of a model."""

    inputs: tuple[EncodedInput, ...]
    """The inputs; their order depends only on the rows."""
    columns: int
    """The number of values that are read per input."""
    loss: Callable[[torch.Tensor], torch.Tensor]
    """The loss of the rows, shape (…), as a function of readings, shape (…, inputs, columns)."""


class SearchedModel(Protocol):
    """A loaded model of one kind."""

    @property
    def loaded(self) -> Loaded:
        """Model, tokenizer and device."""
        ...

    @property
    def budget(self) -> Budget:
        """The tokens per batch."""
        ...

    def around(self, rows: pa.Table) -> Around:
        """Return the text with the mark of a trigger in the first of ``rows``, as the tokenizer reads it."""
        ...

    def encoded(self, rows: BatchRows) -> EncodedRows:
        """Return ``rows`` as inputs; raises ModelError as scorers do."""
        ...

    def readings(self, inputs: Mapping[str, torch.Tensor], asked: torch.Tensor) -> torch.Tensor:
        """Return log probabilities in float64, shape (inputs, columns); ``asked`` is from the inputs."""
        ...
