"""An extractive reader as a scorer of yes/no questions: the answers are listed after the premise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.answers.span_ends import context_tokens, ends_of, reader_budget
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, check_finite, in_batches
from nextset.scoring.models.loading import Loaded
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.prompt_wordings import own_prompts
from nextset.scoring.prompts.answer_options import AnswerOptions
from nextset.scoring.scorer_protocol import NLI_COLUMNS, Numbers, YesNoQuestion
from nextset.scoring.tokenization import read

__all__ = ["EncodedSentences", "ExtractiveYesNoScorer", "ListedAnswers"]

ANSWERS = 3
"""The number of answers: yes, maybe and no."""


@dataclass(frozen=True, slots=True)
class ListedAnswers:
    """A question and its premise, followed by the three answers, as the model reads them."""

    encoding: Any
    """The tokenizer's Encoding of question and premise with the answers."""
    first: tuple[int, ...]
    """The first token of each answer."""
    last: tuple[int, ...]
    """The last token of each answer."""


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """A question with each of the sentences that list the answers."""

    sentences: tuple[ListedAnswers, ...]
    """The same question, once per sentence."""
    truncated: bool
    """True if the premise was cut."""


@dataclass(frozen=True)
class ExtractiveYesNoScorer:
    """A loaded question answering model: a `nextset.scoring.scorer_protocol.Scorer` of yes/no questions.

    An answer's score is √(p_start · p_end) of its span (Li et al. 2020), divided by the sum for the three
    answers. Scores are means over the sentences that list the answers, so that no position in a list is
    preferred. bfloat16 is too coarse for spans, so the model computes in float32 regardless of the study's
    precision.
    """

    precisions: PrecisionPair
    """Model, tokenizer and device, in float32."""
    options: AnswerOptions
    """The answers and the sentences that list them."""
    budget: Budget
    """The number of tokens per batch."""
    truncates: bool
    """True if a premise that is too long is cut."""

    columns = NLI_COLUMNS

    @classmethod
    def load(cls, source: ModelSource, asking: Asking, device: str | None = None) -> ExtractiveYesNoScorer:
        """Load an extractive reader; raises ModelError."""
        options = (asking.prompts or own_prompts()).answers
        exact = replace(asking, scoring=asking.scoring.model_copy(update={"precision": "float32"}))
        precisions = PrecisionPair.load(source, "AutoModelForQuestionAnswering", exact, device)
        budget = reader_budget(precisions.quick)
        return cls(precisions, options, budget, asking.model.too_long == "truncate")

    def encoded(self, inputs: Sequence[YesNoQuestion]) -> list[EncodedSentences]:
        """Return each question with its premise and the answers, once per sentence that lists the answers.

        If the study says so, a premise that is too long is cut at its end; otherwise ModelError lists the
        inputs that are too long. ModelError is also raised for answers that the tokenizer cannot distinguish.
        """
        loaded, listed = self.precisions.quick, self.options.listed
        texts = [(x.question, _context(x.premise, sentence)) for x in inputs for sentence in listed]
        if not self.truncates:
            encodings = iter([encoding for encoding, _ in read(loaded, texts)])
        else:
            encodings = iter(loaded.tokenizer.backend_tokenizer.encode_batch(texts))
        return [self._read(x, [next(encodings) for _ in listed]) for x in inputs]

    def scores(self, encoded: Sequence[EncodedSentences]) -> Numbers:
        """Return the scores of each question, columns `NLI_COLUMNS`; raises ModelError if not finite."""
        return self._batched(encoded, self.budget)

    def exact(self, encoded: Sequence[EncodedSentences]) -> Numbers:
        """Return the same as `scores`, because the model is in float32."""
        return self._batched(encoded, self.budget)

    def alone(self, encoded: Sequence[EncodedSentences]) -> Numbers:
        """Return the same as `scores`, with each question and sentence scored by itself."""
        return self._batched(encoded, Budget(1))

    def _read(self, asked: YesNoQuestion, encodings: Sequence[Any]) -> EncodedSentences:
        sentences, truncated = [], False
        for i, whole in enumerate(encodings):
            encoding, start = whole, len(asked.premise) + 1
            if len(whole.ids) > self.precisions.quick.max_length:
                encoding, start = self._cut(asked, i, whole)
                truncated = True
            sentences.append(self._placed(encoding, start, i))
        return EncodedSentences(tuple(sentences), truncated)

    def _cut(self, asked: YesNoQuestion, sentence: int, encoding: Any) -> tuple[Any, int]:
        """Return the input with its premise cut as little as necessary, and the place of the answers."""
        loaded, text = self.precisions.quick, asked.premise
        ends = [b for a, b in (encoding.offsets[i] for i in context_tokens(encoding)) if b <= len(text)]
        keep, over = len(ends), len(encoding.ids) - loaded.max_length
        while keep:
            keep = max(0, keep - over)
            kept = text[: ends[keep - 1]] if keep else ""
            listed = _context(kept, self.options.listed[sentence])
            shortened = loaded.tokenizer.backend_tokenizer.encode(asked.question, listed)
            over = len(shortened.ids) - loaded.max_length
            if over <= 0:
                return shortened, len(kept) + 1
        raise ModelError(
            f"{loaded.name} reads at most {loaded.max_length} tokens, and even without its premise a "
            f"question with its answers has more: {asked.question[:80]!r}",
            remedy="shorten the question, or choose a model that reads longer texts",
        )

    def _placed(self, encoding: Any, start: int, sentence: int) -> ListedAnswers:
        """Return the tokens of the answers; their list begins at ``start`` in the context of ``encoding``."""
        inside = [(i, *encoding.offsets[i]) for i in context_tokens(encoding)]
        own = [
            [i for i, a, b in inside if a < start + end and b > start + begin]
            for begin, end in self.options.places(sentence)
        ]
        ends = [(tokens[0], tokens[-1]) for tokens in own if tokens]
        if len(set(ends)) < len(own):
            raise ModelError(
                f"{self.precisions.quick.name} does not read the answers of "
                f"{self.options.listed[sentence]!r} as different tokens",
                remedy="choose a model whose tokenizer splits texts into words, or list different answers "
                "under options in the file that scoring.prompts names",
            )
        return ListedAnswers(encoding, tuple(first for first, _ in ends), tuple(last for _, last in ends))

    def _batched(self, encoded: Sequence[EncodedSentences], budget: Budget) -> Numbers:
        loaded = self.precisions.quick
        rows = [row for e in encoded for row in e.sentences]
        logs = in_batches(
            [len(row.encoding.ids) for row in rows],
            ANSWERS,
            budget,
            lambda batch: _asked(loaded, [rows[i] for i in batch]),
            loaded.name,
        )
        odds = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf))
        shares = odds / odds.sum(axis=1, keepdims=True)
        means = shares.reshape(len(encoded), len(self.options.listed), ANSWERS).mean(axis=1)
        return np.column_stack([means, [float(e.truncated) for e in encoded]])


def _context(premise: str, sentence: str) -> str:
    return f"{premise} {sentence}"


def _asked(loaded: Loaded, rows: Sequence[ListedAnswers]) -> Numbers:
    """Return the logarithms of the answers' scores, shape (rows, 3)."""
    import torch

    ends = ends_of(loaded, [row.encoding for row in rows])
    first = torch.tensor([row.first for row in rows], device=ends.start.device)
    last = torch.tensor([row.last for row in rows], device=ends.end.device)
    logs = 0.5 * (ends.start.gather(1, first) + ends.end.gather(1, last))
    numbers: Numbers = logs.cpu().numpy()
    check_finite(loaded, numbers)
    return numbers
