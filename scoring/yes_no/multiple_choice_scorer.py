"""A multiple-choice model as a scorer of yes/no questions: it chooses among yes, maybe and no."""

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
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.answer_options import AnswerOptions
from nextset.scoring.scorer_protocol import NLI_COLUMNS, Numbers, YesNoQuestion
from nextset.scoring.tokenization import read

__all__ = ["EncodedChoices", "MultipleChoiceScorer"]


@dataclass(frozen=True, slots=True)
class EncodedChoices:
    """A question with each of its answers, as the model reads them."""

    encodings: tuple[Any, ...]
    """The tokenizer's Encodings of premise and question with one answer each, in the order of the labels."""
    truncated: bool
    """True if the premise was cut."""

    @property
    def tokens(self) -> int:
        """The number of tokens that the model reads, padding included."""
        return len(self.encodings) * max(len(e.ids) for e in self.encodings)


@dataclass(frozen=True)
class MultipleChoiceScorer:
    """A loaded multiple-choice model: a `nextset.scoring.scorer_protocol.Scorer` of yes/no questions.

    Its input is the same as for models trained on RACE (Lai et al. 2017): the premise, and the question
    followed by an answer. The model reads each answer separately, so their order does not matter.
    """

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    options: AnswerOptions
    """The answers."""
    budget: Budget
    """The number of tokens per batch."""
    truncates: bool
    """True if a premise that is too long is cut."""

    columns = NLI_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> MultipleChoiceScorer:
        """Load a multiple-choice model; raises ModelError."""
        options = (asking.prompts or own_prompts()).answers
        precisions = PrecisionPair.load(source, "AutoModelForMultipleChoice", asking, device)
        loaded = precisions.quick
        if getattr(loaded.model.config, "summary_type", "first") == "last":
            raise ModelError(
                f"{source.name} scores a text by its last token, which is padding for shorter answers",
                remedy="choose a model with a different summary_type in its config, such as BERT or RoBERTa",
            )
        budget = budget_of(loaded, lambda tokens: _probe(loaded, tokens))
        return cls(precisions, options, budget, asking.model.too_long == "truncate")

    def encoded(self, inputs: Sequence[YesNoQuestion]) -> list[EncodedChoices]:
        """Return the questions as tokens, each once per answer.

        If the study says so, a premise that is too long is cut at its end; otherwise ModelError lists the
        inputs that are too long.
        """
        choices = self.options.choices.in_order
        encodings = iter(
            read(
                self.precisions.quick,
                [(x.premise, f"{x.question} {choice}") for x in inputs for choice in choices],
                cut="only_first" if self.truncates else "",
            )
        )
        each = [[next(encodings) for _ in choices] for _ in inputs]
        return [EncodedChoices(tuple(e for e, _ in row), any(cut for _, cut in row)) for row in each]

    def scores(self, encoded: Sequence[EncodedChoices]) -> Numbers:
        """Return the scores of each question, columns `NLI_COLUMNS`; raises ModelError if not finite."""
        return self._batched(self.precisions.quick, encoded)

    def exact(self, encoded: Sequence[EncodedChoices]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._batched(self.precisions.exact(), encoded)

    def alone(self, encoded: Sequence[EncodedChoices]) -> Numbers:
        """Return the same as `scores` in float32, with each question scored by itself."""
        return self._batched(self.precisions.exact(), encoded, Budget(1))

    def _batched(
        self, loaded: Loaded, encoded: Sequence[EncodedChoices], budget: Budget | None = None
    ) -> Numbers:
        probabilities = in_batches(
            [e.tokens for e in encoded],
            len(NLI_COLUMNS) - 1,
            budget or self.budget,
            lambda rows: _asked(loaded, [encoded[i] for i in rows]),
            loaded.name,
        )
        return np.column_stack([probabilities, [float(e.truncated) for e in encoded]])


def _asked(loaded: Loaded, encoded: Sequence[EncodedChoices]) -> Numbers:
    """Return the probability of each answer, shape (questions, answers)."""
    import torch

    inputs = padded(loaded, [encoding for e in encoded for encoding in e.encodings])
    shape = (len(encoded), len(encoded[0].encodings), -1)
    with torch.inference_mode():
        logits = loaded.model(**{name: tensor.view(shape) for name, tensor in inputs.items()}).logits
        probabilities: Numbers = torch.softmax(logits.double(), dim=-1).cpu().numpy()
    check_finite(loaded, probabilities)
    return probabilities


def _probe(loaded: Loaded, tokens: int) -> None:
    import torch

    length = min(64, loaded.max_length)
    ids = torch.full((max(1, tokens // (3 * length)), 3, length), loaded.tokenizer.pad_token_id or 0)
    ids = ids.to(loaded.device)
    with torch.inference_mode():
        loaded.model(input_ids=ids, attention_mask=torch.ones_like(ids))
