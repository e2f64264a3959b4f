"""Attributes without a source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import attributes, entry_finding
from nextset.generation.questions.question_set import QuestionSet
from nextset.lint_rules import Finding, LintRule

__all__ = ["NO_SOURCE", "no_source"]

PLAIN = "plain negative act"
"""The source of an attribute that states no prejudice."""


def no_source(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find attributes whose source is not a work with its year, an address, or *plain negative act*."""
    for questions in sets:
        for a in attributes(questions):
            if a.source != PLAIN and not re.search(r"\b[12]\d{3}\b|https?://", a.source):
                problem = f"{a.source!r} is neither a work with its year, nor an address, nor {PLAIN!r}"
                yield entry_finding(a, "no-source", problem)


NO_SOURCE: LintRule[Sequence[QuestionSet]] = LintRule(
    "no-source",
    no_source,
    "an attribute whose source is neither a work with its year nor *plain negative act*",
)
