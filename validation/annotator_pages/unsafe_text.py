"""Texts that cannot be shown as they are: refused by name before anything is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nextset.errors import JudgmentError

__all__ = ["MAX_CHARACTERS", "refuse_hostile", "wrong_with"]

MAX_CHARACTERS = 10_000
"""A text that is longer is no text that a person can judge."""


def wrong_with(text: str) -> str | None:
    """What is wrong with a text, as "has a NUL character in it"; None where it can be shown.

    Marks that turn the direction, emoji and HTML are no harm: the page shows each text as text, in a block
    of its own that holds their effect.
    """
    if len(text) > MAX_CHARACTERS:
        return f"has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
    found = next((c for c in text if _control(c)), None)
    if found is None:
        return None
    if found == "\0":
        return "has a NUL character in it"
    if "\ud800" <= found <= "\udfff":
        return f"has half a character in it (the lone surrogate U+{ord(found):04X})"
    return f"has the control character U+{ord(found):04X} in it"


def refuse_hostile(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise JudgmentError at the first text of ``rows`` that cannot be shown, naming unit and column."""
    for row in rows:
        for name, text in row.items():
            if isinstance(text, str) and (wrong := wrong_with(text)):
                raise JudgmentError(
                    f"unit {ascii(row.get('unit_id', ''))[1:-1]}: its {name} {wrong} ({text[:40]!a})",
                    remedy="take the item out of the templates or of the imported data",
                )


def _control(c: str) -> bool:
    return (c < " " and c not in "\t\n\r") or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"
