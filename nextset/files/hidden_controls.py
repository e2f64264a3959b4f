"""Characters that nobody sees and that change how the text around them is shown or handled."""

from __future__ import annotations

import re

__all__ = ["hidden_control"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, and what embeds, overrides or isolates a direction."""


def hidden_control(text: str) -> str | None:
    """Return the first control character, or override of the direction, in ``text``; None if it has none.

    Tabs, line breaks, joiners (Persian, Indic scripts, emoji) and marks such as U+200F are none.
    """
    found = _HIDDEN.search(text)
    return found[0] if found else None
