"""Masked sentences and their tokens, for masked language models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.masks.logits import Query
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.models.loading import Loaded

__all__ = ["Masked", "Prompt", "Tokens", "encodings_of", "tokens_of"]


@dataclass(frozen=True, slots=True, order=True)
class Masked:
    """A sentence with one or more {{MASK}}."""

    sentence: str
    premise: str = ""
    """The text that the model reads before it, as the first text of a pair; may be empty."""
    hidden: int = 0
    """The number of the model's own mask tokens before the first {{MASK}}, in place of words that the model
    must not see."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Masked sentences that get the same words, chosen for all of them together; usually one sentence."""

    sentences: tuple[Masked, ...]
    """The sentences; all have the same number of masks."""
    words: tuple[str, ...] = ()
    """The only words that may fill the one mask, each of one or more tokens; empty for any word."""
    demands: str = ""
    """The words that the masks take, as a model that writes is told; empty for a masked language model."""

    @classmethod
    def alone(cls, sentence: str, premise: str = "") -> Prompt:
        """Return a prompt with one sentence."""
        return cls((Masked(sentence, premise),))


@dataclass(frozen=True, slots=True)
class Tokens:
    """A masked sentence as the model reads it, filled from left to right."""

    text: str
    """The sentence, with {{MASK}} at the places that are not filled yet."""
    ids: tuple[int, ...]
    """The tokens of premise and sentence, special tokens included; one mask token per {{MASK}}."""
    types: tuple[int, ...]
    """The segment of each token."""
    masks: tuple[int, ...]
    """The positions of the masks."""

    def asking(self, pieces: Sequence[int], length: int) -> Query:
        """Return the query for the next of ``length`` tokens at the first mask, after ``pieces``."""
        mask = self.ids[self.masks[0]]
        there = [*pieces, *[mask] * (length - len(pieces))]
        return Query(*self._with(there), self.masks[0] + len(pieces))

    def filled(self, word: str, pieces: Sequence[int]) -> Tokens:
        """Return the sentence with ``word`` at the first mask."""
        rest = tuple(at + len(pieces) - 1 for at in self.masks[1:])
        return Tokens(self.text.replace(MASK, word, 1), *self._with(pieces), rest)

    def _with(self, pieces: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        at = self.masks[0]
        types = (*self.types[:at], *[self.types[at]] * len(pieces), *self.types[at + 1 :])
        return (*self.ids[:at], *pieces, *self.ids[at + 1 :]), types


def tokens_of(loaded: Loaded, sentences: Iterable[Masked], pieces: int) -> dict[Masked, Tokens]:
    """Return the tokens of masked sentences.

    Raises ModelError, naming the sentence, if it has no mask, contains the model's own mask token, is too
    long with ``pieces`` tokens per mask, or if the tokenizer does not return one mask token per mask.
    """
    tokens, mask = {}, loaded.tokenizer.mask_token_id
    for m, encoding in encodings_of(loaded, sentences).items():
        ids = tuple(encoding.ids)
        at = tuple(i for i, token in enumerate(ids) if token == mask)
        tokens[m] = Tokens(m.sentence, ids, tuple(encoding.type_ids), at[m.hidden :])
    longest = [len(t.ids) + len(t.masks) * (pieces - 1) for t in tokens.values()]
    loaded.checked(longest, [f"{m.premise} {m.sentence}".strip() for m in tokens])
    return tokens


def encodings_of(loaded: Loaded, sentences: Iterable[Masked]) -> dict[Masked, Any]:
    """Return the tokenizer's Encoding of each masked sentence, with the model's mask token at its masks.

    Raises ModelError, naming the sentence, if it has no mask, contains the model's own mask token, or if the
    tokenizer does not return one mask token per mask.
    """
    masked = list(dict.fromkeys(sentences))
    mask = loaded.tokenizer.mask_token
    for m in masked:
        _check_text(m, mask)
    texts = [m.sentence.replace(MASK, mask) for m in masked]
    encodings = loaded.tokenizer.backend_tokenizer.encode_batch(
        [(m.premise, text) if m.premise else text for m, text in zip(masked, texts, strict=True)]
    )
    for m, encoding in zip(masked, encodings, strict=True):
        there = encoding.ids.count(loaded.tokenizer.mask_token_id)
        if there != m.sentence.count(MASK) + m.hidden:
            raise ModelError(
                f"the tokenizer of {loaded.name} must return one mask token per mask; mask tokens: {there}, "
                f"masks: {m.sentence.count(MASK) + m.hidden}, in {m.sentence[:80]!r}",
                remedy="check the tokenizer's files, or choose a model whose mask token is a special token",
            )
    return dict(zip(masked, encodings, strict=True))


def _check_text(masked: Masked, mask: str) -> None:
    if MASK not in masked.sentence:
        raise ModelError(
            f"there is no {MASK} in {masked.sentence[:80]!r}", remedy=f"write {MASK} in place of the word"
        )
    for text, hidden in ((masked.sentence, masked.hidden), (masked.premise, 0)):
        if text.count(mask) != hidden:
            raise ModelError(f"the model's own mask token is in {text[:80]!r}", remedy=f"write only {MASK}")
    if MASK in masked.premise:
        raise ModelError(
            f"{MASK} is in the premise {masked.premise[:80]!r}", remedy="use masks only in the hypothesis"
        )
