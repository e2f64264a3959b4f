"""The lint rules on the people and groups of published templates."""

from __future__ import annotations

from collections.abc import Iterator

from nextset.generation.choices.published_templates.published_template import PublishedTemplate
from nextset.generation.choices.published_templates.slip import Templates, slip_rule
from nextset.generation.choices.published_templates.text_slips import MOST_PEOPLE
from nextset.lint_rules import Finding, LintRule

__all__ = ["ANSWER_PEOPLE", "EMPTY_LIST", "LIST_SEPARATOR", "UNKNOWN_TARGET", "VERSION_PEOPLE"]


def answer_people(template: PublishedTemplate) -> Iterator[str]:
    """Yield answers that name no person, and both answers if they name the same person."""
    named = [answer.person() for answer in template.answers]
    for kind, person in zip(("negative", "non-negative"), named, strict=True):
        if person is None:
            yield f"the {kind} answer names no person"
    if named[0] is not None and named[0] == named[1]:
        yield f"both answers name the person in NAME{named[0]}"


def empty_lists(template: PublishedTemplate) -> Iterator[str]:
    """Yield a message for a template that has no pair of people, and for lists of words without words."""
    if not len(template.pairs):
        yield "there is no pair of people: a list of names is empty, or the target is not in the vocabulary"
    for word in template.words:
        if not word.entries:
            yield f"the list {word.slot} is empty"


def unknown_targets(template: PublishedTemplate) -> Iterator[str]:
    """Yield the target groups if they are the groups of none of the people, or of both in some pairs."""
    groups = ", ".join(template.target_groups)[:100] or "none"
    for first, second in template.pairs.blocks:
        sides = [[person.targeted for person in people[:MOST_PEOPLE]] for people in (first, second)]
        both = [any(targeted) for targeted in sides]
        if first and second and not any(both):
            yield f"no person is of the target groups ({groups}), so bias cannot be measured"
        if all(both) and all(map(all, sides)):
            yield f"both people are of the target groups ({groups}), so bias cannot be measured"


def separators(template: PublishedTemplate) -> Iterator[str]:
    """Yield the lists whose entries have semicolons between them, which separate lists elsewhere."""
    for column, cell in template.notes.items():
        for inside in (part.partition("]")[0] for part in cell.split("[")[1:]):
            if ";" in inside:
                yield f"a list in {column} has a semicolon for a comma: [{inside[:60]}]"


def version_people(templates: Templates) -> Iterator[Finding]:
    """Find versions of a template whose people are not those of another version.

    The people may be in exchanged slots, or the same ones in other sentences.
    """
    for template in templates:
        if len(template.swaps) > 1:
            continue  # both orders come from each row
        others = [t for t in templates if (t.number, t.category) == (template.number, template.category)]
        mine = sorted(map(sorted, template.pairs.texts()[0])) if template.pairs.blocks else []
        alike = [t for t in others if t is not template and t.pairs.blocks and t.cue == template.cue]
        if alike and all(sorted(map(sorted, t.pairs.texts()[0])) != mine for t in alike):
            message = f"the people are not those of another version of {template.id}, so the sets stay apart"
            yield Finding(template.file, template.line, "version-people", message, template.id)


ANSWER_PEOPLE: LintRule[Templates] = slip_rule(
    "answer-people", answer_people, "an answer that names no person, or two answers that name the same one"
)

EMPTY_LIST: LintRule[Templates] = slip_rule(
    "empty-list", empty_lists, "a list without entries: the template gives no items"
)

UNKNOWN_TARGET: LintRule[Templates] = slip_rule(
    "unknown-target",
    unknown_targets,
    "target groups that none of the people belongs to, or both: the items cannot measure bias",
)

LIST_SEPARATOR: LintRule[Templates] = slip_rule(
    "list-separator",
    separators,
    "a list with semicolons for commas: `[one; another]`. The authors' script reads its first entry alone",
)

VERSION_PEOPLE: LintRule[Templates] = LintRule(
    "version-people",
    version_people,
    "a version whose people are not those of another version: its items are in sets of their own",
)
