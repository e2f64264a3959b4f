"""Pairs of premise and hypothesis as training examples of a classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.artifacts.progress_callback import Tick
from nextset.scoring.batches import padded
from nextset.scoring.models.loading import Loaded
from nextset.training.fine_tuning.task_examples import Inputs
from nextset.training.fine_tuning.token_rows import TokenRow, cut_tokenizer, encoded_in_chunks
from nextset.training.training_data.nli_examples import NliExample

if TYPE_CHECKING:
    import torch

__all__ = ["NliTrainingRows"]


@dataclass(frozen=True)
class NliTrainingRows:
    """A `nextset.training.fine_tuning.task_examples.TaskExamples` of pairs; the loss is cross-entropy."""

    loaded: Loaded
    """The model's tokenizer and padding."""
    rows: Sequence[TokenRow]
    """The pairs as tokens."""
    targets: Sequence[int]
    """The output of each pair's label."""

    @classmethod
    def of(
        cls,
        loaded: Loaded,
        pairs: Sequence[NliExample],
        labels: Sequence[str],
        longest: int,
        tick: Tick = lambda done, total: None,
    ) -> NliTrainingRows:
        """Return ``pairs`` as tokens, cut to ``longest``; ``labels`` are the model's labels, in order."""
        tokenizer = cut_tokenizer(loaded.tokenizer, longest, "longest_first")
        texts = [(pair.premise, pair.hypothesis) for pair in pairs]
        rows = [TokenRow.of(encoding) for encoding in encoded_in_chunks(tokenizer, texts, tick)]
        return cls(loaded, rows, [labels.index(pair.label) for pair in pairs])

    @property
    def lengths(self) -> list[int]:
        """The number of tokens of each pair."""
        return list(map(len, self.rows))

    @property
    def left_out(self) -> Mapping[str, int]:
        """Empty, because no pair is skipped."""
        return {}

    def inputs(self, rows: Sequence[int], draws: torch.Generator) -> Inputs:
        """Return the inputs of ``rows`` with their targets."""
        import torch

        targets = torch.tensor([self.targets[i] for i in rows])
        return {**padded(self.loaded, [self.rows[i] for i in rows]), "target": targets}

    def units(self, inputs: Inputs) -> int:
        """Return the number of pairs."""
        return len(inputs["target"])

    def loss(self, model: Any, inputs: Inputs) -> torch.Tensor:
        """Return the sum of the cross-entropies."""
        import torch

        targets = inputs.pop("target")
        logits = model(**inputs).logits.float()
        return torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
