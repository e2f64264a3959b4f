"""An extractive reader as a scorer of questions with options: its spans against their mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.records.choice_items import MOST_OPTIONS
from nextset.scoring.answers.span_ends import begins_with_cls, context_tokens, ends_of, reader_budget
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, check_finite, in_batches
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.option_scorers.option_mentions import Span, option_mentions
from nextset.scoring.option_scorers.option_numbers import option_numbers
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers
from nextset.scoring.tokenization import read

__all__ = ["EncodedMentions", "OptionSpans"]

Ends = tuple[int, int]
"""The first and the last token of a span."""


@dataclass(frozen=True, slots=True)
class EncodedMentions:
    """A question and its context as the model reads them, with the spans of each option."""

    encoding: Any
    """The tokenizer's Encoding of question and context."""
    spans: tuple[tuple[Ends, ...], ...]
    """The spans that score each option; none for an option that the context does not mention."""
    truncated: bool
    """True if the context was cut."""


@dataclass(frozen=True)
class OptionSpans:
    """A loaded extractive reader: a `nextset.scoring.scorer_protocol.Scorer` of questions with options.

    An option's score is the highest √(p_start · p_end) of its mentions in the context (Li et al. 2020, for
    subjects). No answer, the first token as in SQuAD 2, scores unknown. Scores are divided by their sum; an
    option that the context does not mention has 0. bfloat16 is too coarse for spans, so the model computes in
    float32 regardless of the study's precision.
    """

    precisions: PrecisionPair
    """Model, tokenizer and device, in float32."""
    budget: Budget
    """The number of tokens per batch."""
    truncates: bool
    """True if a context that is too long is cut."""
    refuses: bool
    """True if the first token can stand for no answer, as in SQuAD 2."""

    columns = CHOICE_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> OptionSpans:
        """Load an extractive reader; raises ModelError."""
        exact = replace(asking, scoring=asking.scoring.model_copy(update={"precision": "float32"}))
        precisions = PrecisionPair.load(source, "AutoModelForQuestionAnswering", exact, device)
        truncates, refuses = asking.model.too_long == "truncate", begins_with_cls(precisions.quick)
        return cls(precisions, reader_budget(precisions.quick), truncates, refuses)

    def encoded(self, inputs: Sequence[ChoiceQuestion]) -> list[EncodedMentions]:
        """Return the questions as tokens, each followed by its context.

        If the study says so, a context that is too long is cut at its end; otherwise ModelError lists the
        inputs that are too long. ModelError is also raised for a question without an option that can be
        scored.
        """
        cut = "only_second" if self.truncates else ""
        encodings = read(self.precisions.quick, [(x.question, x.context) for x in inputs], cut=cut)
        return [self._placed(x, *one) for x, one in zip(inputs, encodings, strict=True)]

    def scores(self, encoded: Sequence[EncodedMentions]) -> Numbers:
        """Return the scores of each question, columns `CHOICE_COLUMNS`; raises ModelError if not finite."""
        return self._batched(encoded, self.budget)

    def exact(self, encoded: Sequence[EncodedMentions]) -> Numbers:
        """Return the same as `scores`, because the model is in float32."""
        return self._batched(encoded, self.budget)

    def alone(self, encoded: Sequence[EncodedMentions]) -> Numbers:
        """Return the same as `scores`, with each question scored by itself."""
        return self._batched(encoded, Budget(1))

    def _placed(self, asked: ChoiceQuestion, encoding: Any, truncated: bool) -> EncodedMentions:
        inside = [(i, *encoding.offsets[i]) for i in context_tokens(encoding)]
        mentions = option_mentions(asked.context, asked.options, asked.unknown)
        spans = [tuple(e for span in of_option if (e := _ends(inside, span))) for of_option in mentions]
        if not any(spans):
            raise ModelError(
                f"{self.precisions.quick.name} cannot find any of the options {', '.join(asked.options)} in "
                f"{asked.context[:80]!r}",
                remedy="choose a model that writes or an NLI model, or remove items whose options are not in "
                "their context",
            )
        if self.refuses and asked.unknown >= 0:
            spans[asked.unknown] = ((0, 0),)
        return EncodedMentions(encoding, tuple(spans), truncated)

    def _batched(self, encoded: Sequence[EncodedMentions], budget: Budget) -> Numbers:
        loaded = self.precisions.quick
        shares = in_batches(
            [len(e.encoding.ids) for e in encoded],
            MOST_OPTIONS,
            budget,
            lambda rows: _asked(loaded, [encoded[i] for i in rows]),
            loaded.name,
        )
        return option_numbers(shares, [e.truncated for e in encoded])


def _ends(inside: Sequence[tuple[int, int, int]], span: Span) -> Ends | None:
    """Return the first and the last token of ``span``; None if it was cut off."""
    own = [i for i, a, b in inside if a < span[1] and b > span[0]]
    return (own[0], own[-1]) if own and inside[-1][2] >= span[1] else None


def _asked(loaded: Loaded, encoded: Sequence[EncodedMentions]) -> Numbers:
    """Return the share of each option, shape (questions, `MOST_OPTIONS`); NaN in places without one."""
    ends = ends_of(loaded, [e.encoding for e in encoded])
    start, end = ends.start.cpu().numpy(), ends.end.cpu().numpy()
    shares: Numbers = np.full((len(encoded), MOST_OPTIONS), np.nan)
    for n, one in enumerate(encoded):
        logs = np.array(
            [max((0.5 * (start[n, a] + end[n, b]) for a, b in spans), default=-np.inf) for spans in one.spans]
        )
        check_finite(loaded, logs[[bool(spans) for spans in one.spans]])
        odds = np.exp(logs - logs.max())
        shares[n, : len(odds)] = odds / odds.sum()
    return shares
