"""Inputs of a model with exchangeable tokens of the trigger: rows are tokenised once for all triggers.

The position of the trigger is found without knowledge of the tokenizer: the same rows are read with two
triggers that have no token in common, and the inputs differ only where the trigger is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nextset.errors import ModelError
from nextset.extensions.interventions.triggers.searched_model import EncodedInput, EncodedRows
from nextset.extensions.interventions.triggers.trigger_vocabulary import Trigger
from nextset.scoring.models.loading import Loaded

if TYPE_CHECKING:
    import torch

__all__ = ["TriggerInputs", "inputs_without", "reads_as", "trigger_inputs"]


@dataclass(frozen=True)
class TriggerInputs:
    """Inputs of a model, padded on the right to the longest one."""

    ids: torch.Tensor
    """The tokens of the inputs, shape (inputs, tokens)."""
    types: torch.Tensor
    """The segments of the tokens, in the same shape."""
    lengths: tuple[int, ...]
    """The number of tokens of each input."""
    places: torch.Tensor
    """The positions of the trigger's tokens, shape (inputs, tokens of the trigger)."""
    asked: torch.Tensor
    """The parts of the output that are read per input, shape (inputs, numbers)."""

    def model_inputs(
        self, loaded: Loaded, at: torch.Tensor, triggers: torch.Tensor, width: int
    ) -> dict[str, torch.Tensor]:
        """Return the inputs ``at``, shape (n,), each with a trigger, shape (n, tokens of the trigger).

        They have ``width`` tokens, the number of tokens of the longest one.
        """
        import torch

        ids = self.ids[at, :width].scatter(1, self.places[at], triggers)
        lengths = torch.tensor(self.lengths, device=ids.device)[at]
        mask = (torch.arange(width, device=ids.device) < lengths[:, None]).to(ids.dtype)
        inputs = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in loaded.tokenizer.model_input_names:
            inputs["token_type_ids"] = self.types[at, :width]
        return inputs


def trigger_inputs(
    loaded: Loaded, one: EncodedRows, other: EncodedRows, fillers: tuple[Trigger, Trigger]
) -> TriggerInputs | None:
    """Return the inputs of rows that were encoded with two different triggers, ``one`` and ``other``.

    ``fillers`` are the tokens of the two triggers, which differ in every position. None if the tokenizer does
    not read one of the triggers as its tokens everywhere. Raises ModelError if a trigger was cut off with the
    end of its context.
    """
    places = []
    for a, b in zip(one.inputs, other.inputs, strict=True):
        if len(a.ids) != len(b.ids):
            return None
        there = np.flatnonzero(np.array(a.ids) != np.array(b.ids))
        if not len(there):
            raise ModelError(
                f"{loaded.name}: a context is too long, so its end was cut off, with the trigger in it",
                remedy="set interventions.places: [before_context], or choose a model for longer texts",
            )
        if tuple(tuple(e.ids[i] for i in there) for e in (a, b)) != fillers:
            return None
        places.append(there.tolist())
    return _tensors(loaded, one, places)


def inputs_without(loaded: Loaded, encoded: EncodedRows) -> TriggerInputs:
    """Return the inputs of rows that were encoded without a trigger."""
    return _tensors(loaded, encoded, [[]] * len(encoded.inputs))


def _tensors(loaded: Loaded, encoded: EncodedRows, places: Sequence[Sequence[int]]) -> TriggerInputs:
    import torch

    pad = getattr(loaded.model.config, "pad_token_id", None) or 0
    ids = _padded([e.ids for e in encoded.inputs], pad)
    types = _padded([e.types for e in encoded.inputs], loaded.tokenizer.pad_token_type_id)
    there = torch.tensor(places, dtype=torch.int64).view(len(ids), -1 if places[0] else 0)
    asked = torch.tensor([e.asked for e in encoded.inputs], dtype=torch.int64)
    lengths = tuple(len(e.ids) for e in encoded.inputs)
    device = loaded.device
    return TriggerInputs(ids.to(device), types.to(device), lengths, there.to(device), asked.to(device))


def reads_as(
    searched: Sequence[EncodedInput], places: torch.Tensor, trigger: Trigger, read: EncodedRows
) -> bool:
    """Return whether rows ``read`` with the text of ``trigger`` equal the inputs with its tokens.

    ``searched`` are the inputs with a different trigger in its ``places``, shape (inputs, tokens of the
    trigger).
    """
    for old, new, there in zip(searched, read.inputs, places.tolist(), strict=True):
        ids = list(old.ids)
        for place, token in zip(there, trigger, strict=True):
            ids[place] = token
        if tuple(ids) != new.ids:
            return False
    return True


def _padded(rows: Sequence[Sequence[int]], by: int) -> torch.Tensor:
    import torch

    width = max(map(len, rows))
    return torch.tensor([[*row, *[by] * (width - len(row))] for row in rows])
