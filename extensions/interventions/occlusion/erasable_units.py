"""The words or tokens of a text that can be erased one at a time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from nextset.records.question_quads import Span
from nextset.text_tokens import all_pieces, is_unspaced

__all__ = ["gaps", "tokens_in", "words_in_gap"]

_JOINS = frozenset("'’-‐‑·.")
"""Marks that join two parts of a word: isn't, l’eau, well-known, U.S., 3.5."""
_ATTACHES = frozenset("'’-‐‑")
"""The marks among them that attach text to the subject next to it: John's, d’Anne, ex-Berliner."""
_ZERO_WIDTH_SPACE = "\u200b"


def gaps(region: Span, fixed: Iterable[Span]) -> list[Span]:
    """Return the parts of ``region`` before, between and after the ``fixed`` spans inside it, in order.

    There is one more part than there are such spans; parts may be empty.
    """
    spans, start = [], region.start
    inside = (span for span in fixed if span.start < region.end and span.end > region.start)
    for span in sorted(inside, key=lambda s: (s.start, s.end)):
        spans.append(Span(start, max(start, span.start)))
        start = max(start, span.end)
    return [*spans, Span(start, max(start, region.end))]


def words_in_gap(text: str, gap: Span) -> list[Span]:
    """Return the words of ``text`` within ``gap``, in order; marks by themselves are not words.

    Words are those of Unicode's default segmentation (UAX 29), but hyphens are part of a word. In scripts
    without spaces between words, each character is a word, with its marks. Text that an apostrophe or a
    hyphen attaches to the text next to the gap, such as a subject's 's or d’, is a word together with that
    mark.
    """
    words: list[Span] = []
    end = gap.start
    for written in all_pieces(text[gap.start : gap.end]):
        piece = Span(end, end + len(written))
        end = piece.end
        if not _has_letters(text, piece):
            continue
        if words and _joined(text, words[-1], piece):
            words[-1] = Span(words[-1].start, piece.end)
        else:
            words.append(piece)
    if words and words[0].start == gap.start + 1 and _attached(text, gap.start, gap.start - 1):
        words[0] = Span(gap.start, words[0].end)
    if words and words[-1].end == gap.end - 1 and _attached(text, gap.end - 1, gap.end):
        words[-1] = Span(words[-1].start, gap.end)
    return words


def tokens_in(text: str, gap: Span, tokens: Sequence[Span]) -> list[Span]:
    """Return the ``tokens`` of ``text`` that have letters or digits and are within ``gap``, without spaces.

    Tokens that share a character, as in models that read bytes, are merged; a token that extends beyond the
    gap is skipped.
    """
    merged: list[Span] = []
    for token in sorted((_without_spaces(text, t) for t in tokens), key=lambda t: (t.start, t.end)):
        if token.start == token.end:
            continue
        if merged and token.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, token.end))
        else:
            merged.append(token)
    return [t for t in merged if t.start >= gap.start and t.end <= gap.end and _has_letters(text, t)]


def _has_letters(text: str, span: Span) -> bool:
    return any(map(str.isalnum, text[span.start : span.end]))


def _joined(text: str, before: Span, after: Span) -> bool:
    """Return whether the text between two pieces joins them to one word; format characters are ignored."""
    between = [c for c in text[before.end : after.start] if not _is_format(c)]
    beside = text[before.end - 1], text[after.start]
    if any(map(is_unspaced, beside)) or len(between) > 1:
        return False
    return (between[0] in _JOINS) if between else before.end < after.start


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf" and character != _ZERO_WIDTH_SPACE


def _attached(text: str, mark: int, beside: int) -> bool:
    """Return whether the mark at ``mark`` attaches its word to a letter at ``beside``, outside the gap."""
    return text[mark] in _ATTACHES and 0 <= beside < len(text) and text[beside].isalnum()


def _without_spaces(text: str, token: Span) -> Span:
    inside = text[token.start : token.end]
    start = token.start + len(inside) - len(inside.lstrip())
    return Span(start, max(start, token.start + len(inside.rstrip())))
