"""The entries of a model's answer: those of a JSON list, else the answer's lines."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from nextset.scoring.model_server.completion import CUT_OFF, Completion
from nextset.scoring.prompts.answer_parsing import behind_thoughts

__all__ = ["answer_entries", "composed"]

_FENCE = re.compile(r"\A```\w*\s*|(?<!\s)\s*```\Z")
"""The fence that Markdown puts around code."""
_BULLET = re.compile(r"\A(?:[-*•–]\s+|\(?\d{1,4}[.):]\s*)")
"""A bullet or a number before an entry."""

_MARKS = 4
"""The most characters, on average, that NFC merges into one: a letter with its marks, or a syllable."""


def answer_entries(completion: Completion) -> list[Any]:
    """Return the entries of an answer, none of them empty; they are not checked in any other way.

    The entries of a JSON list are returned with any type; a damaged list has none. In any other text each
    line is an entry, without its bullet or number. The last line of an answer that was cut off is not an
    entry, and an answer whose thoughts do not end has no entries.
    """
    text = _FENCE.sub("", behind_thoughts(completion.text))
    if text.startswith("["):
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            return []
        return list(entries)
    lines = text.splitlines()
    if completion.ending == CUT_OFF:
        lines = lines[:-1]
    bare = (_BULLET.sub("", line.strip()) for line in lines)
    return [line for line in bare if line]


def composed(text: str, longest: int) -> str:
    """Return ``text`` in NFC; empty if it must then have more than ``longest`` characters.

    Such texts are not normalised, since Python takes quadratic time for long ones.
    """
    return unicodedata.normalize("NFC", text) if len(text) <= _MARKS * longest else ""
