"""An extractive reader: it answers a question with a span of the context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError
from nextset.scoring.batches import check_finite, padded
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource

if TYPE_CHECKING:
    import torch

__all__ = ["Ends", "SpanReader", "TokenSpan", "context_tokens", "end_logs", "ends_of"]

LONGEST = 30
"""The most tokens of an answer."""


@dataclass(frozen=True)
class TokenSpan:
    """An answer in its context."""

    start: int
    """Where it begins in the context, in characters."""
    end: int
    """Where it ends."""
    text: str
    """The characters between."""
    score: float
    """√(p_start · p_end), the score of UnQover (Li et al. 2020)."""


@dataclass(frozen=True)
class SpanReader:
    """A loaded question answering model."""

    loaded: Loaded
    """Model, tokenizer and device."""

    @classmethod
    def load(cls, source: ModelSource) -> SpanReader:
        """Load an extractive reader; raises ModelError."""
        return cls(load(source, "AutoModelForQuestionAnswering"))

    def answer(self, question: str, context: str) -> TokenSpan:
        """The span of ``context`` with the highest score; the first of those that tie.

        Start and end probabilities are over all tokens of question and context together. Raises
        ModelError for an input that is too long, a context without words, and scores that are not finite.
        """
        encoding = self.loaded.tokenizer.backend_tokenizer.encode(question, context)
        self.loaded.checked([len(encoding.ids)], [context])
        inside = context_tokens(encoding)
        if not inside:
            raise ModelError("the context is empty", remedy="write a context with at least one word")
        ends = ends_of(self.loaded, [encoding])
        starts, stops = ends.start[0, inside].exp(), ends.end[0, inside].exp()
        scores = (starts[:, None] * stops[None, :]).sqrt().triu().tril(LONGEST - 1)
        check_finite(self.loaded, scores.cpu().numpy())
        first, last = divmod(int(scores.argmax()), len(inside))
        start, end = encoding.offsets[inside[first]][0], encoding.offsets[inside[last]][1]
        return TokenSpan(start, end, context[start:end], float(scores[first, last]))


@dataclass(frozen=True)
class Ends:
    """Where a model puts answers: log probabilities in float64, shape (questions, tokens)."""

    start: torch.Tensor
    """Of a token being an answer's first."""
    end: torch.Tensor
    """Of a token being an answer's last."""


def ends_of(loaded: Loaded, encodings: Sequence[Any]) -> Ends:
    """The model's answers to some questions with their contexts, over all tokens of both, without padding."""
    import torch

    with torch.inference_mode():
        return end_logs(loaded, padded(loaded, encodings))


def end_logs(loaded: Loaded, inputs: Mapping[str, torch.Tensor]) -> Ends:
    """The same for inputs as tensors; torch records gradients unless the caller forbids it."""
    import torch

    padding = inputs["attention_mask"] == 0
    found = loaded.model(**inputs)
    start, end = (
        torch.log_softmax(logits.double().masked_fill(padding, -torch.inf), -1)
        for logits in (found.start_logits, found.end_logits)
    )
    return Ends(start, end)


def context_tokens(encoding: Any) -> list[int]:
    """The places of the context's tokens, the second of the texts that ``encoding`` is of."""
    return [i for i, part in enumerate(encoding.sequence_ids) if part == 1]
