"""The readings of a model with each of many triggers, in large batches, without tokenising texts again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nextset.extensions.interventions.triggers.searched_model import SearchedModel
from nextset.extensions.interventions.triggers.trigger_inputs import TriggerInputs
from nextset.scoring.batches import check_finite, in_batches

if TYPE_CHECKING:
    import torch

__all__ = ["candidate_readings"]


def candidate_readings(
    model: SearchedModel, inputs: TriggerInputs, triggers: torch.Tensor, columns: int
) -> torch.Tensor:
    """Return the readings of ``inputs`` with each of ``triggers``.

    The result is float64, shape (triggers, inputs, ``columns``). ``triggers`` has the shape (triggers,
    tokens). Raises ModelError if readings are not finite, or if there is not enough memory for one input.
    """
    import torch

    n, loaded = len(inputs.lengths), model.loaded

    def run(rows: list[int]) -> Any:
        width = max(inputs.lengths[row % n] for row in rows)
        pairs = torch.tensor(rows, device=loaded.device)
        at = pairs % n
        with torch.inference_mode():
            read = inputs.model_inputs(loaded, at, triggers[pairs // n], width)
            batch_readings = model.readings(read, inputs.asked[at]).cpu().numpy()
        check_finite(loaded, batch_readings)
        return batch_readings

    readings = in_batches(inputs.lengths * len(triggers), columns, model.budget, run, loaded.name)
    return torch.from_numpy(readings).view(len(triggers), n, columns).to(loaded.device)
