"""A text with one of its words erased or masked, and where its spans are then."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from nextset.records.question_quads import Span

__all__ = ["Erased", "erased"]

_OPENING = ("Ps", "Pi")
_TIES = frozenset("'’-‐‑")
"""Marks that tie a word to the one before them."""


@dataclass(frozen=True, slots=True)
class Erased:
    """A text without one of its words."""

    text: str
    """The text."""
    gone: Span
    """What is gone, in the whole text."""
    instead: int
    """How many characters are in its place."""

    def moved(self, span: Span) -> Span:
        """Return where ``span`` of the whole text is in this one; nothing of it is gone."""
        by = self.instead - (self.gone.end - self.gone.start) if span.start >= self.gone.end else 0
        return Span(span.start + by, span.end + by)


def erased(text: str, word: Span, gap: Span, instead: str = "") -> Erased:
    """Return ``text`` without ``word``, which is within ``gap``, or with ``instead`` in its place.

    Without ``instead`` one space beside the word goes with it, unless the word is tied to text on its other
    side. Nothing outside of ``gap`` goes.
    """
    gone = word if instead else _with_space(text, word, gap)
    return Erased(text[: gone.start] + instead + text[gone.end :], gone, len(instead))


def _with_space(text: str, word: Span, gap: Span) -> Span:
    """Return ``word`` with the space that would be too much without it, if there is one."""
    before = word.start > gap.start and text[word.start - 1].isspace()
    after = word.end < gap.end and text[word.end].isspace()
    if before and (after or _closes(text, word.end)):
        return Span(word.start - 1, word.end)
    if after and _opens(text, word.start):
        return Span(word.start, word.end + 1)
    return word


def _closes(text: str, at: int) -> bool:
    """Return whether nothing is at ``at``, or a mark that has no space before it."""
    if at == len(text):
        return True
    mark = text[at]
    return not mark.isalnum() and mark not in _TIES and unicodedata.category(mark) not in _OPENING


def _opens(text: str, at: int) -> bool:
    """Return whether nothing is before ``at``, or white space, or a mark that has no space after it."""
    if at == 0 or text[at - 1].isspace():
        return True
    return not text[at - 1].isalnum() and (at == 1 or text[at - 2].isspace())
