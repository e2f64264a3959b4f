"""Redaction: keys and tokens that this process knows never appear in a text that is kept or shown."""

from __future__ import annotations

import base64
import functools
import os
import re
from collections.abc import Iterable, Iterator

from nextset.unescaped_text import PlacedText, readings

__all__ = ["HIDDEN", "hide", "redacted"]

HIDDEN = "***"
"""The replacement of a secret."""
VARIABLES = (
    "OPENAI_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "NEXTSET_LABEL_STUDIO_TOKEN", "RAY_AUTH_TOKEN",
)  # fmt: skip
"""Environment variables with secrets."""
ALIKE = re.compile(r"\b(hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,})")
"""Texts that look like a key or token, even one unknown to this process."""
SHORTEST = 6
"""The fewest characters of a secret: servers without keys are given x or EMPTY."""

_HIDDEN_TEXTS: set[str] = set()


def hide(secret: str) -> None:
    """Hide ``secret`` in every text from now on; for secrets that are not in `VARIABLES`."""
    _HIDDEN_TEXTS.add(secret.strip())


def redacted(text: str) -> str:
    """Return ``text`` without the secrets that this process knows, in any of the usual encodings.

    A secret is found as it is, with the escapes of JSON, HTML or URLs, and with spaces, line breaks or
    invisible characters in it; in hexadecimal; and in base64, also inside a longer text. Case is ignored.
    Texts that look like a key of a model server or a token of the Hub are hidden too. Other encodings, such
    as a secret written backwards, are not found. The time is proportional to the length of ``text``, whatever
    a server writes in it.
    """
    secrets = _HIDDEN_TEXTS | {os.environ.get(name, "").strip() for name in VARIABLES}
    ways = {way for secret in secrets if len(secret) >= SHORTEST for way in _ways(secret)}
    return ALIKE.sub(HIDDEN, _without(text, ways)) if text else text


def _without(text: str, ways: Iterable[str]) -> str:
    """Return ``text`` with `HIDDEN` for each place of one of ``ways``."""
    places = sorted(place for reading in readings(text) for place in _places(reading, ways)) if ways else []
    kept, at = list[str](), 0
    for begin, end in places:
        if begin >= at:
            kept += [text[at:begin], HIDDEN]
        at = max(at, end)
    return "".join([*kept, text[at:]])


def _places(reading: PlacedText, ways: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each of ``ways`` in the text that was read."""
    folded = _folded(reading.text)
    for way in ways:
        begin = folded.find(way)
        while begin >= 0:
            yield reading.place(begin, begin + len(way))
            begin = folded.find(way, begin + len(way))


@functools.lru_cache(maxsize=64)
def _ways(secret: str) -> tuple[str, ...]:
    """Return the ways to write ``secret``, as a text without blanks and escapes has them."""
    as_bytes = secret.encode("utf-8", "surrogateescape")
    plain = next(readings(secret)).text
    return tuple(_folded(way) for way in (plain, as_bytes.hex(), *_base64(as_bytes)) if way)


def _folded(text: str) -> str:
    """Return ``text`` with the case folded, except of characters that would then be several."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(folded if len(folded := c.casefold()) == 1 else c for c in text)


def _base64(secret: bytes) -> set[str]:
    """Return the base64 characters that depend only on ``secret``, at any offset, and the whole encoding."""
    encodings = {base64.b64encode(secret).decode().rstrip("=")}
    for before in range(3):
        bits = 8 * before, 8 * (before + len(secret))
        first, end = -(-bits[0] // 6), bits[1] // 6
        encodings.add(base64.b64encode(b"\0" * before + secret).decode()[first:end])
    return encodings | {text.replace("+", "-").replace("/", "_") for text in encodings}
