"""Escaping of foreign text in Markdown, so that it is never read as Markdown or HTML."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["escaped", "readable"]

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_LIST_START = re.compile(r"^(\d*)([-+=.)])(?=\s|[-+=]|$)")


def readable(text: str) -> str:
    """Return ``text`` without characters that change the direction of the text that follows."""
    return _DIRECTIONS.sub("", text)


def escaped(text: str) -> str:
    """Return ``text`` on one line, with a backslash before characters special to Markdown or HTML."""
    flat = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in readable(text))
    flat = _SPECIAL.sub(r"\\\1", " ".join(flat.split()))
    # At the start of a line, these characters would begin a list, a heading or a rule.
    return _LIST_START.sub(r"\1\\\2", flat)
