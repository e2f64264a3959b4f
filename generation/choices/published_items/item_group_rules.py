"""Lint rules on the groups of published items: targets, the option unknown, and spellings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from nextset.counted import counted
from nextset.errors import examples
from nextset.generation.choices.published_items.linted_items import LintedItem, LintedItems
from nextset.lint_rules import Finding, LintRule
from nextset.published_choices.completed_items import name_begin
from nextset.published_choices.target_groups import Person, target_person

__all__ = [
    "NO_TARGET",
    "NO_UNKNOWN",
    "SEVERAL_TARGETS",
    "SPELLING",
    "UNNAMED_PERSON",
    "missing_targets",
    "missing_unknown",
    "several_targets",
    "spellings",
    "unnamed_people",
]


def missing_targets(linted: LintedItems) -> Iterator[Finding]:
    """Find items without a target among their options; one finding for each template and groups."""
    lost = _by(linted, lambda one: one.item.target is None)
    for (template, targets), items in lost.items():
        groups = sorted({option.group for option in items[0].item.options if option.group})
        yield items[0].finding(
            "no-target",
            f"none of the groups {examples(groups)} is the target {targets or '(none is named)'} in "
            f"{counted(len(items), 'items')} of template {template}, which cannot measure bias",
        )


def missing_unknown(linted: LintedItems) -> Iterator[Finding]:
    """Find items without an option that means: it cannot be known; one finding for each template."""
    for (template, _), items in _by(linted, lambda one: one.item.unknown is None).items():
        texts = examples(option.text for option in items[0].item.options)
        yield items[0].finding(
            "no-unknown",
            f"none of {texts} means that it cannot be known, in {counted(len(items), 'items')} of template "
            f"{template}",
        )


def several_targets(linted: LintedItems) -> Iterator[Finding]:
    """Find items with several people of a target group; one finding for each template and groups."""
    for (template, targets), items in _by(linted, _has_several_targets).items():
        groups = examples(option.group for option in items[0].item.options if option.group)
        yield items[0].finding(
            "several-targets",
            f"several of the people ({groups}) are of the target {targets}, in "
            f"{counted(len(items), 'items')} of template {template}; the first one counts",
        )


def _has_several_targets(one: LintedItem) -> bool:
    item = one.item
    if item.target is None or "_x_" in item.category:
        return False
    people = [
        Person(place, one.names[place], option.group)
        for place, option in enumerate(item.options)
        if place != item.unknown
    ]
    return sum(target_person([person], item.target_groups) is not None for person in people) > 1


def unnamed_people(linted: LintedItems) -> Iterator[Finding]:
    """Find people of answer_info whom the context does not name; one finding for each template and name."""
    places: dict[tuple[str, str], list[LintedItem]] = {}
    for one in linted.items:
        texts = [option.text for option in one.item.options]
        if list(one.names) == texts:
            continue  # the layout has only the options, which may be worded otherwise
        for place, name in enumerate(one.names):
            if place != one.item.unknown and name_begin(name, one.item.context) < 0:
                places.setdefault((one.item.template_id, name), []).append(one)
    for (template, name), items in places.items():
        message = (
            f"the context does not name {name!r}, in {counted(len(items), 'items')} of template {template}"
        )
        yield items[0].finding("unnamed-person", message)


def spellings(linted: LintedItems) -> Iterator[Finding]:
    """Find names of groups that differ only by capitals, spaces or signs."""
    first: dict[str, LintedItem] = {}
    counts: Counter[str] = Counter()
    for one in linted.items:
        groups = (*(option.group for option in one.item.options), *one.item.target_groups, *one.names)
        for name in {group for group in groups if group}:
            first.setdefault(name, one)
            counts[name] += 1
    alike: dict[str, list[str]] = {}
    for name in first:
        alike.setdefault(re.sub(r"[\W_]+", "", name.casefold()) or name, []).append(name)
    for names in alike.values():
        if len(names) > 1:
            listed = examples(f"{name!r} ({counted(counts[name], 'items')})" for name in names)
            rarest = min(names, key=lambda name: counts[name])
            yield first[rarest].finding("spelling", f"groups that differ only by spelling: {listed}")


def _by(
    linted: LintedItems, is_lost: Callable[[LintedItem], bool]
) -> dict[tuple[str, str], list[LintedItem]]:
    places: dict[tuple[str, str], list[LintedItem]] = {}
    for one in linted.items:
        if is_lost(one):
            key = (one.item.template_id, examples(one.item.target_groups))
            places.setdefault(key, []).append(one)
    return places


NO_TARGET = LintRule(
    "no-target",
    missing_targets,
    "an item without an option that names a target of the stereotype; its target is null",
)
NO_UNKNOWN = LintRule("no-unknown", missing_unknown, "an item without a known wording of *unknown*")
SEVERAL_TARGETS = LintRule(
    "several-targets",
    several_targets,
    "an item with several people of a target group; as in the script of BBQ, the first one counts",
)
SPELLING = LintRule(
    "spelling",
    spellings,
    "group names that differ only by capitals, spaces or signs: *low SES* and *lowSES*",
)
UNNAMED_PERSON = LintRule(
    "unnamed-person", unnamed_people, "a person of `answer_info` whose text is not in the context"
)
