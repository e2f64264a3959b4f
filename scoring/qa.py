"""Extractive question answering: a span of the context."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.errors import ModelError
from scoring.loading import Loaded, load
from scoring.sources import ModelSource

__all__ = ["Span", "SpanReader"]

LONGEST = 30
"""An answer has no more tokens."""


@dataclass(frozen=True)
class Span:
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

    def answer(self, question: str, context: str) -> Span:
        """The span of ``context`` with the highest score; the first of those that tie.

        Start and end probabilities are over all tokens of question and context together. Raises
        ModelError for an input that is too long, a context without words, and scores that are not finite.
        """
        import torch

        encoding = self.loaded.tokenizer.backend_tokenizer.encode(question, context)
        self.loaded.checked([len(encoding.ids)], [context])
        inside = [i for i, part in enumerate(encoding.sequence_ids) if part == 1]
        if not inside:
            raise ModelError("the context is empty", remedy="give a context with words")
        with torch.inference_mode():
            found = self.loaded.model(**self.loaded.inputs([encoding]))
            starts = torch.softmax(found.start_logits[0].double(), -1)[inside]
            ends = torch.softmax(found.end_logits[0].double(), -1)[inside]
        scores = (starts[:, None] * ends[None, :]).sqrt().triu().tril(LONGEST - 1)
        if not torch.isfinite(scores).all():
            raise ModelError(
                f"{self.loaded.name} gives scores that are not finite (in {self.loaded.precision})",
                remedy="its weights are damaged",
            )
        first, last = divmod(int(scores.argmax()), len(inside))
        start, end = encoding.offsets[inside[first]][0], encoding.offsets[inside[last]][1]
        return Span(start, end, context[start:end], float(scores[first, last]))
