"""Whole words: the tokens that the tokenizer itself reads as one whole word at a place in a sentence."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nextset.scoring.masks.word_pattern import is_part, is_word, touches

__all__ = ["Pieces", "Place", "Tokens", "WholeWords", "mask_takes_blank", "pieces_by_itself", "tokens_over"]

Pieces = tuple[int, ...]
"""The tokens of a word, in their order."""

Tokens = np.ndarray[Any, np.dtype[np.bool_]]
"""A set of tokens of the vocabulary, as a mask that is True at their ids."""

# up to and including the next spaces; some tokenizers treat other white space like a letter
_AFTER = re.compile(r"[^ ]* *")


@dataclass(frozen=True, slots=True)
class Place:
    """The part of the text around a word that decides how the tokenizer reads the word."""

    left: str
    """The text before the word."""
    right: str
    """The text after the word."""


class WholeWords:
    """A check for whole words: the tokenizer reads the tokens in their place, and results are stored.

    If a tokenizer splits text at spaces, only the text up to the next words decides how it reads a word. The
    place is then only that text, and one check serves every sentence with the same place.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._backend = tokenizer.backend_tokenizer
        self._size = len(tokenizer)
        self._mask, self._mask_id = tokenizer.mask_token, tokenizer.mask_token_id
        self._words: dict[Pieces, str] = {}
        self._whole: dict[Place, dict[Pieces, bool]] = {}
        self._pieces: dict[Place, dict[str, Pieces]] = {}
        self._unknown = tokenizer.unk_token_id
        self._splits = _splits_at_blanks(self._backend)

    def place(self, text: str, start: int, end: int) -> Place:
        """Return the place of the word from ``start`` to ``end`` of ``text``."""
        left, right = text[:start], text[end:]
        if not self._splits:
            return Place(left, right)
        before = len(left[: left.rfind(" ") + 1].rstrip(" "))
        after = _AFTER.match(right)
        assert after is not None
        return Place(
            left if before == 0 else f"a{left[before:]}",
            after[0] if after.end() == len(right) else f"{after[0]}a",
        )

    def words(self, candidates: Sequence[Pieces]) -> list[str]:
        """Return the text of each candidate, without spaces around it; special tokens have an empty text."""
        unknown = [c for c in dict.fromkeys(candidates) if c not in self._words]
        if unknown:
            texts = self._backend.decode_batch([list(c) for c in unknown], skip_special_tokens=True)
            self._words.update(zip(unknown, (t.strip() for t in texts), strict=True))
        return [self._words[c] for c in candidates]

    def whole(self, place: Place, candidates: Sequence[Pieces]) -> list[bool]:
        """Return True for each candidate that is exactly the tokens of one whole word at ``place``."""
        known = self._whole.setdefault(place, {})
        unknown = [c for c in dict.fromkeys(candidates) if c not in known]
        if unknown:
            words = self.words(unknown)
            known.update(dict.fromkeys(unknown, False))
            read = [(c, w) for c, w in zip(unknown, words, strict=True) if is_word(w)]
            texts = [place.left + w + place.right for _, w in read]
            encodings = self._backend.encode_batch(texts, add_special_tokens=False)
            start, takes_blank = len(place.left), self._takes_blank(place)
            for (pieces, word), encoding, text in zip(read, encodings, texts, strict=True):
                end = start + len(word)
                over = tokens_over(encoding, text, start, end, takes_blank)
                beside = text[max(0, start - 1) : start] + text[end : end + 1]
                same = tuple(encoding.ids[i] for i in over) == pieces
                known[pieces] = same and not any(map(touches, beside))
        return [known[c] for c in candidates]

    def pieces(self, place: Place, word: str) -> Pieces:
        """Return the tokens of ``word``, which may have several parts, at ``place``.

        The result is empty if a token is unknown or extends beyond the word.
        """
        known = self._pieces.setdefault(place, {})
        if word not in known:
            text, start = place.left + word + place.right, len(place.left)
            end = start + len(word)
            encoding = self._backend.encode(text, add_special_tokens=False)
            over = tokens_over(encoding, text, start, end, self._takes_blank(place))
            tokens = tuple(encoding.ids[i] for i in over)
            beside = text[max(0, start - 1) : start] + text[end : end + 1]
            known[word] = () if self._unknown in tokens or any(map(touches, beside)) else tokens
        return known[word]

    def _takes_blank(self, place: Place) -> bool:
        text = place.left + self._mask + place.right
        encoding = self._backend.encode(text, add_special_tokens=False)
        return mask_takes_blank(encoding, text, self._mask_id)

    def beginning(self, place: Place) -> Tokens:
        """Return the tokens that can begin a word of several pieces at ``place``."""
        word = self.words([(self._plain_word,)])[0]
        encoding = self._backend.encode(place.left + word + place.right, add_special_tokens=False)
        start = len(place.left)
        first = next((i for i, (a, b) in enumerate(encoding.offsets) if a <= start < b), None)
        glued = first is not None and bool(self.continuing[encoding.ids[first]])
        return self.continuing if glued else self._apart

    @functools.cached_property
    def continuing(self) -> Tokens:
        """The tokens that continue a word: the tokenizer writes them without a space before them."""
        return np.array([is_part(piece) for piece in self._after_a_word])

    @functools.cached_property
    def _apart(self) -> Tokens:
        """The tokens that the tokenizer writes with a space before them, or as a space."""
        rest = [(p, p.lstrip()) for p in self._after_a_word]
        return np.array([p != word and (not word or is_part(word)) for p, word in rest])

    @functools.cached_property
    def _after_a_word(self) -> list[str]:
        """The text that the tokenizer writes for each token after a word."""
        word = self._plain_word
        texts = self._backend.decode_batch([[word, i] for i in range(self._size)], skip_special_tokens=True)
        alone = self._backend.decode([word])
        return [text[len(alone) :] if text.startswith(alone) else "" for text in texts]

    @functools.cached_property
    def _plain_word(self) -> int:
        """The first token that is a whole word between two other words."""
        place = self.place("a b a", 2, 3)
        for at in range(0, self._size, 256):
            block = range(at, min(at + 256, self._size))
            whole = self.whole(place, [(i,) for i in block])
            if True in whole:
                return block[whole.index(True)]
        return 0


