"""The entries of a model's answer: of a JSON list, else its lines."""

from __future__ import annotations

import json
import re
from typing import Any

from nextset.scoring.model_server.completion import CUT_OFF, Completion

__all__ = ["answer_entries"]

_FENCE = re.compile(r"\A```\w*\s*|\s*```\Z")
"""What Markdown puts around code."""
_BULLET = re.compile(r"\A(?:[-*•–]\s+|\(?\d{1,4}[.):]\s*)")
"""A bullet or a number before an entry."""


def answer_entries(completion: Completion) -> list[Any]:
    """Return the entries of an answer, none of them empty; nothing of it has been checked.

    A JSON list has the entries that it has, of any type; a damaged one has none. In any other text each line
    is an entry, without its bullet or number. The last line of an answer that was cut off is none.
    """
    text = _FENCE.sub("", completion.answer.strip())
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
