"""Masked language models asked which of two subjects a statement is about (UnQover, Li et al. 2020)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nextset.errors import ModelError
from nextset.study import MaskSettings, ModelSettings, ScoringSettings
from scoring.batches import Budget, budget_of, in_batches
from scoring.loading import Loaded
from scoring.mask_logits import MaskLogits, Query
from scoring.mask_words import mask_words
from scoring.masked_lm import check_mask_token
from scoring.masked_text import Masked, Tokens, tokens_of
from scoring.scorer import SUBJECT_COLUMNS, Asking, Numbers, Statement
from scoring.sources import ModelSource
from scoring.twins import Twins
from scoring.whole_words import Pieces, WholeWords
from scoring.words import MASK

__all__ = ["EncodedStatement", "MaskedSubjectScorer"]

Asked = tuple[tuple[Query, int], ...]
"""A word at the mask, token by token: what is asked, and the token whose probability counts."""


@dataclass(frozen=True, slots=True)
class EncodedStatement:
    """A statement behind its context as the model reads them."""

    subjects: tuple[tuple[Asked, ...], tuple[Asked, ...]]
    """The words that stand for each subject."""
    truncated: bool
    """Whether the context was cut."""

    def queries(self) -> list[tuple[Query, int]]:
        """All that is asked about it."""
        return [one for words in self.subjects for word in words for one in word]


@dataclass(frozen=True)
class MaskedSubjectScorer:
    """A loaded masked language model: a `scoring.scorer.Scorer` of statements."""

    twins: Twins
    """Model, tokenizer and device; and the model in float32."""
    quick: MaskLogits
    """Asks the model in the study's precision."""
    exact: Callable[[], MaskLogits]
    """Asks it in float32."""
    words: WholeWords
    """Knows how its tokenizer reads a word at its place."""
    budget: Budget
    """Tokens a batch."""
    masks: MaskSettings
    """Which words stand for a subject."""
    truncates: bool
    """Whether a context that is too long is cut."""

    columns = SUBJECT_COLUMNS

    @classmethod
    def load(
        cls, source: ModelSource, asking: Asking | None = None, device: str | None = None
    ) -> MaskedSubjectScorer:
        """Load a masked language model; raises ModelError."""
        asking = asking or Asking("statement", ScoringSettings(), ModelSettings())
        twins = Twins.load(source, "AutoModelForMaskedLM", asking, device)
        check_mask_token(twins.quick)
        quick = MaskLogits.of(twins.quick)
        found = cls(
            twins,
            quick,
            functools.cache(lambda: quick if twins.exact() is twins.quick else MaskLogits.of(twins.exact())),
            WholeWords(twins.quick.tokenizer),
            Budget(1),
            asking.scoring.masks,
            asking.model.too_long == "truncate",
        )
        return replace(found, budget=budget_of(twins.quick, lambda tokens: _probe(quick, tokens)))

    def encoded(self, inputs: Sequence[Statement]) -> list[EncodedStatement]:
        """Context, blank and statement as one text, with the tokens of every word that the mask may take.

        A context that is too long is cut at its end where the study says so. Raises ModelError for inputs
        that are too long else, for a subject that was cut away, and for a word that the tokenizer does not
        know or does not read as whole tokens there.
        """
        wanted = mask_words(inputs, self.masks)
        texts = [self._whole(s) for s in inputs]
        if self.truncates:
            texts = [
                self._cut(s, text, sum(words, ()))
                for s, text, words in zip(inputs, texts, wanted, strict=True)
            ]
        read = tokens_of(self.twins.quick, texts, 1)
        found, lengths = [], []
        for statement, text, words in zip(inputs, texts, wanted, strict=True):
            pieces = dict(zip(sum(words, ()), self._pieces(text, sum(words, ())), strict=True))
            first, second = (tuple(_asked(read[text], pieces[w]) for w in some) for some in words)
            found.append(EncodedStatement((first, second), text != self._whole(statement)))
            lengths.append(max(len(query.ids) for query, _ in found[-1].queries()))
        self.twins.quick.checked(lengths, [text.sentence for text in texts])
        return found

    def scores(self, encoded: Sequence[EncodedStatement]) -> Numbers:
        """Each subject's probability at the mask, columns `SUBJECT_COLUMNS`; equal queries are asked once."""
        return self._numbers(self.quick, encoded, self.budget)

    def alone(self, encoded: Sequence[EncodedStatement]) -> Numbers:
        """The same in float32, each query by itself."""
        rows = [self._numbers(self.exact(), [e], Budget(1)) for e in encoded]
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
                found = [np.exp(sum(known[one] for one in word)) for word in words]
                row[subject] = sum(found) if self.masks.combine == "sum" else max(found)
            row[3] = e.truncated
        return numbers

    def _whole(self, statement: Statement) -> Masked:
        return Masked(f"{statement.context} {statement.statement}")

    def _pieces(self, text: Masked, words: Sequence[str]) -> list[Pieces]:
        """The tokens of each word at the mask of ``text``."""
        at = text.sentence.find(MASK)
        if text.sentence.count(MASK) != 1:
            raise ModelError(
                f"{text.sentence.count(MASK)} masks where one is needed: {text.sentence[:80]!r}",
                remedy=f"write {MASK} once in a statement, and not in its context",
            )
        found = self.words.read(self.words.place(text.sentence, at, at + len(MASK)), words)
        for word, pieces in zip(words, found, strict=True):
            if not pieces or self.twins.quick.tokenizer.unk_token_id in pieces:
                why = "is unknown to it" if pieces else "is no run of whole tokens"
                raise ModelError(
                    f"the tokenizer of {self.twins.quick.name}: {word!r} {why} in {text.sentence[:80]!r}",
                    remedy="choose another model for this language, or reword the statement",
                )
        return found

    def _cut(self, statement: Statement, text: Masked, words: Sequence[str]) -> Masked:
        """The text with as much of its context as the model reads, whatever word is at the mask."""
        loaded = self.twins.quick
        context = statement.context
        while True:
            encoding = _encoding(loaded, text)
            longest = max(map(len, self._pieces(text, words)))
            over = len(encoding.ids) + longest - 1 - loaded.max_length
            if over <= 0:
                break
            ends = [end for start, end in encoding.offsets if start < end <= len(context)]
            if over >= len(ends):
                loaded.checked([len(encoding.ids) + longest - len(ends)], [statement.statement])
            context = context[: min(ends[-1 - over], len(context) - 1)]
            text = Masked(f"{context} {statement.statement}")
        for name in statement.candidates:
            if name in statement.context and name not in context:
                raise ModelError(
                    f"{loaded.name}: the subject {name!r} was cut away with the end of its context: "
                    f"{statement.context[:80]!r}",
                    remedy="shorten the context, or choose a model that reads it whole",
                )
        return text


def _asked(tokens: Tokens, pieces: Pieces) -> Asked:
    """Each token of a word with those before it in place, itself and those behind it masked."""
    return tuple((tokens.asking(pieces[:n], len(pieces)), piece) for n, piece in enumerate(pieces))


def _encoding(loaded: Loaded, text: Masked) -> Any:
    return loaded.tokenizer.backend_tokenizer.encode(text.sentence.replace(MASK, loaded.tokenizer.mask_token))


def _probe(logits: MaskLogits, tokens: int) -> None:
    length = min(64, logits.loaded.max_length)
    query = Query((logits.loaded.tokenizer.mask_token_id,) * length, (0,) * length, 1)
    count = max(1, tokens // length)
    logits.at_once([query] * count, [[0]] * count)
