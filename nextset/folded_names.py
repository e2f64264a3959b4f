"""Names of files: in the form that macOS and Windows compare, and in ASCII."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["ascii_name", "folded_name"]

_LATIN = str.maketrans({
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
})  # fmt: skip
"""Letters that Unicode does not decompose."""


def folded_name(path: str) -> str:
    """Return ``path`` in the form that macOS and Windows compare, which ignores case and the form of accents.

    This is Unicode's canonical caseless match (The Unicode Standard, section 3.13, D145).
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def ascii_name(text: str, joint: str, kept: str = "._-") -> str:
    """Return ``text`` with ASCII letters, digits and the characters ``kept``; ``joint`` replaces all others.

    No letter vanishes: Latin letters lose their accents (*Größe* becomes *Grosse*), and a letter of another
    script becomes its code point, such as u7814.
    """
    plain = unicodedata.normalize("NFKD", text).translate(_LATIN)
    plain = "".join(
        f"u{ord(c):04x}" if c.isalnum() and not c.isascii() else c
        for c in plain
        if unicodedata.category(c) not in ("Mn", "Me", "Cf")
    )
    return re.sub(f"[^A-Za-z0-9{re.escape(kept)}]+", lambda _: joint, plain)
