"""Texts without their blanks and escapes, with the place of each character in the text as it is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["PlacedText", "readings"]

_BLANK = r"[\s\u00ad\u200b-\u200f\u2060\ufeff]+"
"""Blanks, and characters that are invisible."""
_BLANKS = re.compile(_BLANK)
_BREAKS = re.compile(rf"{_BLANK}|\\[nrt]")
"""The same, and line breaks and tabs as escapes."""
_ESCAPES = re.compile(
    rf"""{_BLANK}|\\[nrt]
    |(?P<pair>\\ud[89ab][0-9a-f]{{2}}\\ud[c-f][0-9a-f]{{2}})
    |\\u(?P<four>[0-9a-f]{{4}})|\\x(?P<two>[0-9a-f]{{2}})|\\(?P<itself>.)
    |(?P<url>%[0-9a-f]{{2}}(?:%[0-9a-f]{{2}})*)
    |&\#(?P<decimal>[0-9]+);|&\#x(?P<hexadecimal>[0-9a-f]+);|&(?P<name>amp|lt|gt|quot|apos);""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Escapes of JSON, Python, URLs and HTML. Each way to read a text takes time in proportion to its length."""
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_UNKNOWN = "\ufffd"


@dataclass
class PlacedText:
    """A text in pieces, each of which has a place in another text."""

    text: str = ""
    _begins: list[int] = field(default_factory=list)
    """The begin of each piece in ``text``."""
    _places: list[tuple[int, int]] = field(default_factory=list)
    """The begin and end of each piece in the other text; an escape is a piece of one character."""

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return the begin and end in the other text of ``text[begin:end]``, which is not empty."""
        first = bisect_right(self._begins, begin) - 1
        last = bisect_right(self._begins, end - 1) - 1
        there, until = self._places[last]
        whole = end == (self._begins[last + 1] if last + 1 < len(self._begins) else len(self.text))
        ends = until if whole else there + end - self._begins[last]
        return self._places[first][0] + begin - self._begins[first], ends


def readings(text: str) -> Iterator[PlacedText]:
    """Yield ``text`` without blanks; without escaped line breaks, too; and with all escapes as characters.

    The second and the third are left out for a text without escapes.
    """
    yield _read(text, _BLANKS)
    if "\\" in text:
        yield _read(text, _BREAKS)
    if any(c in text for c in "\\%&"):
        yield _read(text, _ESCAPES)


def _read(text: str, pattern: re.Pattern[str]) -> PlacedText:
    """Return ``text`` without what ``pattern`` finds, or with the characters that its groups stand for."""
    placed, pieces, length, at = PlacedText(), list[str](), 0, 0

    def add(piece: str, begin: int, end: int) -> None:
        nonlocal length
        placed._begins.append(length)
        placed._places.append((begin, end))
        pieces.append(piece)
        length += len(piece)

    for match in pattern.finditer(text):
        if match.start() > at:
            add(text[at : match.start()], at, match.start())
        at = match.end()
        if match.lastgroup == "url":
            place = match.start()
            octets = bytes.fromhex(match[0].replace("%", ""))
            for c in octets.decode("utf-8", "surrogateescape"):
                size = 3 * len(c.encode("utf-8", "surrogateescape"))
                add(c, place, place + size)
                place += size
        elif match.lastgroup:
            add(_character(match.lastgroup, match[match.lastgroup]), match.start(), at)
    if at < len(text):
        add(text[at:], at, len(text))
    placed.text = "".join(pieces)
    return placed


def _character(kind: str, written: str) -> str:
    """Return the character of an escape of this ``kind``."""
    if kind == "pair":
        units = bytes.fromhex(written.lower().replace("\\u", ""))
        return units.decode("utf-16-be")
    if kind == "itself":
        return written
    if kind == "name":
        return _NAMED[written.lower()]
    digits = written.lstrip("0") or "0"
    number = int(digits, 10 if kind == "decimal" else 16) if len(digits) <= 7 else -1
    return chr(number) if 0 <= number < 0x110000 else _UNKNOWN
