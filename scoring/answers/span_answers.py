"""An extractive reader, which answers a question with a span of the context and reads it in windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.answers.answer_rows import SpanAnswer, near_answer_tie, span_answer
from nextset.scoring.answers.context_windows import context_windows
from nextset.scoring.answers.span_ends import begins_with_cls, end_logits, reader_budget
from nextset.scoring.answers.window_answers import (
    WINDOW_COLUMNS,
    best_of_windows,
    no_answer_lead,
    window_answers,
)
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, check_finite, in_batches, padded
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import ANSWER_COLUMNS, Numbers, TextQuestion
from nextset.study.scoring_settings import ScoringSettings

__all__ = ["EncodedWindows", "SpanAnswers"]


@dataclass(frozen=True, slots=True)
class EncodedWindows:
    """A question with its context as the model reads them."""

    encodings: tuple[Any, ...]
    """The tokenizer's Encodings, one per window of the context."""


@dataclass(frozen=True)
class SpanAnswers:
    """A loaded question answering model: a `nextset.scoring.scorer_protocol.Scorer` of the form answer.

    bfloat16 is too coarse for spans, so the model computes in float32 regardless of the study's precision.
    """

    loaded: Loaded
    """Model, tokenizer and device, in float32."""
    budget: Budget
    """The number of tokens per batch."""
    refuses: bool
    """True if the first token stands for no answer, as in SQuAD 2."""

    columns = ANSWER_COLUMNS

    @classmethod
    def load(
        cls, source: ModelSource, asking: Asking | None = None, device: str | None = None
    ) -> SpanAnswers:
        """Load an extractive reader; raises ModelError.

        ModelError is also raised if the study says that the model can give no answer, but the model's input
        does not begin with the token for no answer.
        """
        asking = asking or Asking("answer", ScoringSettings())
        exact = Asking("answer", ScoringSettings(), asking.model)
        loaded = PrecisionPair.load(source, "AutoModelForQuestionAnswering", exact, device).quick
        if asking.model.no_answer and not begins_with_cls(loaded):
            raise ModelError(
                f"{source.name} has no token that stands for no answer",
                remedy="remove no_answer from its settings, or --no-answer from the command",
            )
        return cls(loaded, reader_budget(loaded), asking.model.no_answer)

    def answers(self, questions: Sequence[tuple[str, str]]) -> list[SpanAnswer]:
        """Return the answers to questions, each with its context.

        A near tie is decided by scoring the question by itself, so that no answer depends on the others.
        Raises ModelError for an empty context, a question that is too long, and scores that are not finite.
        """
        encoded = self.encoded([TextQuestion(context, question) for question, context in questions])
        numbers = self.scores(encoded)
        near = np.flatnonzero(near_answer_tie(numbers[:, ANSWER_COLUMNS.index("margin")]))
        if near.size:
            numbers[near] = self.alone([encoded[i] for i in near])
        return [span_answer(context, row) for (_, context), row in zip(questions, numbers, strict=True)]

    def no_answer_leads(self, questions: Sequence[tuple[str, str]]) -> list[float]:
        """Return the `no_answer_lead` of each question with its context; raises ModelError like `answers`."""
        encoded = self.encoded([TextQuestion(context, question) for question, context in questions])
        return [no_answer_lead(windows) for windows in self._windows(encoded, self.budget)]

    def encoded(self, inputs: Sequence[TextQuestion]) -> list[EncodedWindows]:
        """Return the questions as tokens, each with the windows of its context.

        Raises ModelError for a context without words, and for a question that is too long for a window.
        """
        pairs = [(one.question, one.context) for one in inputs]
        return [EncodedWindows(windows) for windows in context_windows(self.loaded, pairs)]

    def scores(self, encoded: Sequence[EncodedWindows]) -> Numbers:
        """Return the answer to each question, columns `ANSWER_COLUMNS`; raises ModelError if not finite."""
        return self._batched(encoded, self.budget)

    def exact(self, encoded: Sequence[EncodedWindows]) -> Numbers:
        """Return the same as `scores`, because the model is in float32."""
        return self._batched(encoded, self.budget)

    def alone(self, encoded: Sequence[EncodedWindows]) -> Numbers:
        """Return the same as `scores`, with each window of each question scored by itself."""
        return self._batched(encoded, Budget(1))

    def _batched(self, encoded: Sequence[EncodedWindows], budget: Budget) -> Numbers:
        numbers = np.empty((len(encoded), len(ANSWER_COLUMNS)))
        for i, windows in enumerate(self._windows(encoded, budget)):
            numbers[i] = best_of_windows(windows, refuses=self.refuses)
        return numbers

    def _windows(self, encoded: Sequence[EncodedWindows], budget: Budget) -> list[Numbers]:
        """Return the numbers of the windows of each question, shape (windows, `WINDOW_COLUMNS`)."""
        windows = [window for one in encoded for window in one.encodings]
        read = in_batches(
            [len(window.ids) for window in windows],
            len(WINDOW_COLUMNS),
            budget,
            lambda rows: self._read([windows[i] for i in rows]),
            self.loaded.name,
        )
        bounds = np.cumsum([0, *(len(one.encodings) for one in encoded)])
        return [read[first:last] for first, last in pairwise(bounds)]

    def _read(self, encodings: Sequence[Any]) -> Numbers:
        import torch

        with torch.inference_mode():
            inputs = padded(self.loaded, encodings)
            start, end = end_logits(self.loaded, inputs)
            padding = inputs["attention_mask"] == 0
            check_finite(self.loaded, torch.stack([start, end]).masked_fill(padding, 0).cpu().numpy())
            return window_answers(start, end, encodings)
