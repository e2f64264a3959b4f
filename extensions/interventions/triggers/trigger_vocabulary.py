"""The tokens that a trigger may have, and the words that are not allowed: subjects and protected groups.

The text of a token is read as the same token in the trigger's place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from nextset.errors import ModelError
from nextset.extensions.interventions.triggers.trigger_place import Around
from nextset.generation.word_forms import english_words, is_english
from nextset.letter_case import folded
from nextset.scoring.masks.whole_words import Tokens, tokens_over
from nextset.scoring.masks.word_pattern import is_part, words_in
from nextset.scoring.models.loading import Loaded
from nextset.study.scoring_settings import StatementSettings
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["Trigger", "TriggerVocabulary", "TriggerWords", "group_words", "subject_words"]

_NAMED = ("subject1", "subject2", "candidate1", "candidate2")

_SPANS = ("subject1_in_12", "subject2_in_12")


@dataclass(frozen=True)
class TriggerWords:
    """The rules for the texts of a trigger's tokens."""

    language: str
    """BCP 47 tag of the rows."""
    refused: frozenset[str]
    """The words of subjects or groups, casefolded."""
    readable: bool
    """True if only whole words of letters may be used."""

    def fits(self, text: str) -> bool:
        """Return whether ``text`` may be in a trigger."""
        groups = protected_groups(self.language)
        if folded(text) in self.refused or not self.refused.isdisjoint(words_in(text)):
            return False
        if groups is not None and groups.named_by(text):
            return False
        return not self.readable or self._is_word(text)

    def _is_word(self, text: str) -> bool:
        """Return whether ``text`` is a word of two letters or more; in English also a known one."""
        if sum(map(str.isalpha, text)) < 2 or not is_part(text) or not set(text).isdisjoint("'’-\u200c"):
            return False
        if not is_english(self.language):
            return True
        closed = closed_class_words(self.language)
        return english_words().has(text) or (closed is not None and text.lower() in closed.functions)


def subject_words(rows: pa.Table, masks: StatementSettings) -> frozenset[str]:
    """Return the subjects' words in quads or masked statements, as named and as written, and the pronouns."""
    texts = {text for name in _NAMED if name in rows.column_names for text in rows[name].unique().to_pylist()}
    codes = rows["context_12"].combine_chunks().cast(pa.string()).dictionary_encode().indices.to_numpy()
    contexts = rows.select(["context_12", *_SPANS]).take(np.unique(codes, return_index=True)[1])
    for row in contexts.to_pylist():
        texts |= {row["context_12"][row[span]["start"] : row[span]["end"]] for span in _SPANS}
    return _words([*texts, *masks.pronouns.values()])


def group_words(items: pa.Table) -> frozenset[str]:
    """Return the words of the groups of NLI ``items``."""
    bindings = [b for b in items["bindings"].to_pylist() if b is not None]
    return _words({b[name] for b in bindings for name in ("group1", "group2")})


def _words(texts: Iterable[str]) -> frozenset[str]:
    words = {word for text in texts for word in words_in(text)}
    return frozenset({*words, *(part for word in words for part in word.split("-") if part)})


Trigger = tuple[int, ...]
"""The tokens of a trigger, as numbers in a model's vocabulary."""

_LETTERS = re.compile(r"[^\W\d_]+")

FEWEST = 2
"""The fewest tokens per position that give a choice."""


@dataclass(frozen=True)
class TriggerVocabulary:
    """The tokens of a model that triggers may have."""

    texts: tuple[str, ...]
    """The text of each token of the vocabulary, without spaces around it."""
    allowed: tuple[Tokens, ...]
    """The allowed tokens for each position of the trigger."""
    join: str
    """The text between the tokens of a trigger."""

    @classmethod
    def of(
        cls, loaded: Loaded, around: Around, join: str, tokens: int, fits: Callable[[str], bool]
    ) -> TriggerVocabulary:
        """Return the tokens that survive text → tokens → text in a trigger of this number of ``tokens``.

        The trigger is between the texts of ``around``; ``fits`` says which texts of tokens may be used.
        Special tokens, the unknown token and texts that cannot be shown are never allowed. Raises ModelError
        if a position has fewer than `FEWEST` tokens.
        """
        tokenizer = loaded.tokenizer
        size = min(len(tokenizer), loaded.model.get_input_embeddings().num_embeddings)
        backend = tokenizer.backend_tokenizer
        written = backend.decode_batch([[i] for i in range(size)], skip_special_tokens=False)
        texts = tuple(text.strip() for text in written)
        special = {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
        wanted = [i for i, text in enumerate(texts) if i not in special and _shown(text) and fits(text)]
        by_place: dict[tuple[bool, bool], Tokens] = {}
        for k in range(tokens):
            first, last = k == 0, k == tokens - 1
            if (first, last) not in by_place:
                place = _next_to(around, join, first=first, last=last)
                by_place[first, last] = _read_as_themselves(backend, place, wanted, texts, size)
        allowed = tuple(by_place[k == 0, k == tokens - 1] for k in range(tokens))
        if min(int(mask.sum()) for mask in allowed) < FEWEST:
            raise ModelError(
                f"{loaded.name} has too few tokens for a trigger: {len(wanted):,} of {size:,} may be used, "
                f"and {min(int(mask.sum()) for mask in allowed):,} of these are read as themselves there",
                remedy="set interventions.triggers.words: false, or choose a different model",
            )
        return cls(texts, allowed, join)

    def text(self, trigger: Sequence[int]) -> str:
        """Return ``trigger`` as text."""
        return self.join.join(self.texts[token] for token in trigger)


def _shown(text: str) -> bool:
    """Return whether ``text`` can be in a text and in a table."""
    usable = bool(text) and text.isprintable() and not any(c in text for c in "\ufffd{}[]<>")
    return usable and unicodedata.is_normalized("NFC", text) and "  " not in text


def _next_to(around: Around, join: str, *, first: bool, last: bool) -> Around:
    """Return the text next to a token of a trigger: the text around the trigger, or another word."""
    word = _LETTERS.search(f"{around.right} {around.left}")
    other = "a" if word is None else word[0] if join else word[0][0]
    left = around.left if first else around.left + other + join
    right = around.right if last else join + other + around.right
    return Around(left, right)


def _read_as_themselves(
    backend: Any, place: Around, wanted: Sequence[int], texts: Sequence[str], size: int
) -> Tokens:
    mask = np.zeros(size, np.bool_)
    if not wanted:
        return mask
    start = len(place.left)
    written = [place.left + texts[i] + place.right for i in wanted]
    encodings = backend.encode_batch(written, add_special_tokens=False)
    for i, text, encoding in zip(wanted, written, encodings, strict=True):
        over = tokens_over(encoding, text, start, start + len(texts[i]), False)
        mask[i] = [encoding.ids[at] for at in over] == [i]
    return mask
