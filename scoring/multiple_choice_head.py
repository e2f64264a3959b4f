"""A multiple-choice head: a model that scores each ending of a text by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches, padded
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Numbers
from nextset.scoring.tokenization import read

__all__ = ["EncodedEndings", "MultipleChoiceHead"]


@dataclass(frozen=True, slots=True)
class EncodedEndings:
    """A text with each of its endings, as the model reads them."""

    encodings: tuple[Any, ...]
    """The tokenizer's Encodings of the text with one ending each."""
    truncated: bool
    """True if the text was cut."""

    @property
    def tokens(self) -> int:
        """The number of tokens that the model reads, padding included."""
        return len(self.encodings) * max(len(e.ids) for e in self.encodings)


@dataclass(frozen=True)
class MultipleChoiceHead:
    """A loaded multiple-choice model. It reads each ending separately, so their order does not matter."""

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    budget: Budget
    """The number of tokens per batch."""
    truncates: bool
    """True if a text that is too long is cut."""

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> MultipleChoiceHead:
        """Load a multiple-choice model; raises ModelError."""
        precisions = PrecisionPair.load(source, "AutoModelForMultipleChoice", asking, device)
        loaded = precisions.quick
        if getattr(loaded.model.config, "summary_type", "first") == "last":
            raise ModelError(
                f"{source.name} scores a text by its last token, which is padding for shorter answers",
                remedy="choose a model with a different summary_type in its config, such as BERT or RoBERTa",
            )
        budget = budget_of(loaded, lambda tokens: _probe(loaded, tokens))
        return cls(precisions, budget, asking.model.too_long == "truncate")

    def encoded(self, texts: Sequence[tuple[str, Sequence[str]]]) -> list[EncodedEndings]:
        """Return each of ``texts``, with each of its endings, as tokens.

        If the study says so, a text that is too long is cut at its end; otherwise ModelError lists the inputs
        that are too long.
        """
        pairs = [(text, ending) for text, endings in texts for ending in endings]
        encodings = iter(read(self.precisions.quick, pairs, cut="only_first" if self.truncates else ""))
        each = [[next(encodings) for _ in endings] for _, endings in texts]
        return [EncodedEndings(tuple(e for e, _ in row), any(cut for _, cut in row)) for row in each]

    def probabilities(
        self, loaded: Loaded, encoded: Sequence[EncodedEndings], columns: int, budget: Budget | None = None
    ) -> Numbers:
        """Return the probability of each ending, shape (texts, columns); NaN in places without an ending.

        Raises ModelError if one is not finite.
        """
        return in_batches(
            [e.tokens for e in encoded],
            columns,
            budget or self.budget,
            lambda rows: _asked(loaded, [encoded[i] for i in rows], columns),
            loaded.name,
        )


def _asked(loaded: Loaded, encoded: Sequence[EncodedEndings], columns: int) -> Numbers:
    """Return the probability of each ending; those of one text sum to 1."""
    import torch

    inputs = padded(loaded, [encoding for e in encoded for encoding in e.encodings])
    counts = np.array([len(e.encodings) for e in encoded])
    with torch.inference_mode():
        # each ending by itself, because texts may have different numbers of them
        logits = loaded.model(**{name: tensor[:, None] for name, tensor in inputs.items()}).logits
    logs: Numbers = np.full((len(encoded), columns), -np.inf)
    there = np.arange(columns) < counts[:, None]
    logs[there] = logits.double().flatten().cpu().numpy()
    check_finite(loaded, logs[there])
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    probabilities: Numbers = np.where(there, odds / odds.sum(axis=1, keepdims=True), np.nan)
    return probabilities


def _probe(loaded: Loaded, tokens: int) -> None:
    import torch

    length = min(64, loaded.max_length)
    ids = torch.full((max(1, tokens // (3 * length)), 3, length), loaded.tokenizer.pad_token_id or 0)
    ids = ids.to(loaded.device)
    with torch.inference_mode():
        loaded.model(input_ids=ids, attention_mask=torch.ones_like(ids))