def _splits_at_blanks(backend: Any) -> bool:
    """Return True if words are read one by one; if False, text after the next space can affect a word."""
    text = "a b" if backend.normalizer is None else backend.normalizer.normalize_str("a b")
    return backend.pre_tokenizer is not None and len(backend.pre_tokenizer.pre_tokenize_str(text)) > 1


def tokens_over(encoding: Any, text: str, start: int, end: int, mask_takes_blank: bool) -> list[int]:
    """Return the places of the tokens that cover the text from ``start`` to ``end`` and nothing else.

    A space before the word may belong to its first token. A token that is only that space counts as the
    word's if the mask also covers the space. The result is empty if a token extends further. ``text`` is the
    last of the texts in ``encoding``.
    """
    parts, offsets = encoding.sequence_ids, encoding.offsets  # each access builds a new list
    sequence = max(n for n in parts if n is not None)
    spans = {i: offsets[i] for i, n in enumerate(parts) if n == sequence}
    there = [i for i, (first, last) in spans.items() if first < end and last > start]
    if not there or spans[there[-1]][1] != end or not start - 1 <= spans[there[0]][0] <= start:
        return []
    before = there[0] - 1
    if mask_takes_blank and _is_blank(spans.get(before), text, start):
        there = [before, *there]
    return there


def mask_takes_blank(encoding: Any, text: str, mask: int) -> bool:
    """Return True if the last ``mask`` of ``encoding`` also covers the space before it.

    ``text`` is the last of the texts in ``encoding``.
    """
    at = len(encoding.ids) - 1 - encoding.ids[::-1].index(mask)
    start = encoding.offsets[at][0]
    inside = at > 0 and encoding.sequence_ids[at - 1] == encoding.sequence_ids[at]
    return not (inside and _is_blank(encoding.offsets[at - 1], text, start))


def pieces_by_itself(backend: Any, mask: str, number: int, text: str, start: int, end: int) -> Pieces:
    """Return the tokens of the word from ``start`` to ``end`` of ``text``, read between two masks.

    In scripts without spaces, a tokenizer may join the end of a word and the beginning of the next word into
    one token, which a mask cannot replace. The result is empty if neither letter next to the word belongs to
    such a script.
    """
    beside = text[max(0, start - 1) : start] + text[end : end + 1]
    if start == end or any(map(touches, beside)) or not any(map(str.isalnum, beside)):
        return ()
    tokens = backend.encode(mask + text[start:end] + mask, add_special_tokens=False).ids
    first, last = tokens.index(number), len(tokens) - 1 - tokens[::-1].index(number)
    pieces = tokens[first + 1 : last]
    # some tokenizers put a space before each text
    while len(pieces) > 1 and not backend.decode(pieces[:1]).strip():
        del pieces[0]
    return tuple(pieces)


def _is_blank(span: tuple[int, int] | None, text: str, end: int) -> bool:
    return span is not None and span[1] == end and not text[span[0] : end].strip()
