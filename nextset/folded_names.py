"""Names of files in the form that macOS and Windows compare."""

from __future__ import annotations

import unicodedata

__all__ = ["folded_name"]


def folded_name(path: str) -> str:
    """Return ``path`` in the form that macOS and Windows compare, which ignores case and the form of accents.

    This is Unicode's canonical caseless match (The Unicode Standard, section 3.13, D145).
    """
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
