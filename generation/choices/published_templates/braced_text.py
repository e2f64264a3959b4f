"""The slots of BBQ and EsBBQ, {{NAME1}} and {{WORD1-def}}, and their lists, NAME1: [one, another]."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from nextset.generation.choices.published_templates.slotted_text import Entry, Slot, SlottedText

__all__ = ["braced_lists", "braced_text", "listed", "quoted_list", "quoted_value", "word_entries"]

_SLOT = re.compile(r"\{\{((?:NAME|GEN|OCC|WORD)[0-9])(?:-([a-z]+))?\}\}")
_LIST = re.compile(r"(?:\{\{)?((?:NAME|WORD)[0-9])(?:-([a-z]+))?(?:\}\})?\s*:\s*\[([^\]]*)\]")


def braced_text(text: str, names: Collection[str]) -> SlottedText:
    """Return ``text`` with its slots; a slot that is not in ``names`` stays as it is written.

    {{GEN1}} and {{OCC1}} are forms of the person in NAME1: gender and occupation.
    """
    parts: list[str | Slot] = []
    end = 0
    for match in _SLOT.finditer(text):
        name, form = match[1], match[2] or ""
        if name[:3] in ("GEN", "OCC"):
            name, form = f"NAME{name[-1]}", name[:3]
        if name in names:
            parts += [text[end : match.start()], Slot(name, form)]
            end = match.end()
    parts.append(text[end:])
    return SlottedText(tuple(part for part in parts if part))


def braced_lists(cell: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the lists in ``cell`` by name and form; the form is empty for a list without one."""
    lists: dict[str, dict[str, tuple[str, ...]]] = {}
    for match in _LIST.finditer(cell):
        lists.setdefault(match[1], {})[match[2] or ""] = listed(match[3])
    return lists


def listed(text: str) -> tuple[str, ...]:
    """Return the entries of a list with commas between them; some published lists have semicolons."""
    return tuple(entry for part in re.split("[,;]", text) if (entry := part.strip(' \t\n"')))


def quoted_value(cell: str) -> Any:
    """Return the value of a ``cell`` in JSON, such as ["old"]; None if it is not JSON."""
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def quoted_list(cell: str) -> tuple[str, ...]:
    """Return the entries of a list, ["one", "another"] or one, another."""
    value = quoted_value(cell)
    if isinstance(value, list):
        return tuple(entry.strip() for entry in value if isinstance(entry, str) and entry.strip())
    return listed(cell.strip().removeprefix("[").removesuffix("]"))


def word_entries(forms: Mapping[str, tuple[str, ...]]) -> tuple[Entry, ...]:
    """Return the entries of a list that has several forms: the plain one, or else the first, names them."""
    plain = forms.get("") or next(iter(forms.values()))
    return tuple(
        Entry(text, forms={form: texts[i] for form, texts in forms.items() if form and i < len(texts)})
        for i, text in enumerate(plain)
    )
