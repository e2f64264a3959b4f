"""Invisible characters that change how the text around them is shown or handled."""

from __future__ import annotations

import re

__all__ = ["hidden_control", "without_hidden_controls"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, and characters that embed, override or isolate a direction."""


def hidden_control(text: str) -> str | None:
    """Return the first control character, or override of the direction, in ``text``; None if it has none.

    Tabs, line breaks, joiners (Persian, Indic scripts, emoji) and marks such as U+200F do not count.
    """
    match = _HIDDEN.search(text)
    return match[0] if match else None


def without_hidden_controls(text: str) -> str:
    """Return ``text`` with a space for each control character, and without overrides of the direction."""
    if text.isprintable():
        return text  # most texts; it is far faster than the pattern
    return _HIDDEN.sub(lambda found: " " if found[0] < "\u2000" else "", text)
