"""The scores of two subjects at a mask by a masked language model (UnQover, Li et al. 2020)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget, budget_of, in_batches
from nextset.scoring.masks.filler import check_mask_token
from nextset.scoring.masks.logits import MaskLogits, Query
from nextset.scoring.masks.masked_text import Masked
from nextset.scoring.masks.pseudo_likelihood import TargetQueries, target_queries
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.models.precision_pair import PrecisionPair
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import SUBJECT_COLUMNS, Numbers, Statement
from nextset.scoring.subjects.subject_words import SubjectWords, mask_words
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, StatementSettings

__all__ = ["HIDDEN", "EncodedStatement", "MaskedSubjectScorer"]

HIDDEN = "{{HIDDEN}}"
"""A placeholder for a hidden word, in a context or in a statement before its mask: the model reads its mask
token there."""


@dataclass(frozen=True, slots=True)
class EncodedStatement:
    """A context and its statement as the model reads them."""

    subjects: tuple[tuple[TargetQueries, ...], tuple[TargetQueries, ...]]
    """The queries for the words of each subject."""
    truncated: bool
    """True if the context was cut."""

    def queries(self) -> list[tuple[Query, int]]:
        """Return all queries about the statement."""
        return [one for words in self.subjects for word in words for one in word]


@dataclass(frozen=True)
class MaskedSubjectScorer:
    """A loaded masked language model: a `nextset.scoring.scorer_protocol.Scorer` of statements."""

    precisions: PrecisionPair
    """Model, tokenizer and device, and the model in float32."""
    quick: MaskLogits
    """The logits of the model in the study's precision."""
    exact_logits: Callable[[], MaskLogits]
    """A function that returns the logits of the model in float32."""
    budget: Budget
    """The number of tokens per batch."""
    masks: StatementSettings
    """The settings for the words of a subject."""
    truncates: bool
    """True if a context that is too long is cut."""

    columns = SUBJECT_COLUMNS

    @classmethod
    def load(
        cls, source: ModelSource, asking: Asking | None = None, device: str | None = None
    ) -> MaskedSubjectScorer:
        """Load a masked language model; raises ModelError."""
        asking = asking or Asking("statement", ScoringSettings(), ModelSettings())
        precisions = PrecisionPair.load(source, "AutoModelForMaskedLM", asking, device)
        check_mask_token(precisions.quick)
        quick = MaskLogits.of(precisions.quick)
        scorer = cls(
            precisions,
            quick,
            functools.cache(
                lambda: quick if precisions.exact() is precisions.quick else MaskLogits.of(precisions.exact())
            ),
            Budget(1),
            asking.scoring.statements,
            asking.model.too_long == "truncate",
        )
        return replace(scorer, budget=budget_of(precisions.quick, lambda tokens: _probe(quick, tokens)))

    def encoded(self, inputs: Sequence[Statement]) -> list[EncodedStatement]:
        """Return context, space and statement as one text, with the tokens of every word for the mask.

        If the study says so, a context that is too long is cut at its end; otherwise ModelError is raised for
        inputs that are too long. It is also raised for a subject that was cut off, and for a word that the
        tokenizer does not know or does not read as whole tokens there.
        """
        words = mask_words(inputs, self.masks)
        texts = [self._text(self._shown(s.context), s) for s in inputs]
        if self.truncates:
            whole, texts = texts, list(map(self._cut, inputs, words))
        flat = [
            (text, w) for text, both in zip(texts, words, strict=True) for subject in both for w in subject
        ]
        queries = iter(target_queries(self.precisions.quick, [t for t, _ in flat], [w for _, w in flat]))
        statements = []
        for i, both in enumerate(words):
            first, second = (tuple(self._known(w, next(queries)) for w in subject) for subject in both)
            statements.append(EncodedStatement((first, second), self.truncates and texts[i] != whole[i]))
        return statements

    def scores(self, encoded: Sequence[EncodedStatement]) -> Numbers:
        """Return each subject's probability at the mask, columns `SUBJECT_COLUMNS`.

        Equal queries are asked once.
        """
        return self._numbers(self.quick, encoded, self.budget)

    def exact(self, encoded: Sequence[EncodedStatement]) -> Numbers:
        """Return the same as `scores` in float32."""
        return self._numbers(self.exact_logits(), encoded, self.budget)

    def alone(self, encoded: Sequence[EncodedStatement]) -> Numbers:
        """Return the same as `scores` in float32, with each query asked by itself."""
        rows = [self._numbers(self.exact_logits(), [e], Budget(1)) for e in encoded]
        return np.concatenate([np.empty((0, len(SUBJECT_COLUMNS))), *rows])

    def _numbers(self, logits: MaskLogits, encoded: Sequence[EncodedStatement], budget: Budget) -> Numbers:
        tokens: dict[Query, dict[int, None]] = {}
        for query, token in (one for e in encoded for one in e.queries()):
            tokens.setdefault(query, {})[token] = None
        queries = list(tokens)
        width = max((len(t) for t in tokens.values()), default=0)
        wanted = [[*tokens[q], *[next(iter(tokens[q]))] * (width - len(tokens[q]))] for q in queries]
        logs = in_batches(
            [len(q.ids) for q in queries],
            width,
            budget,
            lambda rows: logits.at_once([queries[i] for i in rows], [wanted[i] for i in rows]),
            logits.loaded.name,
        )
        known = {
            (query, token): log
            for query, row in zip(queries, logs.tolist(), strict=True)
            for token, log in zip(tokens[query], row, strict=False)
        }
        numbers = np.full((len(encoded), len(SUBJECT_COLUMNS)), np.nan)
        for row, e in zip(numbers, encoded, strict=True):
            for subject, words in enumerate(e.subjects):
                probabilities = [np.exp(sum(known[one] for one in word)) for word in words]
                row[subject] = sum(probabilities) if self.masks.combine == "sum" else max(probabilities)
            row[3] = e.truncated
        return numbers

    def _known(self, word: str, asked: TargetQueries) -> TargetQueries:
        """Return the queries ``asked``; raises ModelError if the tokenizer has no tokens for ``word``."""
        loaded = self.precisions.quick
        if loaded.tokenizer.unk_token_id in {token for _, token in asked}:
            raise ModelError(
                f"the tokenizer of {loaded.name} has no token for {word!r}",
                remedy="choose a different model for this language, or different subjects",
            )
        return asked

    def _shown(self, text: str) -> str:
        """Return ``text`` with the model's mask token in place of hidden words."""
        return text.replace(HIDDEN, self.precisions.quick.tokenizer.mask_token)

    def _text(self, context: str, statement: Statement) -> Masked:
        """Return context and statement as one text, as in UnQover.

        A mask token that a person wrote does not count as a hidden word.
        """
        text = f"{context} {self._shown(statement.statement)}"
        mask = self.precisions.quick.tokenizer.mask_token
        written = statement.context.count(mask) + statement.statement.count(mask)
        return Masked(text, hidden=text.count(mask) - written)

    def _cut(self, statement: Statement, words: SubjectWords) -> Masked:
        """Return the text with as much of its context as the model can read with any word at the mask."""
        loaded = self.precisions.quick
        context = self._shown(statement.context)
        while True:
            text = self._text(context, statement)
            filled = [text.sentence.replace(MASK, w) for subject in words for w in subject]
            longest = max(loaded.tokenizer.backend_tokenizer.encode_batch(filled), key=len)
            over = len(longest.ids) - loaded.max_length
            if over <= 0:
                break
            ends = [end for start, end in longest.offsets if start < end <= len(context)]
            if over >= len(ends):
                loaded.checked([len(longest.ids) + 1 - len(ends)], [statement.statement])
            context = context[: min(ends[-1 - over], len(context) - 1)]
        for name in statement.candidates:
            if name in statement.context and name not in context:
                raise ModelError(
                    f"{loaded.name}: the subject {name!r} was cut off with the end of its context: "
                    f"{statement.context[:80]!r}",
                    remedy="shorten the context, or choose a model that reads longer texts",
                )
        return text


def _probe(logits: MaskLogits, tokens: int) -> None:
    length = min(64, logits.loaded.max_length)
    query = Query((logits.loaded.tokenizer.mask_token_id,) * length, (0,) * length, 1)
    count = max(1, tokens // length)
    logits.at_once([query] * count, [[0]] * count)
