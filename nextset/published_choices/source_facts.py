"""The facts about a published source that need several of its rows, from a first reading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from nextset.published_choices.choice_draft import ChoiceDraft
from nextset.published_choices.target_groups import Person, group_matches
from nextset.published_choices.unknown_wordings import unknown_place

__all__ = ["SourceFacts", "facts_of", "people_of", "place_of_unknown", "shared_words"]

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['’-]\w+)*")
"""Words; characters in Chinese and Japanese, which have no spaces."""

SetPeople = tuple[str, tuple[str, ...]]
"""A template and the sorted names of the people; or version and number, if the published id has them."""
_ROWS = ""
"""The key of the number of rows."""
_NEARLY_ALL = 0.9
_NEAR = 64
"""The number of last contexts that are compared with a new one, which usually repeats the last."""


@dataclass
class SourceFacts:
    """The facts that need more than one row."""

    contexts: dict[SetPeople, list[str]] = field(default_factory=dict)
    """The ambiguous contexts of each template and people, with which the disambiguated ones begin."""
    right: Counter[str] = field(default_factory=Counter)
    """The number of ambiguous contexts in which an option with this text is right."""
    offered: Counter[str] = field(default_factory=Counter)
    """The number of ambiguous contexts that offer an option with this text."""
    crossed: dict[str, Counter[str]] = field(default_factory=dict)
    """For templates of crossed categories: the rows, and those with people of a target race and attribute."""

    def note(self, draft: ChoiceDraft) -> None:
        """Add the facts that ``draft`` states."""
        if draft.condition == "ambiguous":
            if draft.learns_unknown and draft.unknown is None:
                self.right[draft.options[draft.label]] += 1
                self.offered.update(draft.options)
            unknown = draft.label if draft.unknown is None else draft.unknown
            contexts = self.contexts.setdefault(_set_people(draft, unknown), [])
            if draft.context not in contexts[-_NEAR:]:
                contexts.append(draft.context)
        if is_crossed(draft):
            self._note_attributes(draft)

    @property
    def unknown(self) -> set[str]:
        """The texts that are right in most ambiguous contexts: they mean that it cannot be known."""
        return {text for text, count in self.right.items() if 2 * count > self.offered[text]}

    def _note_attributes(self, draft: ChoiceDraft) -> None:
        matches = group_matches(people_of(draft, draft.unknown), draft.target_groups)
        if matches:
            counts = self.crossed.setdefault(draft.template_id, Counter())
            counts.update({_ROWS, *(name for match in matches for name in match.attributes)})

    def attributes(self, template: str) -> list[str]:
        """Return the attributes that the people of a target race have in (nearly) every row of ``template``.

        The target is in every row; another person of its race has another attribute, and is in some.
        """
        counts = self.crossed.get(template, Counter[str]())
        return [n for n, count in counts.items() if n != _ROWS and count > _NEARLY_ALL * counts[_ROWS]]

    def ambiguous_context(self, draft: ChoiceDraft) -> str:
        """Return the ambiguous context of the set of ``draft``; its own context if none of them begins it."""
        if draft.condition == "ambiguous":
            return draft.context
        set_people = _set_people(draft, place_of_unknown(draft, self))
        beginnings = filter(draft.context.startswith, self.contexts.get(set_people, ()))
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
    """Return the place of the option unknown; None if no text of the options shows it."""
    if draft.unknown is not None or not draft.learns_unknown:
        return draft.unknown
    return unknown_place(draft.options, facts.unknown)


def people_of(draft: ChoiceDraft, unknown: int | None) -> list[Person]:
    """Return the people whom the options of ``draft`` name."""
    return [
        Person(place, draft.names[place], draft.groups[place])
        for place in range(len(draft.options))
        if place != unknown
    ]


def shared_words(context: str) -> str:
    """Return the words of an ambiguous ``context`` in alphabetical order.

    They are the same for both orders of the names, and differ between sets with other words.
    """
    return " ".join(sorted(_WORDS.findall(context.casefold())))


def _set_people(draft: ChoiceDraft, unknown: int | None) -> SetPeople:
    if draft.set_marks:
        return draft.template_id, (draft.template_version, *draft.set_marks)
    return draft.template_id, tuple(sorted(name for p, name in enumerate(draft.names) if p != unknown))
