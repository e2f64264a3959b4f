"""The probability of whole sentences by a causal language model, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Numbers

__all__ = ["CausalLikelihood", "SentenceLikelihood"]


@dataclass(frozen=True, slots=True)
class SentenceLikelihood:
    """The likelihood of a sentence."""

    total: float
    """The sum of the log probabilities of its scored tokens (natural logarithm)."""
    tokens: int
    """The number of scored tokens: all except special tokens, and a first token with nothing before it."""

    @property
    def mean(self) -> float | None:
        """The mean per token; None if no token is scored."""
        return self.total / self.tokens if self.tokens else None


@dataclass(frozen=True, slots=True)
class _Read:
    ids: tuple[int, ...]
    scored: tuple[int, ...]
    """The places of the tokens that are scored."""


@dataclass(frozen=True)
class CausalLikelihood:
    """A loaded causal language model that computes the probability of sentences."""

    loaded: Loaded
    """Model, tokenizer and device."""
    budget: Budget
    """Tokens per batch."""

    @classmethod
    def load(cls, source: ModelSource) -> CausalLikelihood:
        """Load a causal language model in float32; raises ModelError."""
        loaded = load(source, "AutoModelForCausalLM")
        length = min(64, loaded.max_length)
        trial = _Read((0,) * length, tuple(range(1, length)))

        def probe(tokens: int) -> None:
            _ask(loaded, [trial] * max(1, tokens // length))

        return cls(loaded, budget_of(loaded, probe))

    def of_sentences(self, sentences: Sequence[str]) -> list[SentenceLikelihood]:
        """Return the likelihood of each sentence; raises ModelError for one that is too long.

        A sentence is read after the tokenizer's token for the beginning of a text. If the tokenizer has no
        such token, the first token of the sentence is not scored, because nothing predicts it.
        """
        read = [self._read(text) for text in sentences]
        self.loaded.checked([len(r.ids) for r in read], list(sentences))
        totals = in_batches(
            [max(1, len(r.ids)) for r in read],
            1,
            self.budget,
            lambda rows: _ask(self.loaded, [read[i] for i in rows]),
            self.loaded.name,
        )
        return [SentenceLikelihood(float(t), len(r.scored)) for t, r in zip(totals[:, 0], read, strict=True)]

    def _read(self, text: str) -> _Read:
        tokenizer: Any = self.loaded.tokenizer
        encoding = tokenizer.backend_tokenizer.encode(text)
        ids, special = list(encoding.ids), list(encoding.special_tokens_mask)
        begin = tokenizer.bos_token_id
        if begin is not None and ids[:1] != [begin]:
            ids, special = [begin, *ids], [1, *special]
        return _Read(tuple(ids), tuple(i for i in range(1, len(ids)) if not special[i]))


def _ask(loaded: Loaded, rows: Sequence[_Read]) -> Numbers:
    """Return the sum of the log probabilities of each row's scored tokens, shape (rows, 1)."""
    import torch

    width = max(1, *(len(row.ids) for row in rows))
    # padding comes last, where a causal model does not look
    ids = torch.tensor([[*row.ids, *[0] * (width - len(row.ids))] for row in rows])
    mask = torch.tensor([[1] * len(row.ids) + [0] * (width - len(row.ids)) for row in rows])
    places = [(n, i) for n, row in enumerate(rows) for i in row.scored]
    totals: Numbers = np.zeros((len(rows), 1))
    if not places:
        return totals
    row_of, at = map(list, zip(*places, strict=True))
    tokens = ids[row_of, at].to(loaded.device)
    with torch.inference_mode():
        logits = loaded.model(
            input_ids=ids.to(loaded.device), attention_mask=mask.to(loaded.device), use_cache=False
        ).logits[row_of, [i - 1 for i in at]]
        logits = logits.float()
        logs = logits.gather(1, tokens[:, None])[:, 0].double() - logits.logsumexp(dim=1).double()
        summed = logs.cpu().numpy()
    check_finite(loaded, summed)
    np.add.at(totals[:, 0], row_of, summed)
    return totals
