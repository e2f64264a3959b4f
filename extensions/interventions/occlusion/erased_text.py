"""A text with one of its words erased or masked, and the new positions of its spans."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from nextset.records.question_quads import Span

__all__ = ["Erased", "erased"]

_OPENING = ("Ps", "Pi")
_TIES = frozenset("'’-‐‑")
"""Marks that attach a word to the one before them."""


@dataclass(frozen=True, slots=True)
class Erased:
    """A text without one of its words."""

    text: str
    gone: Span
    """The removed span, in the whole text."""
    instead: int
    """The number of characters in its place."""

    def moved(self, span: Span) -> Span:
        """Return the position in this text of ``span`` of the whole text, which must not overlap the removed
        span."""
        by = self.instead - (self.gone.end - self.gone.start) if span.start >= self.gone.end else 0
        return Span(span.start + by, span.end + by)


def erased(text: str, word: Span, gap: Span, instead: str = "") -> Erased:
    """Return ``text`` without ``word``, which is within ``gap``, or with ``instead`` in its place.

    Without ``instead``, one space next to the word is removed with it, unless the word is attached to text on
    its other side. Nothing outside ``gap`` is removed.
    """
    gone = word if instead else _with_space(text, word, gap)
    return Erased(text[: gone.start] + instead + text[gone.end :], gone, len(instead))


def _with_space(text: str, word: Span, gap: Span) -> Span:
    """Return ``word`` with the space that would be superfluous without the word, if there is one."""
    before = word.start > gap.start and text[word.start - 1].isspace()
    after = word.end < gap.end and text[word.end].isspace()
    if before and (after or _closes(text, word.end)):
        return Span(word.start - 1, word.end)
    if after and _opens(text, word.start):
        return Span(word.start, word.end + 1)
    return word


def _closes(text: str, at: int) -> bool:
    """Return whether the text ends at ``at``, or has a mark there that has no space before it."""
    if at == len(text):
        return True
    mark = text[at]
    return not mark.isalnum() and mark not in _TIES and unicodedata.category(mark) not in _OPENING


def _opens(text: str, at: int) -> bool:
    """Return whether the text begins at ``at``, or has white space or a mark without a space after it before
    ``at``."""
    if at == 0 or text[at - 1].isspace():
        return True
    return not text[at - 1].isalnum() and (at == 1 or text[at - 2].isspace())
