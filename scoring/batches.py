"""Batches by token budget: rows sorted by length; the budget is halved when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.scorer_protocol import Numbers

if TYPE_CHECKING:
    import torch

    from nextset.scoring.models.loading import Loaded

__all__ = ["Budget", "budget_of", "check_finite", "in_batches", "padded", "planned"]

CPU_TOKENS = 1024
"""The budget on a CPU, in tokens; larger batches do not fit into its caches."""
GPU_TOKENS = 131_072
"""The maximum budget on a GPU, in tokens; larger batches do not use it better."""
MEMORY_SHARE = 0.6
"""The share of a GPU's free memory that one batch may take."""
REFUSALS = ("can't allocate memory", "not enough memory", "could not create a", "could not execute a")
"""Parts of the messages of torch's CPU allocators, and of oneDNN, which does not name the reason."""


@dataclass
class Budget:
    """The maximum number of tokens of a batch, padding included; reduced when memory runs out."""

    tokens: int


def budget_of(loaded: Loaded, probe: Callable[[int], None]) -> Budget:
    """Return the budget of a model; on a GPU it depends on the memory that a call of ``probe`` takes."""
    import torch

    if loaded.device.type != "cuda":
        return Budget(CPU_TOKENS)
    tokens = 4096
    torch.cuda.empty_cache()  # memory that another model left counts as free
    torch.cuda.synchronize(loaded.device)
    before = torch.cuda.memory_allocated(loaded.device)
    torch.cuda.reset_peak_memory_stats(loaded.device)
    probe(tokens)
    a_token = max(1, torch.cuda.max_memory_allocated(loaded.device) - before) / tokens
    free, _ = torch.cuda.mem_get_info(loaded.device)
    return Budget(int(min(GPU_TOKENS, max(tokens, MEMORY_SHARE * free / a_token))))


def planned(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Yield the rows in batches, the long ones first, so that memory runs out at once or not at all.

    A batch has at most ``tokens`` tokens, padding included, and at least one row. If it is more than half
    full, it ends where the length changes, because rows of the same length need no padding.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").tolist()
    batch: list[int] = []
    longest = 0
    for row in order:
        grown = (len(batch) + 1) * longest
        if batch and (grown > tokens or (2 * grown > tokens and lengths[row] != lengths[batch[-1]])):
            yield batch
            batch = []
        if not batch:
            longest = lengths[row]
        batch.append(row)
    if batch:
        yield batch


def in_batches(
    lengths: Sequence[int], columns: int, budget: Budget, run: Callable[[list[int]], Numbers], model: str
) -> Numbers:
    """Return the numbers of all rows, shape (rows, columns); ``run`` is called with the rows of one batch.

    When memory runs out, the budget is halved permanently and the batch is split. Raises ModelError if there
    is too little memory for a single row.
    """
    numbers = np.empty((len(lengths), columns))
    waiting = list(planned(lengths, budget.tokens))[::-1]
    while waiting:
        rows = waiting.pop()
        try:
            numbers[rows] = run(rows)
        except (RuntimeError, MemoryError) as e:
            if not _out_of_memory(e):
                raise
            if len(rows) == 1:
                raise ModelError(
                    f"there is not enough memory for {model} to read a text of {lengths[rows[0]]} tokens",
                    remedy="use a machine with more memory, or a smaller model",
                ) from None
        else:
            continue
        _let_go()  # only here: until now the error kept everything that the model had computed in memory
        budget.tokens = min(budget.tokens, max(1, len(rows) * max(lengths[r] for r in rows) // 2))
        rest = [row for batch in (rows, *waiting[::-1]) for row in batch]
        again = planned([lengths[r] for r in rest], budget.tokens)
        waiting = [[rest[i] for i in batch] for batch in again][::-1]
    return numbers


def padded(loaded: Loaded, encodings: Sequence[Any]) -> dict[str, torch.Tensor]:
    """Return the model's input for some encodings, padded on the right to the longest of them."""
    import torch

    tokenizer = loaded.tokenizer
    # the model's own padding token, because a decoder finds the end of a text by it
    pad = getattr(loaded.model.config, "pad_token_id", None)
    width = max(len(e.ids) for e in encodings)
    names = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    fillers = {"input_ids": pad or 0, "attention_mask": 0}
    fillers["token_type_ids"] = tokenizer.pad_token_type_id
    inputs = {}
    for name in (
        "input_ids",
        "attention_mask",
        *(n for n in tokenizer.model_input_names if n == "token_type_ids"),
    ):
        rows = [getattr(e, names[name]) for e in encodings]
        filler = [fillers[name]]
        tensor = torch.tensor([row + filler * (width - len(row)) for row in rows])
        inputs[name] = tensor.to(loaded.device, non_blocking=True)
    return inputs


def check_finite(loaded: Loaded, numbers: Numbers) -> None:
    """Raise ModelError if ``numbers``, which the model computed, are not all finite."""
    if not np.isfinite(numbers).all():
        dtype = str(loaded.model.dtype).removeprefix("torch.")
        raise ModelError(
            f"{loaded.name} gives scores that are not finite (in {dtype})",
            remedy="download or copy the model's files again: the weights are damaged"
            if dtype == "float32"
            else "set scoring.precision: float32",
        )


def _out_of_memory(e: Exception) -> bool:
    """Return True if ``e`` reports full memory.

    torch reports a full GPU with a dedicated exception class, and full RAM only in the message.
    """
    import torch

    message = str(e)
    return isinstance(e, torch.OutOfMemoryError | MemoryError) or any(words in message for words in REFUSALS)


def _let_go() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
