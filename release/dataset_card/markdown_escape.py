"""Escaping of foreign text in Markdown, so that it is never read as Markdown or HTML."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["escaped"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_LIST_START = re.compile(r"^(\d*)([-+=.)])(?=\s|[-+=]|$)")


def escaped(text: str) -> str:
    """Return ``text`` on one line, with a backslash before characters special to Markdown or HTML."""
    flat = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    flat = _SPECIAL.sub(r"\\\1", " ".join(flat.split()))
    # at the start of a line these would begin a list, a heading or a rule.
    return _LIST_START.sub(r"\1\\\2", flat)
