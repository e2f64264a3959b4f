"""Words of any script set in lines of a given width, from the left or from the right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.html.text_width import shortened
from nextset.text_tokens import is_unspaced

__all__ = ["PlacedWord", "Word", "drawn_width", "word_lines"]

_NARROW, _SLIM, _BROAD = frozenset("ijl.,:;'’|!·"), frozenset('frt()[]-‐‑"“”'), frozenset("mwMW@%&—…")
_SPACE = 0.3
"""The width of a space, and of other text, in heights of the font."""
_LONGEST = 60
"""The most letters of a word that is shown in full."""
_CLOSING = frozenset(("Pe", "Pf", "Po"))


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a text that is placed as a whole, or white space."""

    text: str
    """The piece; pieces follow each other without spaces between them."""
    padding: float = 0.0
    """The padding on either side."""
    least: float = 0.0
    """The least width of its text."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and its place in the lines."""

    number: int
    """Its number among all words, white space included."""
    text: str
    """Its shown text: a very long word lacks its middle."""
    line: int
    """Its line, from 0."""
    x: float
    """Its left edge, with its padding."""
    width: float
    """Its width, with its padding."""


@dataclass(frozen=True, slots=True)
class _Box:
    number: int
    text: str
    width: float
    gap: float
    breaks: bool
    """True if a line may end before it."""


def drawn_width(text: str, size: float) -> float:
    """Return the approximate width of ``text`` in a sans-serif font of ``size``, in the unit of ``size``."""
    return sum(map(_letter_width, text)) * size


def word_lines(
    words: Sequence[Word], direction: Literal["ltr", "rtl"], width: float, size: float
) -> list[PlacedWord]:
    """Return ``words`` in lines of ``width``, in reading order, without white space.

    ``size`` is the size of the font. With rtl, lines begin at the right. Consecutive words of the other
    direction are placed in their own direction.
    """
    placed: list[PlacedWord] = []
    for number, line in enumerate(_broken(list(_boxes(words, size)), width)):
        x = 0.0
        for box, gap in _in_order(line, direction):
            x += gap
            left = x if direction == "ltr" else width - x - box.width
            placed.append(PlacedWord(box.number, box.text, number, left, box.width))
            x += box.width
    return sorted(placed, key=lambda word: word.number)


def _boxes(words: Sequence[Word], size: float) -> Iterator[_Box]:
    spaced, before = False, ""
    for number, word in enumerate(words):
        spaced = spaced or word.text[:1].isspace()
        text = shortened(re.sub(r"\s+", " ", word.text.strip()), _LONGEST)
        if text:
            breaks = spaced or _may_break(before, text[0])
            wide = max(drawn_width(text, size), word.least) + 2 * word.padding
            yield _Box(number, text, wide, _SPACE * size if spaced else 0.0, breaks)
            spaced, before = False, text[-1]
        spaced = spaced or word.text[-1:].isspace()


def _may_break(before: str, after: str) -> bool:
    """Return whether a line may end between two characters without a space between them."""
    if not before or unicodedata.category(after) in _CLOSING:
        return False
    return is_unspaced(before) or is_unspaced(after)


def _broken(boxes: Sequence[_Box], width: float) -> list[list[_Box]]:
    groups: list[list[_Box]] = []
    for box in boxes:
        if box.breaks or not groups:
            groups.append([])
        groups[-1].append(box)
    if any(_length(group) > width for group in groups):  # a group that does not fit is broken anywhere
        groups = [part for g in groups for part in ([g] if _length(g) <= width else [[box] for box in g])]
    lines: list[list[_Box]] = []
    for group in groups:
        if lines and _length(lines[-1]) + group[0].gap + _length(group) <= width:
            lines[-1] += group
        else:
            lines.append(list(group))
    return lines


def _length(boxes: Sequence[_Box]) -> float:
    """Return the width of ``boxes`` next to each other, without the space before the first."""
    return sum(box.width + box.gap for box in boxes) - boxes[0].gap


def _in_order(line: Sequence[_Box], direction: str) -> list[tuple[_Box, float]]:
    """Return the boxes in their order on the line, each with the gap before it."""
    ordered: list[tuple[_Box, float]] = []
    run: list[_Box] = []
    for box in line:
        if _direction(box.text, direction) == direction:
            ordered += _reversed(run)
            run = []
            ordered.append((box, box.gap))
        else:
            run.append(box)
    ordered += _reversed(run)
    return [(box, gap if i else 0.0) for i, (box, gap) in enumerate(ordered)]


def _reversed(run: Sequence[_Box]) -> list[tuple[_Box, float]]:
    gaps = [box.gap for box in run[:1]] + [box.gap for box in run[:0:-1]]
    return list(zip(run[::-1], gaps, strict=True))


def _direction(text: str, base: str) -> str:
    for character in text:
        direction = {"L": "ltr", "EN": "ltr", "R": "rtl", "AL": "rtl"}.get(
            unicodedata.bidirectional(character)
        )
        if direction:
            return direction
    return base


def _letter_width(character: str) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character.isspace() or character in _NARROW:
        return 0.34
    if character in _SLIM:
        return 0.45
    return 1.0 if character in _BROAD else 0.76 if character.isupper() else 0.63
