"""The first and the last token of an answer, as an extractive reader predicts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.scoring.batches import Budget, budget_of, padded
from nextset.scoring.models.loading import Loaded

if TYPE_CHECKING:
    import torch

__all__ = ["Ends", "begins_with_cls", "context_tokens", "end_logits", "end_logs", "ends_of", "reader_budget"]


@dataclass(frozen=True)
class Ends:
    """The predicted ends of answers: log probabilities in float64, shape (questions, tokens)."""

    start: torch.Tensor
    """The log probability that a token is the first of an answer."""
    end: torch.Tensor
    """The log probability that a token is the last of an answer."""


def ends_of(loaded: Loaded, encodings: Sequence[Any]) -> Ends:
    """Return the model's answers to questions with their contexts, over all tokens except padding."""
    import torch

    with torch.inference_mode():
        return end_logs(loaded, padded(loaded, encodings))


def end_logs(loaded: Loaded, inputs: Mapping[str, torch.Tensor]) -> Ends:
    """Return the same as `ends_of` for tensors; torch records gradients unless the caller disables it."""
    import torch

    start, end = (torch.log_softmax(logits, -1) for logits in end_logits(loaded, inputs))
    return Ends(start, end)


def end_logits(loaded: Loaded, inputs: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits of first and last tokens in float64, shape (questions, tokens); −∞ for padding."""
    import torch

    padding = inputs["attention_mask"] == 0
    outputs = loaded.model(**inputs)
    start, end = (
        logits.double().masked_fill(padding, -torch.inf)
        for logits in (outputs.start_logits, outputs.end_logits)
    )
    return start, end


def context_tokens(encoding: Any) -> list[int]:
    """Return the places of the context's tokens; the context is the second text of ``encoding``."""
    return [i for i, part in enumerate(encoding.sequence_ids) if part == 1]


def begins_with_cls(loaded: Loaded) -> bool:
    """Return whether an input begins with the token that stands for no answer in SQuAD 2."""
    tokenizer = loaded.tokenizer
    trial = tokenizer.backend_tokenizer.encode("a", "a")
    names = {tokenizer.cls_token_id, tokenizer.bos_token_id} - {None}
    return bool(trial.special_tokens_mask[0]) and trial.ids[0] in names


def reader_budget(loaded: Loaded) -> Budget:
    """Return the budget of an extractive reader, tried with short questions."""
    trial = loaded.tokenizer.backend_tokenizer.encode("a", "a")

    def probe(tokens: int) -> None:
        ends_of(loaded, [trial] * max(1, tokens // max(1, len(trial.ids))))

    return budget_of(loaded, probe)
