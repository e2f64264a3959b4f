"""The texts of one version of a set: contexts, questions and options with the people in their roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.slotted_text import Entry
from nextset.records.choice_items import Condition, Polarity

__all__ = ["UNKNOWN_ROLE", "SetText", "set_texts"]

UNKNOWN_ROLE: Final = 2
"""The role of the option unknown."""
_BOTH: tuple[Condition, ...] = ("ambiguous", "disambiguated")
_POLARITIES: tuple[Polarity, ...] = ("negative", "non_negative")


class SetText(NamedTuple):
    """The texts of an item, before its options are put into an order."""

    condition: Condition
    polarity: Polarity
    context: str
    question: str
    people: tuple[str, str]
    """The options that name the people, by their roles."""
    right: int
    """The role of the right option."""
    first_group: str
    """The group of the person whom the context names first."""
    swapped: bool
    """True if the people of the row have exchanged their slots in the ambiguous context."""


def set_texts(template: PublishedTemplate, number: int) -> Iterator[SetText]:
    """Yield the texts of the set ``number``, from 0: contexts × questions, for each exchange of people."""
    pair, wording = divmod(number, template.wordings)
    people = template.pairs[pair]
    words = zip(template.words, template.words_at(wording), strict=True)
    slots = {word.slot: entry for word, entry in words}
    filled = {s: _filled(template, people, slots, s) for s in {s for swaps in template.swaps for s in swaps}}
    done: set[bool] = set()
    for in_context, in_rest in template.swaps:
        conditions: tuple[Condition, ...] = ("disambiguated",) if in_context in done else _BOTH
        done.add(in_context)
        before, after = filled[in_context], filled[in_rest]
        for condition in conditions:
            known = condition == "disambiguated"
            context = f"{before.ambiguous} {after.disambiguating}" if known else before.ambiguous
            for at, polarity in enumerate(_POLARITIES):
                right = after.answer_roles[at] if known else UNKNOWN_ROLE
                yield SetText(
                    condition, polarity, context, after.questions[at], after.people, right,
                    before.first_group, in_context,
                )  # fmt: skip


class _Filled(NamedTuple):
    ambiguous: str
    disambiguating: str
    questions: tuple[str, str]
    people: tuple[str, str]
    answer_roles: tuple[int, int]
    """The roles of the people in the negative and the non-negative answer."""
    first_group: str


def _filled(
    template: PublishedTemplate, people: tuple[Entry, Entry], slots: dict[str, Entry], swapped: bool
) -> _Filled:
    """Return the texts of a row, with exchanged people if ``swapped``."""
    roles = (1, 0) if template.mirrored != swapped else (0, 1)
    first, second = people[roles[0]], people[roles[1]]
    entries = {"NAME1": first, "NAME2": second, **slots}
    ambiguous, disambiguating, negative, non_negative, answer, other = (
        template.polish(text.filled(entries), first, second) for text in template.texts.values()
    )
    role = _role_of_negative(template, roles)
    named_first = (template.ambiguous.person() or 1) - 1
    return _Filled(
        ambiguous.strip(),
        disambiguating.strip(),
        (negative.strip(), non_negative.strip()),
        (answer, other) if role == 0 else (other, answer),
        (role, 1 - role),
        people[roles[named_first]].group,
    )


def _role_of_negative(template: PublishedTemplate, roles: tuple[int, int]) -> int:
    """Return the role of the person in the negative answer, or the one that is not in the other answer."""
    negative, other = (answer.person() for answer in template.answers)
    if negative is not None:
        return roles[negative - 1]
    return roles[2 - other] if other is not None else roles[0]
