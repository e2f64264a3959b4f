"""AdamW with a learning rate that rises and falls linearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Optimisation", "parameter_groups", "rate_share"]


@dataclass(frozen=True)
class Optimisation:
    """The settings of the optimiser for ``steps`` steps."""

    steps: int
    rate: float
    """The highest learning rate."""
    warm_up: float
    """The share of the steps with a rising rate."""

    def prepared(self, groups: Sequence[Any]) -> tuple[Any, Any]:
        """Return AdamW for ``groups`` of parameters, and its rates; the default weight decay is 0.01."""
        import torch

        optimiser = torch.optim.AdamW(list(groups), lr=self.rate, weight_decay=0.01)
        warm = max(1, int(self.warm_up * self.steps))
        rates = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: rate_share(s, warm, self.steps))
        return optimiser, rates


def rate_share(step: int, warm: int, steps: int) -> float:
    """Return the learning rate of a step (from 0) as a share of the highest; it rises for ``warm`` steps."""
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


def parameter_groups(model: Any, weight_decay: float) -> list[dict[str, Any]]:
    """Return the trained parameters of ``model`` in two groups: biases and normalizations have no decay."""
    trained = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in trained if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
    ]
