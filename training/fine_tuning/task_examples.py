"""The protocol of a task's training examples: inputs for some rows, and their loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch

__all__ = ["Inputs", "TaskExamples"]

Inputs = dict[str, "torch.Tensor"]
"""Tensors by name, each with one row per example."""


class TaskExamples(Protocol):
    """The examples that a model is trained on."""

    @property
    def lengths(self) -> Sequence[int]:
        """The number of tokens of each row."""

    @property
    def left_out(self) -> Mapping[str, int]:
        """The number of examples that are not among the rows, by reason."""

    def inputs(self, rows: Sequence[int], draws: torch.Generator) -> Inputs:
        """Return the inputs and the targets of ``rows``, padded; random choices come from ``draws``."""

    def units(self, inputs: Inputs) -> int:
        """Return the number of losses that `loss` adds up for ``inputs``."""

    def loss(self, model: Any, inputs: Inputs) -> torch.Tensor:
        """Return the sum of the losses of ``inputs``, a scalar with gradients."""
