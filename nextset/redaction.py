"""Redaction: keys and tokens that this process knows never appear in a text that is kept or shown."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import threading

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

BETWEEN = r"(?:[\s\u00ad\u200b-\u200f\u2060\ufeff]|\\[nrt])*"
"""Characters that may be inside a secret: line breaks, wrapping, and invisible characters."""

_HIDDEN_TEXTS: set[str] = set()
_PATTERNS: dict[str, re.Pattern[str]] = {}
_COMPILING = threading.Lock()


def hide(secret: str) -> None:
    """Hide ``secret`` in every text from now on; for secrets that are not in `VARIABLES`."""
    _HIDDEN_TEXTS.add(secret.strip())


def redacted(text: str) -> str:
    """Return ``text`` without the secrets that this process knows, in any of the usual encodings.

    A secret is found as it is, with the escapes of JSON, HTML or URLs, and with spaces, line breaks or
    invisible characters in it; in hexadecimal; and in base64, also inside a longer text. Case is ignored.
    Texts that look like a key of a model server or a token of the Hub are hidden too. Other encodings, such
    as a secret written backwards, are not found.
    """
    secrets = _HIDDEN_TEXTS | {os.environ.get(name, "").strip() for name in VARIABLES}
    known = (secret for secret in secrets if len(secret) >= SHORTEST)
    for secret in sorted(known, key=lambda s: (-len(s), s)):  # longest first: one may contain another
        text = _pattern(secret).sub(HIDDEN, text)
    return ALIKE.sub(HIDDEN, text)


def _pattern(secret: str) -> re.Pattern[str]:
    """Return a pattern for every way to write ``secret``.

    It takes a tenth of a second, so hundreds of threads wait for the first one that needs it.
    """
    pattern = _PATTERNS.get(secret)
    if pattern is None:
        with _COMPILING:
            pattern = _PATTERNS.get(secret) or re.compile("|".join(_ways(secret)), re.IGNORECASE)
            _PATTERNS[secret] = pattern
    return pattern


def _ways(secret: str) -> list[str]:
    """Return patterns for the ways to write ``secret``."""
    as_bytes = secret.encode("utf-8", "surrogateescape")
    ways = [[_character(c) for c in secret], [f"{byte:02x}" for byte in as_bytes]]
    ways += [[re.escape(c) for c in text] for text in sorted(_base64(as_bytes), key=lambda t: (-len(t), t))]
    return [BETWEEN.join(way) for way in ways]


def _character(c: str) -> str:
    """Return a pattern for ``c``, as it is and escaped."""
    as_json, as_bytes = json.dumps(c)[1:-1], c.encode("utf-8", "surrogateescape")
    escaped = {
        c, as_json, repr(c)[1:-1], html.escape(c), f"\\{c}", f"\\u{ord(c):04x}", f"\\x{ord(c):02x}",
        "".join(f"%{byte:02x}" for byte in as_bytes),
    }  # fmt: skip
    ways = [re.escape(way) for way in sorted(escaped, key=lambda way: (-len(way), way))]
    return f"(?:{'|'.join(ways)}|&#0*{ord(c)};|&#x0*{ord(c):x};)"


def _base64(secret: bytes) -> set[str]:
    """Return the base64 characters that depend only on ``secret``, at any offset, and the whole encoding."""
    encodings = {base64.b64encode(secret).decode().rstrip("=")}
    for before in range(3):
        bits = 8 * before, 8 * (before + len(secret))
        first, end = -(-bits[0] // 6), bits[1] // 6
        encodings.add(base64.b64encode(b"\0" * before + secret).decode()[first:end])
    return encodings | {text.replace("+", "-").replace("/", "_") for text in encodings}
