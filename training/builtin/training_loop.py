"""The training loop: batches of similar length, AdamW, a learning rate that rises and falls linearly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Encoding
from transformers import PreTrainedModel

__all__ = ["BATCH", "Batch", "batches", "optimise", "seeded"]

BATCH = 64
"""Examples per step."""
WARM_UP = 0.1
"""The share of the steps during which the learning rate rises."""


@dataclass(frozen=True)
class Batch:
    """Some examples, padded to the longest of them."""

    rows: list[int]
    """Their places among the examples."""
    inputs: dict[str, torch.Tensor]
    """The model's inputs."""


def seeded(seed: int) -> None:
    """One thread, fixed order of all sums, and this seed: the same bytes every time on one machine."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.manual_seed(seed)


def batches(encodings: Sequence[Encoding], steps: int, seed: int, *, segments: bool) -> Iterator[Batch]:
    """``steps`` batches; each holds examples of similar length, and their order is random."""
    rng = random.Random(seed)
    done = 0
    while True:
        order = list(range(len(encodings)))
        rng.shuffle(order)
        order.sort(key=lambda i: len(encodings[i].ids) // 4)
        chunks = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
        rng.shuffle(chunks)
        for rows in chunks:
            if done == steps:
                return
            done += 1
            yield Batch(rows, _padded([encodings[i] for i in rows], segments=segments))


def _padded(chosen: Sequence[Encoding], *, segments: bool) -> dict[str, torch.Tensor]:
    width = max(len(e.ids) for e in chosen)

    def column(rows: Sequence[list[int]]) -> torch.Tensor:
        return torch.tensor([r + [0] * (width - len(r)) for r in rows])

    inputs = {
        "input_ids": column([e.ids for e in chosen]),
        "attention_mask": column([e.attention_mask for e in chosen]),
    }
    return inputs | ({"token_type_ids": column([e.type_ids for e in chosen])} if segments else {})


def optimise(
    model: PreTrainedModel,
    loss_of: Callable[[Batch], torch.Tensor],
    data: Iterator[Batch],
    *,
    steps: int,
    rate: float,
) -> None:
    """Train ``model`` on ``data`` and leave it in evaluation mode."""
    model.train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    warm = max(1, int(WARM_UP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min((s + 1) / warm, (steps - s) / max(1, steps - warm))
    )
    for batch in data:
        loss = loss_of(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    model.eval()  # type: ignore[no-untyped-call]
