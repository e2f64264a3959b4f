"""Texts whose words are coloured by a value, with a legend, as an SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from nextset.html.diverging_scale import diverging, hundredths
from nextset.html.svg import CELL_INK, FONT, INK, PALE, QUIET, WIDTH, drawable
from nextset.html.text_direction import text_direction
from nextset.html.text_width import shortened
from nextset.html.word_lines import PlacedWord, Word, drawn_width, word_lines

__all__ = ["ColouredText", "ColouredWord", "coloured_texts"]

_MARGIN, _PADDING = 4.0, 3.0
_SMALL = 10
"""The size of the numbers under words."""
_LINE, _BOX, _BASE = 36.0, 20.0, 14.5
"""The height of a line of text, the height of a word's box, and the baseline of its letters."""
_CELLS, _CELL = 11, 14.0
"""The number of cells in the legend, and their width."""
_LEAST = 0.01
"""The least end of the scale: smaller changes stay pale."""


@dataclass(frozen=True, slots=True)
class ColouredWord:
    """A piece of a text: a word with a value, or the text between two such words."""

    text: str
    """The text, with the spaces around it."""
    value: float | None = None
    """Its value; None if it has no colour."""


@dataclass(frozen=True, slots=True)
class ColouredText:
    """A text with a heading."""

    heading: str
    paragraphs: tuple[tuple[ColouredWord, ...], ...]
    """The words of each paragraph."""
    language: str
    """BCP 47 tag; it decides the direction of the text."""


def coloured_texts(
    texts: Sequence[ColouredText],
    *,
    title: str,
    subtitle: Sequence[str],
    ends: tuple[str, str],
    alt_text: str,
) -> str:
    """Return ``texts`` as an SVG element that fills its container, each word with its value in hundredths.

    All texts share one scale, blue below 0 and orange above; the legend names its ``ends``. The number under
    each word has the same meaning as its colour, and a word's title has the full value. Texts are escaped. No
    style sheet is needed. Screen readers read ``alt_text``.
    """
    values = [w.value for t in texts for p in t.paragraphs for w in p if w.value is not None]
    most = max((abs(value) for value in values), default=0.0)
    parts = [_text(shortened(title, 38), _MARGIN, 18, INK, 16, bold=True)]
    y = 22.0
    for line in subtitle:
        y += 18
        parts.append(_text(shortened(line, 56), _MARGIN, y - 4, QUIET, FONT))
    parts += _legend(max(most, _LEAST), ends, y + 6)
    y += 48
    for text in texts:
        drawn, y = _drawn(text, max(most, _LEAST), y)
        parts += drawn
    box = f"0 0 {WIDTH} {round(y + 4)}"
    alt = drawable(alt_text)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label={quoteattr(alt)}>'
    )
    font = f'<g font-family="sans-serif" font-size="{FONT}">'
    return "".join([opening, f"<title>{escape(alt)}</title>", font, *parts, "</g></svg>"])


def _legend(most: float, ends: tuple[str, str], y: float) -> list[str]:
    start = (WIDTH - _CELLS * _CELL) / 2
    half = _CELLS // 2
    parts = []
    for i in range(_CELLS):
        share = (i - half) / half
        parts.append(_rectangle(start + i * _CELL, y, _CELL, 12, diverging(share)))
        if i in (0, half, _CELLS - 1):
            middle = start + (i + 0.5) * _CELL
            parts.append(_text(_number(share * most, most), middle, y + 24, QUIET, _SMALL, anchor="middle"))
    below, above = ends
    parts.append(_text(shortened(below, 14), start - 6, y + 10, QUIET, FONT - 1, anchor="end"))
    end = start + _CELLS * _CELL + 6
    return [*parts, _text(shortened(above, 14), end, y + 10, QUIET, FONT - 1)]


def _drawn(text: ColouredText, most: float, y: float) -> tuple[list[str], float]:
    """Return the parts of ``text``, drawn from ``y`` down, and the y at which they end."""
    parts = [_text(shortened(text.heading, 48), _MARGIN, y + 16, INK, FONT, bold=True)]
    y += 26
    direction: Literal["ltr", "rtl"] = "rtl" if text_direction(text.language) == "rtl" else "ltr"
    parts.append(f"<g lang={quoteattr(drawable(text.language))}>")
    for words in text.paragraphs:
        split = [own for word in words for own in _split(word)]
        placed = word_lines([_word(w, most) for w in split], direction, WIDTH - 2 * _MARGIN, FONT)
        for place in placed:
            parts.append(_placed(split[place.number], place, most, y, direction))
        y += _LINE * (1 + max((place.line for place in placed), default=-1))
    return [*parts, "</g>"], y + 4


def _split(word: ColouredWord) -> list[ColouredWord]:
    """Return a word with a value by itself, or the words of a text without a value."""
    if word.value is not None:
        return [word]
    return [ColouredWord(piece) for piece in re.findall(r"\s+|\S+", word.text)]


def _word(word: ColouredWord, most: float) -> Word:
    if word.value is None:
        return Word(drawable(word.text))
    least = drawn_width(_number(word.value, most), _SMALL)
    return Word(drawable(word.text), _PADDING, least)


def _placed(word: ColouredWord, place: PlacedWord, most: float, y: float, direction: str) -> str:
    x, y, middle = _MARGIN + place.x, y + place.line * _LINE, _MARGIN + place.x + place.width / 2
    if word.value is None:
        return _text(place.text, middle, y + _BASE, INK, FONT, anchor="middle", direction=direction)
    number = _number(word.value, most)
    box = _rectangle(x + 0.5, y, place.width - 1, _BOX, diverging(word.value / most))
    written = _text(place.text, middle, y + _BASE, CELL_INK, FONT, anchor="middle", direction=direction)
    under = _text(number, middle, y + _BOX + 10, QUIET, _SMALL, anchor="middle") if number != "0" else ""
    title = f"{word.text.strip()}: " + f"{word.value:+.4f}".replace("-", "−")
    return f"<g><title>{escape(drawable(title))}</title>{box}{written}{under}</g>"


def _number(value: float, most: float) -> str:
    """Return ``value`` in hundredths with its sign; one decimal if all values are small."""
    if most >= 0.1:
        text = hundredths(value)
    else:
        text = f"{100 * value:.1f}".replace("-", "−")
        text = "0" if float(text.replace("−", "-")) == 0 else text
    return text if text == "0" or text.startswith("−") else f"+{text}"


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3"'
    return f'<rect {place} fill="{colour}" stroke="{PALE}" stroke-width="0.75"/>'


def _text(
    text: str,
    x: float,
    y: float,
    colour: str,
    size: float,
    *,
    bold: bool = False,
    anchor: str = "start",
    direction: str = "ltr",
) -> str:
    weight = ' font-weight="600"' if bold else ""
    aligned = f' text-anchor="{anchor}"' if anchor != "start" else ""
    turned = ' direction="rtl"' if direction == "rtl" else ""
    sized = f' font-size="{size:g}"' if size != FONT else ""
    look = f'{sized}{weight}{aligned}{turned} fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{look}>{escape(drawable(text))}</text>'
