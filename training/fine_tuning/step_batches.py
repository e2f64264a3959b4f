"""The batches of a training in order, in equal parts for processes and for passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.utils.data import Dataset

from nextset.records.content_ids import content_id
from nextset.training.fine_tuning.task_examples import Inputs, TaskExamples

__all__ = ["SHARE", "StepBatches", "only_item"]

SHARE = "share"
"""The name of the tensor with the factor for the sum of a part's losses."""


@dataclass(frozen=True)
class StepBatches(Dataset[Inputs]):
    """Batches whose item i is part i % parts of step i // parts; its content depends only on the seed and i.

    So a resumed training reads the same batches and masks as a training that was not stopped, and several
    processes together read the same as one process.
    """

    examples: TaskExamples
    plan: Sequence[Sequence[int]]
    """The rows of each step."""
    parts: int
    """The parts of a step, over all processes."""
    seed: int
    """The seed of the random choices in a step."""

    def __len__(self) -> int:
        return len(self.plan) * self.parts

    def __getitem__(self, item: int) -> Inputs:
        step, part = divmod(item, self.parts)
        drawn = int(content_id("training", str(self.seed), str(step))[:15], 16)
        whole = self.examples.inputs(self.plan[step], torch.Generator().manual_seed(drawn))
        units = self.examples.units(whole)
        rows = range(part, len(self.plan[step]), self.parts)
        places = torch.tensor([*rows] or [0])
        inputs = {name: tensor[places] for name, tensor in whole.items()}
        # The Trainer takes the mean over parts, but the gradient must be that of the mean over units.
        share = self.parts / units if rows else 0.0
        return inputs | {SHARE: torch.tensor([share])}


def only_item(items: Sequence[Inputs]) -> Inputs:
    """Return the only one of ``items``, because the Trainer's batch is one item."""
    (item,) = items
    return item
