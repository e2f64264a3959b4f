"""Texts with slots, and the entries of the lists that fill them, in all their forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Entry", "Slot", "SlottedText"]


class Slot(NamedTuple):
    """A place in a text that an entry fills."""

    name: str
    """The list, such as NAME1 or WORD2."""
    form: str
    """The form of the entry; empty for the entry as it stands in its list."""


@dataclass(frozen=True)
class Entry:
    """A person or a word of a list."""

    text: str
    """The text for a slot without a form."""
    group: str = ""
    """The group of a person, such as old; empty for words."""
    targeted: bool = False
    """True if the stereotype is about this person."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """The text for each form; the plain text stands for a form that is not there."""
    full: str = ""
    """The person's whole name, if its parts have slots of their own, such as Black woman."""

    def form(self, form: str) -> str:
        """Return the text for a slot with ``form``."""
        return self.forms.get(form) or self.text

    @property
    def name(self) -> str:
        """Return the person's whole name."""
        return self.full or self.text


@dataclass(frozen=True)
class SlottedText:
    """A text with slots."""

    parts: tuple[str | Slot, ...]

    def slots(self) -> Iterator[Slot]:
        """Yield the slots in their order."""
        return (part for part in self.parts if isinstance(part, Slot))

    def literals(self) -> Iterator[str]:
        """Yield the texts between the slots."""
        return (part for part in self.parts if not isinstance(part, Slot))

    def filled(self, entries: Mapping[str, Entry]) -> str:
        """Return the text with ``entries``, by the names of their slots."""
        return "".join(
            part if isinstance(part, str) else entries[part.name].form(part.form) for part in self.parts
        )

    def person(self) -> int | None:
        """Return the number of the first slot for a person, 1 or 2; None without one."""
        return next((int(slot.name[-1]) for slot in self.slots() if slot.name in ("NAME1", "NAME2")), None)
