"""Texts as training examples of a masked language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.artifacts.progress_callback import Tick
from nextset.errors import InputError, ModelError
from nextset.scoring.batches import padded
from nextset.scoring.models.loading import Loaded
from nextset.training.fine_tuning.task_examples import Inputs
from nextset.training.fine_tuning.token_rows import TokenRow, cut_tokenizer, encoded_in_chunks

if TYPE_CHECKING:
    import torch

__all__ = ["MaskedTrainingRows", "masked_tokens"]

HIDDEN, REPLACED = 0.8, 0.5
"""Of the tokens to predict, 80 % become the mask, half of the rest a random token (Devlin et al. 2019)."""
NOT_ASKED = -100
"""The target of a token that should not be predicted."""


@dataclass(frozen=True)
class MaskedTrainingRows:
    """A `nextset.training.fine_tuning.task_examples.TaskExamples` of texts; the loss is cross-entropy."""

    loaded: Loaded
    """The model's tokenizer and padding."""
    rows: Sequence[TokenRow]
    """The texts as tokens; a long text in several pieces."""
    share: float
    """The share of the tokens to predict."""

    @classmethod
    def of(
        cls,
        loaded: Loaded,
        texts: Sequence[str],
        share: float,
        longest: int,
        tick: Tick = lambda done, total: None,
    ) -> MaskedTrainingRows:
        """Return ``texts`` as tokens, in pieces of at most ``longest`` tokens.

        A piece of only special tokens, such as words that the tokenizer does not know, is skipped, because
        nothing in it can be predicted. Raises ModelError if the model has no mask, and InputError if no piece
        is left.
        """
        if loaded.tokenizer.mask_token_id is None:
            raise ModelError(
                f"{loaded.name} has no mask token", remedy="choose a masked language model, such as BERT"
            )
        tokenizer, special = cut_tokenizer(loaded.tokenizer, longest, "longest_first"), _special(loaded)
        rows = [
            TokenRow.of(piece)
            for encoding in encoded_in_chunks(tokenizer, texts, tick)
            for piece in (encoding, *encoding.overflowing)
            if not special.issuperset(piece.ids)
        ]
        if not rows:
            raise InputError(
                f"{loaded.name} does not know any word of the texts",
                remedy="choose a model for the texts' language, or name other texts",
            )
        return cls(loaded, rows, share)

    @property
    def lengths(self) -> list[int]:
        """The number of tokens of each text."""
        return list(map(len, self.rows))

    @property
    def left_out(self) -> Mapping[str, int]:
        """Empty, because no text is skipped."""
        return {}

    def inputs(self, rows: Sequence[int], draws: torch.Generator) -> Inputs:
        """Return the inputs of ``rows`` with masks, and the tokens to predict."""
        inputs = padded(self.loaded, [self.rows[i] for i in rows])
        ids, target = masked_tokens(self.loaded, inputs["input_ids"], self.share, draws)
        return {**inputs, "input_ids": ids, "target": target}

    def units(self, inputs: Inputs) -> int:
        """Return the number of tokens to predict."""
        return int((inputs["target"] != NOT_ASKED).sum())

    def loss(self, model: Any, inputs: Inputs) -> torch.Tensor:
        """Return the sum of the cross-entropies of the tokens to predict."""
        import torch

        target = inputs.pop("target")
        masked = target != NOT_ASKED
        logits = model(**inputs).logits[masked].float()
        return torch.nn.functional.cross_entropy(logits, target[masked], reduction="sum")


def masked_tokens(
    loaded: Loaded, ids: torch.Tensor, share: float, draws: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``ids`` with masks, and the targets: the token at each place to predict, −100 elsewhere.

    About ``share`` of the tokens that are not special should be predicted, and at least one in total.
    """
    import torch

    tokenizer = loaded.tokenizer
    plain = ~torch.isin(ids, torch.tensor(sorted(_special(loaded))))
    chance = torch.rand(ids.shape, generator=draws).masked_fill(~plain, 2.0)
    chosen = chance < share
    if not chosen.any() and plain.any():
        chosen.view(-1)[chance.argmin()] = True
    target = ids.masked_fill(~chosen, NOT_ASKED)
    fate = torch.rand(ids.shape, generator=draws)
    others = torch.randint(len(tokenizer), ids.shape, generator=draws)
    hidden = chosen & (fate < HIDDEN)
    replaced = chosen & ~hidden & (fate < HIDDEN + (1 - HIDDEN) * REPLACED)
    masked = ids.masked_fill(hidden, tokenizer.mask_token_id)
    return torch.where(replaced, others, masked), target


def _special(loaded: Loaded) -> set[int]:
    """Return the tokens that are never predicted."""
    return {*loaded.tokenizer.all_special_ids, loaded.tokenizer.pad_token_id} - {None}
