"""The readings of a model with many triggers, and the gradient by the embeddings of a trigger's tokens.

Texts are not tokenised again. For the gradient, the tokens of the trigger are looked up under numbers beyond
the vocabulary. This distinguishes them from the same tokens elsewhere in a text, also if a decoder reads the
text again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError
from nextset.extensions.interventions.triggers.searched_model import SearchedModel
from nextset.extensions.interventions.triggers.trigger_inputs import TriggerInputs
from nextset.scoring.batches import Budget, check_finite, in_batches

if TYPE_CHECKING:
    import torch

__all__ = ["candidate_readings", "embedding_gradient"]


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


SHARE = 3
"""A backward pass takes about this many times the memory of a forward pass."""


def embedding_gradient(
    model: SearchedModel, inputs: TriggerInputs, trigger: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Return the gradient by the embedding of each token of ``trigger``, shape (tokens, embedding size).

    ``weights`` has the gradient of the loss by each reading of ``inputs``, shape (inputs, columns). The
    inputs are read in batches. Raises ModelError if the model does not look up its tokens in its embeddings,
    or if a gradient is not finite.
    """
    import numpy as np
    import torch

    loaded = model.loaded
    loaded.model.requires_grad_(requires_grad=False)
    table = loaded.model.get_input_embeddings().weight
    total = torch.zeros(len(trigger), table.shape[1], device=loaded.device, dtype=torch.float64)
    marks = torch.arange(len(trigger), device=loaded.device) + table.shape[0]

    def run(rows: list[int]) -> Any:
        at = torch.tensor(rows, device=loaded.device)
        width = max(inputs.lengths[row] for row in rows)
        shifts = torch.zeros(len(trigger), table.shape[1], device=loaded.device, requires_grad=True)
        read = inputs.model_inputs(loaded, at, marks.expand(len(rows), -1), width)
        with torch.enable_grad(), _marked(loaded.model, trigger, shifts):
            (model.readings(read, inputs.asked[at]) * weights[at]).sum().backward()  # type: ignore[no-untyped-call]
        if shifts.grad is None:
            raise ModelError(
                f"{loaded.name} does not look up its tokens in its embeddings, so it gives no gradient",
                remedy="choose a different model",
            )
        total.add_(shifts.grad)
        return np.zeros((len(rows), 1))

    budget = Budget(max(1, model.budget.tokens // SHARE))
    in_batches(inputs.lengths, 1, budget, run, loaded.name)
    if not torch.isfinite(total).all():
        raise ModelError(
            f"{loaded.name} gives gradients that are not finite", remedy="choose a different model"
        )
    return total


@contextmanager
def _marked(model: Any, trigger: torch.Tensor, shifts: torch.Tensor) -> Iterator[None]:
    """Make tokens beyond the vocabulary stand for the trigger's, with shifts added to their embeddings."""
    import torch

    table = model.get_input_embeddings().weight
    looked_up: dict[Any, torch.Tensor] = {}

    def before(module: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        ids = arguments[0]
        looked_up[module] = ids
        known = ids.where(ids < len(table), 0)
        return (known.where(ids < len(table), trigger[_number(ids)]), *arguments[1:])

    def after(module: Any, arguments: tuple[Any, ...], output: torch.Tensor) -> torch.Tensor:
        ids = looked_up.pop(module)
        return output + shifts[_number(ids)] * (ids >= len(table))[..., None]

    def _number(ids: torch.Tensor) -> torch.Tensor:
        return (ids - len(table)).clamp(0, len(trigger) - 1)

    same = [m for m in model.modules() if isinstance(m, torch.nn.Embedding) and m.weight is table]
    hooks = [h for m in same for h in (m.register_forward_pre_hook(before), m.register_forward_hook(after))]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
