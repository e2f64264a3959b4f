"""Texts that cannot be shown to annotators: refused, by unit and column, before a session opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nextset.errors import JudgmentError

__all__ = ["MAX_CHARACTERS", "check_texts", "text_problem"]

MAX_CHARACTERS = 10_000
"""The length above which a text cannot be judged."""


def text_problem(text: str) -> str | None:
    """Return the problem of a text, such as "has a NUL character in it"; None if it can be shown.

    Direction marks, emoji and HTML are harmless: the page shows each text as plain text, in a separate block
    that limits their effect.
    """
    if len(text) > MAX_CHARACTERS:
        return f"has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
    character = next((c for c in text if _control(c)), None)
    if character is None:
        return None
    if character == "\0":
        return "has a NUL character in it"
    if "\ud800" <= character <= "\udfff":
        return f"has half a character in it (the lone surrogate U+{ord(character):04X})"
    return f"has the control character U+{ord(character):04X} in it"


def check_texts(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise JudgmentError for the first text of ``rows`` that cannot be shown, naming unit and column."""
    for row in rows:
        for name, text in row.items():
            if isinstance(text, str) and (wrong := text_problem(text)):
                raise JudgmentError(
                    f"unit {ascii(row.get('unit_id', ''))[1:-1]}: its {name} {wrong} ({text[:40]!a})",
                    remedy="remove the item from the templates or from the imported data",
                )


def _control(c: str) -> bool:
    return (c < " " and c not in "\t\n\r") or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"
