"""A multiple-choice model as a scorer of questions with options: each option is an ending of the context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nextset.records.choice_items import MOST_OPTIONS
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.multiple_choice_head import EncodedEndings, MultipleChoiceHead
from nextset.scoring.option_scorers.option_numbers import option_numbers
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers

__all__ = ["OptionEndings"]


@dataclass(frozen=True)
class OptionEndings:
    """A loaded multiple-choice model: a `nextset.scoring.scorer_protocol.Scorer` of questions with options.

    Its input is the same as for models trained on RACE (Lai et al. 2017): the context, and the question
    followed by an option. The probabilities are the softmax over the options of a question.
    """

    head: MultipleChoiceHead
    """The model."""

    columns = CHOICE_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> OptionEndings:
        """Load a multiple-choice model; raises ModelError."""
        return cls(MultipleChoiceHead.load(source, asking, device))

    def encoded(self, inputs: Sequence[ChoiceQuestion]) -> list[EncodedEndings]:
        """Return the questions as tokens, each once per option.

        If the study says so, a context that is too long is cut at its end; otherwise ModelError lists the
        inputs that are too long.
        """
        return self.head.encoded(
            [(x.context, [f"{x.question} {option}" for option in x.options]) for x in inputs]
        )

    def scores(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the scores of each question, columns `CHOICE_COLUMNS`; raises ModelError if not finite."""
        return self._batched(self.head.precisions.quick, encoded)

    def exact(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._batched(self.head.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[EncodedEndings]) -> Numbers:
        """Return the same as `scores` in float32, with each question scored by itself."""
        return self._batched(self.head.precisions.exact(), encoded, Budget(1))

    def _batched(
        self, loaded: Loaded, encoded: Sequence[EncodedEndings], budget: Budget | None = None
    ) -> Numbers:
        probabilities = self.head.probabilities(loaded, encoded, MOST_OPTIONS, budget)
        return option_numbers(probabilities, [e.truncated for e in encoded])
