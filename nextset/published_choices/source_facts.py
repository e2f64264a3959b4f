"""The facts that the rows of a published source tell about each other, from a first reading."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.target_groups import Person, group_matches
from nextset.published_choices.unknown_wordings import unknown_place

__all__ = ["SourceFacts", "facts_of", "people_of", "place_of_unknown", "shared_words"]

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['’-]\w+)*")
"""Words; characters in Chinese and Japanese, which have no spaces."""

SetPeople = tuple[str, tuple[str, ...]]
"""A template and the sorted names of the people."""


@dataclass
class SourceFacts:
    """The facts that need more than one row."""

    contexts: dict[SetPeople, list[str]] = field(default_factory=dict)
    """The ambiguous contexts of each template and people, with which the disambiguated ones begin."""
    unknown: set[str] = field(default_factory=set)
    """The texts of right options in ambiguous contexts, which mean: it cannot be known."""
    attributes: dict[str, frozenset[str]] = field(default_factory=dict)
    """For templates of crossed categories: the attributes of people of the target race in every row."""

    def note(self, draft: ChoiceDraft) -> None:
        """Add what ``draft`` tells."""
        if draft.condition == "ambiguous":
            if draft.unknown is None:
                self.unknown.add(draft.options[draft.label])
            if not draft.set_marks:
                contexts = self.contexts.setdefault(_set_people(draft, self), [])
                if draft.context not in contexts[-64:]:
                    contexts.append(draft.context)
        if is_crossed(draft):
            self._note_attributes(draft)

    def _note_attributes(self, draft: ChoiceDraft) -> None:
        matches = group_matches(people_of(draft, draft.unknown), draft.target_groups)
        if matches:
            here = frozenset[str]().union(*(match.attributes for match in matches))
            there = self.attributes.get(draft.template_id, here)
            self.attributes[draft.template_id] = there & here

    def ambiguous_context(self, draft: ChoiceDraft) -> str:
        """Return the ambiguous context of the set of ``draft``; its own context if none of them begins it."""
        if draft.condition == "ambiguous":
            return draft.context
        beginnings = filter(draft.context.startswith, self.contexts.get(_set_people(draft, self), ()))
        return max(beginnings, key=len, default=draft.context)


def facts_of(drafts: Iterable[ChoiceDraft]) -> SourceFacts:
    """Return the facts of all ``drafts``."""
    facts = SourceFacts()
    for draft in drafts:
        facts.note(draft)
    return facts


def is_crossed(draft: ChoiceDraft) -> bool:
    """Return True if the category crosses two attributes, as Race_x_gender does."""
    return "_x_" in draft.category


def place_of_unknown(draft: ChoiceDraft, facts: SourceFacts) -> int | None:
    """Return the place of the option unknown; None if no text of the options tells it."""
    return draft.unknown if draft.unknown is not None else unknown_place(draft.options, facts.unknown)


def people_of(draft: ChoiceDraft, unknown: int | None) -> list[Person]:
    """Return the people whom the options of ``draft`` name."""
    return [
        Person(place, draft.names[place], draft.groups[place])
        for place in range(len(draft.options))
        if place != unknown
    ]


def shared_words(context: str) -> str:
    """Return the words of an ambiguous ``context`` in alphabetical order.

    They are the same whoever is named first, and differ between sets whose templates took other words.
    """
    return " ".join(sorted(_WORDS.findall(context.casefold())))


def _set_people(draft: ChoiceDraft, facts: SourceFacts) -> SetPeople:
    unknown = place_of_unknown(draft, facts)
    return draft.template_id, tuple(sorted(name for p, name in enumerate(draft.names) if p != unknown))
