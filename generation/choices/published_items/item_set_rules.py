"""Lint rules on the sets of published items: whether they are complete, and whether their labels agree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from nextset.errors import examples
from nextset.generation.choices.published_items.linted_items import LintedItem, LintedItems
from nextset.lint_rules import Finding, LintRule

__all__ = [
    "INCOMPLETE_SET",
    "UNLIKE_PEOPLE",
    "WRONG_LABEL",
    "incomplete_sets",
    "unlike_people",
    "wrong_labels",
]

_CONDITIONS = ("ambiguous", "disambiguated")
_POLARITIES = ("negative", "non_negative")


def incomplete_sets(linted: LintedItems) -> Iterator[Finding]:
    """Find sets that lack a combination of condition, polarity and group named first.

    There is one finding for each template. The order of the options, which BBQ draws at random, is not a part
    of the combination.
    """
    lacking: dict[str, list[tuple[LintedItem, list[str]]]] = {}
    sizes: dict[str, int] = {}
    for items in linted.sets.values():
        template = items[0].item.template_id
        sizes[template] = sizes.get(template, 0) + 1
        if missing := _missing(items):
            lacking.setdefault(template, []).append((items[0], missing))
    for template, sets in lacking.items():
        first, missing = sets[0]
        yield first.finding(
            "incomplete-set",
            f"its set lacks {examples(missing, 3)}; of the sets of template {template}, "
            f"{len(sets):,} of {sizes[template]:,} are incomplete",
        )


def _missing(items: Sequence[LintedItem]) -> list[str]:
    """Return a text for each combination that ``items``, a set, lacks."""
    is_known = all(one.item.first_group for one in items)
    there = {(i.condition, i.polarity, i.first_group if is_known else "") for i in (o.item for o in items)}
    firsts = sorted({first for _, _, first in there})
    return [
        " × ".join(filter(None, (*combination[:2], combination[2] and f"{combination[2]} first")))
        for combination in itertools.product(_CONDITIONS, _POLARITIES, firsts)
        if combination not in there
    ]


def wrong_labels(linted: LintedItems) -> Iterator[Finding]:
    """Find labels that do not fit the context, or that contradict another item of the set."""
    for one in linted.items:
        unknown = one.item.unknown
        if unknown is not None and (one.item.label == unknown) != (one.item.condition == "ambiguous"):
            yield one.finding(
                "wrong-label",
                f"the context is {one.item.condition}, but the label is {one.item.label} ({_right(one)!r})",
            )
    for items in linted.sets.values():
        yield from _contradictions(items)


def _contradictions(items: Sequence[LintedItem]) -> Iterator[Finding]:
    """Yield the findings on disambiguated items of a set with the same context."""
    by_question: dict[tuple[str, str], LintedItem] = {}
    by_answer: dict[tuple[str, str], LintedItem] = {}
    for one in items:
        item = one.item
        if item.condition == "ambiguous" or item.label == item.unknown:
            continue
        same = by_question.setdefault((item.context, item.question), one)
        if _person(same) != _person(one):
            yield one.finding(
                "wrong-label",
                f"the label is {item.label} ({_right(one)!r}), but item {same.item.source_id} answers the "
                f"same question with {_right(same)!r}",
            )
        other = by_answer.setdefault((item.context, _person(one)), one)
        if other.item.polarity != item.polarity and len(item.options) == 3:
            yield one.finding(
                "wrong-label",
                f"the label is {item.label} ({_right(one)!r}), also in item {other.item.source_id}, which "
                "asks the opposite about the same context",
            )


def unlike_people(linted: LintedItems) -> Iterator[Finding]:
    """Find sets whose options name different people, although the published ids put them in one set."""
    for items in linted.sets.values():
        people = {_people(one): one for one in reversed(items)}
        if len(people) > 1:
            first, other = sorted(people.values(), key=items.index)[:2]
            yield other.finding(
                "unlike-people",
                f"the options are {examples(_people(other))}, but in item {first.item.source_id} of the same "
                f"set {examples(_people(first))}",
            )


def _people(one: LintedItem) -> tuple[str, ...]:
    return tuple(sorted(name for place, name in enumerate(one.names) if place != one.item.unknown))


def _person(one: LintedItem) -> str:
    return one.names[one.item.label]


def _right(one: LintedItem) -> str:
    return one.item.options[one.item.label].text


INCOMPLETE_SET = LintRule(
    "incomplete-set",
    incomplete_sets,
    "a set that lacks a combination of condition, polarity and group named first",
)
UNLIKE_PEOPLE = LintRule(
    "unlike-people",
    unlike_people,
    "items with the id of one sample whose options name different people",
)
WRONG_LABEL = LintRule(
    "wrong-label",
    wrong_labels,
    "a label that does not fit the context: a person although the context is ambiguous, *unknown* although "
    "it is not, or the same person for a question and its opposite",
)
