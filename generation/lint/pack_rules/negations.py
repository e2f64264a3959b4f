"""Negations that omit a part of the text that they negate."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

import yaml

from nextset.generation.lint.pack_rules.pack_entries import (
    attributes,
    entry_finding,
    template_finding,
)
from nextset.generation.lint.pack_rules.word_borders import words
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.slots import Piece, Slot
from nextset.lint_rules import Finding, LintRule
from nextset.scoring.masks.word_pattern import MASK
from nextset.text_tokens import is_unspaced
from nextset.word_lists.protected_groups import unlike_groups

__all__ = ["FIXED_TEXT", "PARTIAL_NEGATION", "fixed_texts", "negation_words", "partial_negations"]

_ALIKE = 3
"""Two words may be inflections of one word if they share this many letters at their beginning or end."""
_MOST_ADDED = 2
"""The most words that a negation adds in a language whose negators are not known."""


@dataclass(frozen=True)
class _Gap:
    """The words between two words that a text and its negation share, in each of them."""

    dropped: tuple[str, ...]
    """The words of the text."""
    added: tuple[str, ...]
    """The words of the negation."""


def partial_negations(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find negations that omit some words of their affirmative: *plotted in secret*, *never plotted*.

    Someone who plotted openly is then described by neither text. An opposite (*was lazy*, *was hard-working*)
    replaces words and is never found, and neither are words that go only with an affirmative.
    """
    for questions in sets:
        for a in attributes(questions):
            for key, text in a.forms.items():
                negated = a.forms.get(key | {"neg"})
                if "neg" in key or negated is None:
                    continue
                dropped = _dropped(text, negated, questions.language)
                if dropped:
                    problem = f"the negation {negated!r} omits {dropped!r} of {text!r}"
                    yield entry_finding(a, "partial-negation", problem)


def _dropped(text: str, negated: str, language: str) -> str:
    """Return the words of ``text`` that ``negated`` omits; empty if it omits none or replaces some."""
    gaps = _gaps(words(text), words(negated))
    added = [word for gap in gaps for word in gap.added]
    negators, known = negation_words(language) or (frozenset[str](), None)
    if known is None:
        replaced = any(gap.dropped and gap.added for gap in gaps)
        if replaced or not 0 < len(added) <= _MOST_ADDED:
            return ""
    elif not known.issuperset(added) or negators.isdisjoint(added):
        return ""
    for gap in gaps:
        left_out = [word for word in gap.dropped if known is None or word not in known]
        if any(is_unspaced(word[0]) for word in left_out):
            if len(left_out) > 1:
                return "".join(gap.dropped)
        elif any(len(word) > 2 for word in left_out):
            return " ".join(gap.dropped)
    return ""


@functools.cache
def negation_words(language: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words of ``language`` that deny, and all words that a negation adds or omits.

    None if these words are not known.
    """
    text = (files("nextset.generation.lint.pack_rules") / "negation_words.yaml").read_text(encoding="utf-8")
    listed = yaml.safe_load(text).get(language.split("-")[0])
    if listed is None:
        return None
    of_kind = {
        kind: frozenset(w for entry in entries for w in words(entry)) for kind, entries in listed.items()
    }
    return of_kind["negators"], frozenset().union(*of_kind.values())


def _gaps(one: Sequence[str], two: Sequence[str]) -> list[_Gap]:
    """Return the gaps between the words of a longest common sequence; inflections count as equal words."""
    # longest[i][j] is the length for the words from i and j on. It is filled from the end, so that the walk
    # below goes forward and pairs a word with its first match: gaps then end as early as they can.
    longest = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(two))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if _alike(one[i], two[j])
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    gaps = []
    i = j = 0
    dropped: list[str] = []
    added: list[str] = []
    while i < len(one) or j < len(two):
        if i < len(one) and j < len(two) and _alike(one[i], two[j]):
            gaps.append(_Gap(tuple(dropped), tuple(added)))
            dropped, added = [], []
            i, j = i + 1, j + 1
        elif j == len(two) or (i < len(one) and longest[i + 1][j] >= longest[i][j + 1]):
            dropped.append(one[i])
            i += 1
        else:
            added.append(two[j])
            j += 1
    return [*gaps, _Gap(tuple(dropped), tuple(added))]


def _alike(one: str, two: str) -> bool:
    """Return whether two words are the same, or by their letters may be inflections of one word."""
    if one == two:
        return True
    if is_unspaced(one[0]) or is_unspaced(two[0]):
        return False
    short, long = sorted((one, two), key=len)
    shared = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(short))
    inflected = len(short) > _ALIKE and shared >= max(_ALIKE, (len(short) + 1) // 2)
    return inflected or (len(short) >= _ALIKE and long.endswith(short))


def fixed_texts(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find questions and statements whose negation has different words around the attribute (*men*, *man*).

    The texts are compared as in the file, since a sound rule may change a word next to the attribute. An
    attribute whose negation names other groups is found too.
    """
    for questions in sets:
        for a in attributes(questions):
            for key, text in a.forms.items():
                negated = a.forms.get(key | {"neg"}, text)
                both = (text, negated), (negated, text)
                if unlike := [word for pair in both for word in unlike_groups(questions.language, *pair)]:
                    problem = f"only one of {text!r} and its negation {negated!r} names {', '.join(unlike)}"
                    yield entry_finding(a, "fixed-text", problem)
        for template in questions.templates:
            asked, denied = _frame(template.asked), _frame(template.denied)
            if asked != denied:
                problem = f"the {questions.form} is {asked!r}, but its negation {denied!r}"
                yield template_finding(questions, template, "fixed-text", problem)


def _frame(pieces: Sequence[Piece]) -> str:
    """Return a question or statement with … in place of the attribute."""
    return "".join(
        (MASK if piece.name == "mask" else "…") if isinstance(piece, Slot) else str(piece) for piece in pieces
    )


FIXED_TEXT: LintRule[Sequence[QuestionSet]] = LintRule(
    "fixed-text",
    fixed_texts,
    "a question whose negation has other words around the attribute, or an attribute whose negation names "
    "other groups",
)

PARTIAL_NEGATION: LintRule[Sequence[QuestionSet]] = LintRule(
    "partial-negation",
    partial_negations,
    "a negation that omits a part of its affirmative: *plotted in secret*, *never plotted*; "
    "words for frequency (*always*) may be omitted",
)
