"""The recipe of the built-in models: 64 examples per step, AdamW, a rate that rises and falls linearly."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Encoding
from torch.utils.data import Dataset
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from makers.builtin_models.vocabulary import MAX_LENGTH
from nextset.scoring.batches import padded
from nextset.scoring.models.loading import Loaded
from nextset.training.fine_tuning.batch_plan import planned_batches
from nextset.training.fine_tuning.optimisation import Optimisation
from nextset.training.fine_tuning.planned_trainer import PlannedTrainer

__all__ = ["BATCH", "ROWS", "optimise", "text_batches"]

BATCH = 64
"""Examples per step."""
WARM_UP = 0.1
"""The share of the steps during which the learning rate rises."""
ROWS = "rows"
"""The name of the tensor with the places of a batch's examples."""


@dataclass(frozen=True)
class _TextBatches(Dataset[dict[str, torch.Tensor]]):
    """One batch per step, padded to its longest example."""

    loaded: Loaded
    encodings: Sequence[Encoding]
    plan: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, torch.Tensor]:
        rows = self.plan[step]
        return {**padded(self.loaded, [self.encodings[i] for i in rows]), ROWS: torch.tensor(rows)}


def text_batches(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    encodings: Sequence[Encoding],
    steps: int,
    seed: int,
) -> Dataset[dict[str, torch.Tensor]]:
    """Return ``steps`` batches of ``encodings`` with similar lengths, in an order by ``seed``."""
    loaded = Loaded("", model, tokenizer, torch.device("cpu"), MAX_LENGTH)
    plan = planned_batches([len(e.ids) for e in encodings], BATCH, steps, seed)
    return _TextBatches(loaded, encodings, plan)


def optimise(
    model: PreTrainedModel,
    loss: Callable[[Any, dict[str, torch.Tensor]], torch.Tensor],
    batches: Dataset[dict[str, torch.Tensor]],
    *,
    steps: int,
    rate: float,
) -> None:
    """Train ``model`` on ``batches`` and leave it in evaluation mode; all weights decay by 0.01."""
    groups = [p for p in model.parameters() if p.requires_grad]
    with tempfile.TemporaryDirectory() as scratch:
        trainer = PlannedTrainer(
            model, batches, loss, Optimisation(steps, rate, WARM_UP), groups, scratch=Path(scratch)
        )
        trainer.resume_or_train()
