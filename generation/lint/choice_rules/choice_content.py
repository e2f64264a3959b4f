"""Lint rules on the content of templates of choices: sources, unused words, repeated templates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.generation.lint.choice_rules.choice_renderings import choice_finding
from nextset.generation.questions.pack_choices.choice_template import PackChoices
from nextset.generation.questions.pack_choices.compared_people import compared_people
from nextset.lint_rules import Finding, LintRule

__all__ = ["DUPLICATE", "NO_SOURCE", "UNCOMPARED", "UNUSED_WORDS"]


def _no_source(choices: PackChoices) -> Iterator[Finding]:
    """Find templates whose source is neither a work with its year nor an address."""
    for template in choices.templates:
        source = template.source
        if source is not None and not re.search(r"\b[12]\d{3}\b|https?://", source):
            message = f"{source!r} is neither a work with its year nor an address"
            yield choice_finding(template, "no-source", message)


def _unused_words(choices: PackChoices) -> Iterator[Finding]:
    """Find lists of words that no text of their template uses."""
    for template in choices.templates:
        for name in template.unused_words:
            yield choice_finding(template, "unused-words", f"no text uses {{{{{name}}}}}: use or remove it")


def _duplicates(choices: PackChoices) -> Iterator[Finding]:
    """Find templates of a category with the same texts and people as another."""
    first: dict[tuple[object, ...], str] = {}
    for template in choices.templates:
        people = tuple(s.name for _, listed in template.people.of_cues() for s in listed)
        key = (template.category, template.gender, people, *template.texts.asked)
        other = first.setdefault(key, template.id)
        if other != template.id:
            yield choice_finding(template, "duplicate", f"it has the same texts as {other}")


def _uncompared(choices: PackChoices) -> Iterator[Finding]:
    """Find templates that compare no two people: their items would be empty in silence."""
    for template in choices.templates:
        if not compared_people(template, "others", seed=0):
            yield choice_finding(
                template,
                "uncompared",
                "no two people can be compared: check target, against, along and within",
            )


NO_SOURCE: LintRule[PackChoices] = LintRule(
    "no-source", _no_source, "a stereotype whose source is neither a work with its year nor an address"
)
UNUSED_WORDS: LintRule[PackChoices] = LintRule(
    "unused-words", _unused_words, "a list of words that no text of the template uses"
)
DUPLICATE: LintRule[PackChoices] = LintRule(
    "duplicate", _duplicates, "a template with the same texts and people as another of its category"
)
UNCOMPARED: LintRule[PackChoices] = LintRule(
    "uncompared", _uncompared, "a template that compares no two people"
)
