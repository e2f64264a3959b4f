"""A published template in the form that all formats share: texts with slots, people, and lists of words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nextset.generation.choices.published_templates.people_pairs import PeoplePairs
from nextset.generation.choices.published_templates.slotted_text import Entry, SlottedText
from nextset.records.choice_items import Cue

__all__ = ["PublishedTemplate", "Swaps", "WordSlot", "unpolished"]

Polish = Callable[[str, Entry, Entry], str]
"""A function that corrects a filled text as the authors' script does, given the two people in it."""

Swaps = tuple[bool, bool]
"""True for people that exchange their slots: in the ambiguous context, and in the rest of the texts."""


def unpolished(text: str, first: Entry, second: Entry) -> str:
    """Return ``text`` as it is."""
    del first, second
    return text


@dataclass(frozen=True)
class WordSlot:
    """A list of words that vary, such as WORD1."""

    slot: str
    """The name of the slot in the texts."""
    name: str
    """The name of the list in the items: the same in all versions, even if their slots are exchanged."""
    entries: tuple[Entry, ...]
    """The words."""


@dataclass(frozen=True, kw_only=True)
class PublishedTemplate:
    """One row of a file of published templates."""

    file: Path
    line: int
    language: str
    category: str
    """The category, as the published items write it, such as Disability_status."""
    subcategory: str
    number: str
    """The number of the template in its category, such as 1."""
    version: str
    """The version, such as a; may be empty."""
    stereotype: str
    source: str | None
    """The work that documents the stereotype."""
    target_groups: tuple[str, ...]
    """The groups that the stereotype is about, as the file writes them."""
    ambiguous: SlottedText
    """The ambiguous context."""
    disambiguating: SlottedText
    """The text that follows the ambiguous context in a disambiguated one."""
    negative: SlottedText
    """The negative question: the stereotype answers it with its target."""
    non_negative: SlottedText
    """The non-negative question."""
    answers: tuple[SlottedText, SlottedText]
    """The right options after the disambiguated context: of the negative and the non-negative question."""
    pairs: PeoplePairs
    """The people: the first of a pair has role 0 in all versions of the template."""
    mirrored: bool = False
    """True if the second of a pair takes the slot NAME1, as in a version b with exchanged lists."""
    swaps: tuple[Swaps, ...] = ((False, False),)
    """The ways in which the authors' script exchanges the people of a row."""
    words: tuple[WordSlot, ...] = ()
    """The lists of words, in the order in which their product is numbered: the last one changes fastest."""
    cue: Cue = "label"
    unknown: tuple[str, ...] = ("unknown",)
    """The wordings of the option that means: it cannot be known."""
    polish: Polish = unpolished
    sample_id: Callable[[int, bool, bool], str] | None = None
    """A function that returns the published id of an item, given the number of its people and words, from 0,
    and True for an ambiguous context and for a negative question; None if the ids cannot be told."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Further cells of the row for the lint rules, by column."""

    @property
    def id(self) -> str:
        """Return the template's name in the items, such as Age-1."""
        return f"{self.category}-{self.number}"

    @property
    def texts(self) -> dict[str, SlottedText]:
        """Return all texts by their names."""
        return {
            "ambiguous context": self.ambiguous,
            "disambiguating context": self.disambiguating,
            "negative question": self.negative,
            "non-negative question": self.non_negative,
            "negative answer": self.answers[0],
            "non-negative answer": self.answers[1],
        }

    @cached_property
    def sets(self) -> int:
        """Return the number of sets: pairs of people times the words that all texts of a set share."""
        return len(self.pairs) * math.prod(
            len(word.entries) for word in self.words if word.slot in self.shared
        )

    @cached_property
    def wordings(self) -> int:
        """Return the number of combinations of words."""
        return math.prod(len(word.entries) for word in self.words)

    @cached_property
    def shared(self) -> frozenset[str]:
        """Return the slots of the ambiguous context, the questions and the answers.

        The words of a slot that the disambiguating text alone has give variants of the disambiguated items in
        one set, whose ambiguous items they leave alike.
        """
        texts = (self.ambiguous, self.negative, self.non_negative, *self.answers)
        return frozenset(slot.name for text in texts for slot in text.slots())

    def words_at(self, number: int) -> list[Entry]:
        """Return the words of the combination ``number``, from 0, one per list."""
        entries: list[Entry] = []
        for word in reversed(self.words):
            number, at = divmod(number, len(word.entries))
            entries.append(word.entries[at])
        return entries[::-1]
