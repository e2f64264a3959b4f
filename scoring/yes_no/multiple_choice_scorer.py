"""A multiple-choice model as a scorer of yes/no questions: it chooses among yes, maybe and no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.multiple_choice_head import EncodedEndings, MultipleChoiceHead
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.answer_options import AnswerOptions
from nextset.scoring.scorer_protocol import NLI_COLUMNS, Numbers, YesNoQuestion

__all__ = ["MultipleChoiceScorer"]


@dataclass(frozen=True)
class MultipleChoiceScorer:
    """A loaded multiple-choice model: a `nextset.scoring.scorer_protocol.Scorer` of yes/no questions.

    Its input is the same as for models trained on RACE (Lai et al. 2017): the premise, and the question
    followed by an answer.
    """

    head: MultipleChoiceHead
    """The model."""
    options: AnswerOptions
    """The answers."""

    columns = NLI_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> MultipleChoiceScorer:
        """Load a multiple-choice model; raises ModelError."""
        options = (asking.prompts or own_prompts()).answers
        return cls(MultipleChoiceHead.load(source, asking, device), options)

    @property
    def precisions(self) -> PrecisionPair:
        """Model, tokenizer and device, and the model in float32."""
        return self.head.precisions

    def encoded(self, inputs: Sequence[YesNoQuestion]) -> list[EncodedEndings]:
        """Return the questions as tokens, each once per answer.

        If the study says so, a premise that is too long is cut at its end; otherwise ModelError lists the
        inputs that are too long.
        """
        choices = self.options.choices.in_order
        return self.head.encoded(
            [(x.premise, [f"{x.question} {choice}" for choice in choices]) for x in inputs]
        )

    def scores(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the scores of each question, columns `NLI_COLUMNS`; raises ModelError if not finite."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the same as `scores` in float32, with each question scored by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def _batched(
        self, loaded: Loaded, encoded: Sequence[EncodedEndings], budget: Budget | None = None
    ) -> Numbers:
        probabilities = self.head.probabilities(loaded, encoded, len(NLI_COLUMNS) - 1, budget)
        return np.column_stack([probabilities, [float(e.truncated) for e in encoded]])
