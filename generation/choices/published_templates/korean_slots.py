"""KoBBQ's slots, [N1: one, another], which hold the entries of a list in the form that the place needs."""

from __future__ import annotations

import re

from nextset.generation.choices.published_templates.braced_text import listed
from nextset.generation.choices.published_templates.slotted_text import Slot, SlottedText

__all__ = ["bracketed_lists", "bracketed_text", "forms_of"]

_SLOT = re.compile(r"\[([NWX][0-9]):([^\]]*)\]")
_LIST = re.compile(r"([NWX][0-9]):\s*\[([^\]]*)\]")
_PEOPLE = {"N1": "NAME1", "N2": "NAME2"}


def bracketed_text(text: str) -> SlottedText:
    """Return ``text`` with its slots, whose form is the list as it stands in the text."""
    parts: list[str | Slot] = []
    end = 0
    for match in _SLOT.finditer(text):
        parts += [text[end : match.start()], Slot(_PEOPLE.get(match[1], match[1]), match[2].strip())]
        end = match.end()
    parts.append(text[end:])
    return SlottedText(tuple(part for part in parts if part))


def bracketed_lists(cell: str) -> dict[str, tuple[str, ...]]:
    """Return the lists in ``cell``, by the names of their slots: NAME1, NAME2, W1, X1 …"""
    return {_PEOPLE.get(match[1], match[1]): listed(match[2]) for match in _LIST.finditer(cell)}


def forms_of(form: str) -> tuple[str, ...]:
    """Return the entries of a slot's ``form``."""
    return listed(form)
