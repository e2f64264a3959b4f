"""Leftovers in rendered texts: notations for particles, brackets, stray spaces, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import subject_pairs, template_finding
from nextset.generation.questions.context_spans import render_context
from nextset.generation.questions.question_set import QuestionSet
from nextset.lint_rules import Finding, LintRule
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["LEFTOVER", "leftovers"]

_HANGUL = "[가-힣]"
_NOTHING_LEFT = {
    "a particle in two forms": re.compile(
        rf"{_HANGUL}{{1,2}}\({_HANGUL}{{1,2}}\)|\([은는이가을를과와아야으]\){_HANGUL}"
    ),
    "a bracket": re.compile(r"[\[\]{}<>]"),
    "an empty pair of brackets": re.compile(r"\(\s*\)"),
    "two spaces": re.compile(r"\s\s"),
    "a space at the start or end": re.compile(r"\A\s|\s\Z"),
    "a space before a punctuation mark": re.compile(r" [.,،、。，؟？](?![\d.])"),
    "a note": re.compile(r"\b(?:TODO|FIXME|TBD|XXX)\b|\?\?\?"),
}


def leftovers(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find notations, brackets, stray spaces and notes in rendered texts.

    Contexts are rendered with each subject once in each place; questions and statements with each attribute.
    """
    for questions in sets:
        pairs = list(subject_pairs(questions))
        for template in questions.templates:
            contexts = (render_context(questions, template, *pair).text for pair in pairs)
            asked = (text for a in template.by_attribute for text in (a.text, a.negated))
            seen = set[str]()
            for text in (*contexts, *asked):
                for what, problem in _left(text.replace(MASK, "mask")):
                    if what not in seen:
                        seen.add(what)
                        yield template_finding(questions, template, "leftover", problem)


def _left(text: str) -> Iterator[tuple[str, str]]:
    for what, pattern in _NOTHING_LEFT.items():
        match = pattern.search(text)
        if match:
            yield what, f"{text[:80]!r} contains {what}: {match[0]!r}"


LEFTOVER: LintRule[Sequence[QuestionSet]] = LintRule(
    "leftover",
    leftovers,
    "in rendered texts: brackets, notations such as 은(는), notes such as TODO, stray spaces",
)
