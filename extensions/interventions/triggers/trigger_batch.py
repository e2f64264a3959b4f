"""Some rows with any trigger: their loss, its gradient, and whether a trigger is read as searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nextset.extensions.interventions.triggers.searched_model import BatchRows, EncodedRows, SearchedModel
from nextset.extensions.interventions.triggers.trigger_inputs import (
    TriggerInputs,
    inputs_without,
    reads_as,
    trigger_inputs,
)
from nextset.extensions.interventions.triggers.trigger_place import TriggerPlace
from nextset.extensions.interventions.triggers.trigger_readings import candidate_readings, embedding_gradient
from nextset.extensions.interventions.triggers.trigger_vocabulary import Trigger, TriggerVocabulary

if TYPE_CHECKING:
    import torch

__all__ = ["Fillers", "TriggerBatch", "loss_without"]

Fillers = tuple[Trigger, Trigger]
"""Two triggers that differ in every position; the texts are tokenised with them."""


@dataclass(frozen=True)
class TriggerBatch:
    """Rows as inputs of a model, with exchangeable tokens of the trigger."""

    model: SearchedModel
    place: TriggerPlace
    vocabulary: TriggerVocabulary
    """The tokens of triggers."""
    rows: BatchRows
    """The rows, without a trigger."""
    encoded: EncodedRows
    """The rows with the first filler."""
    inputs: TriggerInputs
    """The encoded rows as tensors."""

    @classmethod
    def of(
        cls,
        model: SearchedModel,
        place: TriggerPlace,
        vocabulary: TriggerVocabulary,
        rows: BatchRows,
        fillers: Fillers,
    ) -> TriggerBatch | None:
        """Return the batch of ``rows``; None if the tokenizer changes tokens of the ``fillers`` somewhere.

        Raises ModelError as `searched_model.SearchedModel.encoded` does.
        """
        one, other = (model.encoded(_with(place, rows, vocabulary.text(filler))) for filler in fillers)
        inputs = trigger_inputs(model.loaded, one, other, fillers)
        return None if inputs is None else cls(model, place, vocabulary, rows, one, inputs)

    def losses(self, triggers: Sequence[Trigger]) -> list[float]:
        """Return the loss of the rows with each of ``triggers``."""
        import torch

        tokens = torch.tensor(triggers, device=self.model.loaded.device)
        readings = candidate_readings(self.model, self.inputs, tokens, self.encoded.columns)
        trigger_losses: list[float] = self.encoded.loss(readings).tolist()
        return trigger_losses

    def gradient(self, trigger: Trigger) -> Slope:
        """Return the loss with ``trigger`` and its gradient by the embeddings; raises ModelError."""
        import torch

        tokens = torch.tensor(trigger, device=self.model.loaded.device)
        readings = candidate_readings(self.model, self.inputs, tokens[None], self.encoded.columns)[0]
        readings.requires_grad_()
        loss = self.encoded.loss(readings)
        (weights,) = torch.autograd.grad(loss, readings)
        return Slope(loss.item(), embedding_gradient(self.model, self.inputs, tokens, weights))

    def reads(self, trigger: Trigger) -> bool:
        """Return whether the text of ``trigger`` is read in all rows as its tokens."""
        read = self.model.encoded(_with(self.place, self.rows, self.vocabulary.text(trigger)))
        return reads_as(self.encoded.inputs, self.inputs.places, trigger, read)


@dataclass(frozen=True)
class Slope:
    """The loss of a trigger, and its gradient by the embeddings."""

    loss: float
    gradient: torch.Tensor
    """The gradient, shape (tokens of the trigger, embedding size), float64."""


def loss_without(model: SearchedModel, rows: BatchRows) -> float:
    """Return the loss of ``rows`` without a trigger; raises ModelError."""
    import torch

    encoded = model.encoded(rows)
    inputs = inputs_without(model.loaded, encoded)
    none = torch.zeros((1, 0), dtype=torch.int64, device=model.loaded.device)
    return float(encoded.loss(candidate_readings(model, inputs, none, encoded.columns))[0])


def _with(place: TriggerPlace, rows: BatchRows, text: str) -> BatchRows:
    return BatchRows(place.added(rows.compared, text), place.added(rows.known, text))
