"""An NLI model as a scorer of questions with options: each option with its question is a hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.errors import ModelError
from nextset.records.choice_items import MOST_OPTIONS
from nextset.scoring.asking import Asking
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.nli import EncodedPair, NliClassifier
from nextset.scoring.option_scorers.option_numbers import option_numbers
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers, Pair

__all__ = ["EncodedHypotheses", "OptionHypotheses", "hypothesis_shares"]


@dataclass(frozen=True, slots=True)
class EncodedHypotheses:
    """A question as pairs of its context with a hypothesis for each option that names someone."""

    pairs: tuple[EncodedPair, ...]
    """The pairs, in the order of the options without unknown."""
    unknown: int
    """The place of the option unknown; -1 if there is none."""


@dataclass(frozen=True)
class OptionHypotheses:
    """A loaded NLI model: a `nextset.scoring.scorer_protocol.Scorer` of questions with options.

    The premise is the context, and the hypothesis is the question followed by the option, with a space. An
    option's score is the probability of entailment, as in zero-shot classification (Yin et al. 2019, section
    4.2). The score of unknown is the least probability of neutral over the other options: the context leaves
    them all open. Scores are divided by their sum.
    """

    classifier: NliClassifier
    """The model."""

    columns = CHOICE_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> OptionHypotheses:
        """Load a classifier with two or three labels; raises ModelError."""
        return cls(NliClassifier.load(source, asking, device))

    @property
    def labels(self) -> LabelMap:
        """The meaning of each of the model's outputs."""
        return self.classifier.labels

    def encoded(self, inputs: Sequence[ChoiceQuestion]) -> list[EncodedHypotheses]:
        """Return the questions as tokens; raises ModelError for texts that are too long, unless the study
        says to cut them, and for a question without an option that names someone."""
        named = [[option for n, option in enumerate(x.options) if n != x.unknown] for x in inputs]
        for asked, options in zip(inputs, named, strict=True):
            if not options:
                raise ModelError(
                    f"the question {asked.question!r} has no option besides unknown",
                    remedy="add the other options, or remove the item",
                )
        pairs = [
            Pair(x.context, f"{x.question} {option}".strip())
            for x, options in zip(inputs, named, strict=True)
            for option in options
        ]
        encoded = iter(self.classifier.encoded(pairs))
        return [
            EncodedHypotheses(tuple(next(encoded) for _ in options), x.unknown)
            for x, options in zip(inputs, named, strict=True)
        ]

    def scores(self, encoded: Sequence[EncodedHypotheses]) -> Numbers:
        """Return the scores of each question, columns `CHOICE_COLUMNS`; raises ModelError if not finite."""
        return self._scored(encoded, self.classifier.scores)

    def exact(self, encoded: Sequence[EncodedHypotheses]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._scored(encoded, self.classifier.exact)

    def alone(self, encoded: Sequence[EncodedHypotheses]) -> Numbers:
        """Return the same as `scores` in float32, with each pair scored by itself."""
        return self._scored(encoded, self.classifier.alone)

    def _scored(
        self, encoded: Sequence[EncodedHypotheses], ask: Callable[[Sequence[EncodedPair]], Numbers]
    ) -> Numbers:
        rows = iter(ask([pair for one in encoded for pair in one.pairs]))
        shares: Numbers = np.full((len(encoded), MOST_OPTIONS), np.nan)
        for n, one in enumerate(encoded):
            of_question = hypothesis_shares(np.array([next(rows) for _ in one.pairs]), one.unknown)
            shares[n, : len(of_question)] = of_question
        return option_numbers(shares, [any(pair.truncated for pair in one.pairs) for one in encoded])


def hypothesis_shares(numbers: Numbers, unknown: int) -> Floats:
    """Return the shares of the options of a question, shape (options,), which sum to 1.

    They are equal if every score is 0.

    ``numbers`` has the columns `nextset.scoring.scorer_protocol.NLI_COLUMNS` for each option but ``unknown``.
    For a model with two labels, the probability of not entailment takes the place of that of neutral.
    """
    entailed, neutral = numbers[:, 0], numbers[:, 1]
    scores = entailed
    if unknown >= 0:
        scores = np.insert(entailed, unknown, np.where(np.isnan(neutral), 1 - entailed, neutral).min())
    total = scores.sum()
    shares: Floats = scores / total if total > 0 else np.full(len(scores), 1 / len(scores))
    return shares
