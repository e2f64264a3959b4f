"""English verbs in the wrong number: a singular form with *were*, a plural form with *was*."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import attributes, entry_finding
from nextset.generation.questions.question_set import Attribute, QuestionSet
from nextset.generation.slots import Features
from nextset.lint_rules import Finding, LintRule

__all__ = ["VERB_NUMBER", "verb_numbers"]

_VERB = re.compile(r"(?:\A|\band )(was|were|is|are|has|have)(?:n't)?\b")
_SINGULAR = frozenset({"was", "is", "has"})
_PLURAL = {"pl": True, "single": False}
"""The features that show number: True if forms with the feature are plural and forms without it are not."""


def verb_numbers(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find English attributes whose singular form has a plural verb, or the other way round.

    The verb is the first word, or follows *and*. Only attributes with forms of both numbers are checked.
    """
    for questions in sets:
        if questions.language.split("-")[0] != "en":
            continue
        for a in attributes(questions):
            for key, text in a.forms.items():
                plural = _is_plural(a, key)
                wrong = plural is not None and [
                    verb for verb in _VERB.findall(text) if (verb in _SINGULAR) == plural
                ]
                if wrong:
                    number = "plural" if plural else "singular"
                    yield entry_finding(a, "verb-number", f"{wrong[0]!r} in the {number} form {text!r}")


def _is_plural(attribute: Attribute, key: Features) -> bool | None:
    """Return whether the form ``key`` is plural; None if the attribute has no form of the other number."""
    for feature, plural in _PLURAL.items():
        if feature in key:
            return plural
        if key | {feature} in attribute.forms:
            return not plural
    return None


VERB_NUMBER: LintRule[Sequence[QuestionSet]] = LintRule(
    "verb-number",
    verb_numbers,
    "an English attribute with *were* in its singular form, or *was* in its plural",
)
