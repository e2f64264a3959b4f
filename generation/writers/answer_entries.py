"""The entries of a model's answer: of a JSON list, else its lines."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from nextset.scoring.model_server.answer_parsing import behind_thoughts
from nextset.scoring.model_server.completion import CUT_OFF, Completion

__all__ = ["answer_entries", "composed"]

_FENCE = re.compile(r"\A```\w*\s*|(?<!\s)\s*```\Z")
"""What Markdown puts around code."""
_BULLET = re.compile(r"\A(?:[-*•–]\s+|\(?\d{1,4}[.):]\s*)")
"""A bullet or a number before an entry."""

_MARKS = 4
"""The most characters, on average, that become one: a letter and its marks, or the parts of a syllable."""


def answer_entries(completion: Completion) -> list[Any]:
    """Return the entries of an answer, none of them empty; nothing of it has been checked.

    A JSON list has the entries that it has, of any type; a damaged one has none. In any other text each line
    is an entry, without its bullet or number. The last line of an answer that was cut off is none, and an
    answer whose thoughts do not end has none.
    """
    text = _FENCE.sub("", behind_thoughts(completion.text))
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return []
        return list(found)
    lines = text.splitlines()
    if completion.ending == CUT_OFF:
        lines = lines[:-1]
    bare = (_BULLET.sub("", line.strip()) for line in lines)
    return [line for line in bare if line]


def composed(text: str, longest: int) -> str:
    """Return ``text`` in NFC; empty if it cannot have ``longest`` characters or fewer then.

    Python takes quadratic time for a long one.
    """
    return unicodedata.normalize("NFC", text) if len(text) <= _MARKS * longest else ""
