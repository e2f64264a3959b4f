"""Contexts that treat their two subjects differently."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nextset.generation.lint.pack_rules.pack_entries import context_pieces, template_finding
from nextset.generation.questions.context_spans import render_context
from nextset.generation.questions.question_set import QuestionSet, SetTemplate, Subject
from nextset.generation.slots import CASES, Piece, Slot, form_key
from nextset.lint_rules import Finding, LintRule

__all__ = ["ASYMMETRIC", "SWAP", "asymmetric", "swap"]

_ARTICLE = re.compile(r"\b(an?|the) \Z", re.IGNORECASE)
_NOUN = re.compile(r" (?:man|woman|boy|girl|person|child|men|women|boys|girls|people|children)\b")
_BORDER = 2
"""The most words next to a slot that a sound rule changes."""


def asymmetric(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find contexts whose two subjects are in forms that differ in more than case.

    In English, it also finds different articles before them, and a noun such as *man* after only one of them.
    """
    for questions in sets:
        english = questions.language.split("-")[0] == "en"
        for t in questions.templates:
            seen = []
            pieces = context_pieces(t)
            for i, piece in enumerate(pieces):
                if isinstance(piece, Slot):
                    before, after = _text(pieces, i - 1), _text(pieces, i + 1)
                    article = _ARTICLE.search(before)
                    beside = (article and article[1].lower(), bool(_NOUN.match(after))) if english else None
                    seen.append(((piece.features or frozenset()) - CASES, beside))
            (one, beside_one), (two, beside_two) = seen
            if one != two or beside_one != beside_two:
                what = "form" if one != two else "the article or the noun next to them"
                problem = f"the two subjects differ in {what}"
                yield template_finding(questions, t, "asymmetric", problem)


def _text(pieces: Sequence[Piece], i: int) -> str:
    piece = pieces[i] if 0 <= i < len(pieces) else ""
    return piece if isinstance(piece, str) else ""


def swap(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find swaps of subjects of one gender that change more than the subjects and the words next to them.

    Words next to a slot may change if the pack has sound rules, and the words of a form outside its braces
    change with the subject. Each subject is swapped once per template, with the next subject of its gender.
    """
    for questions in sets:
        alike = list(_alike(questions))
        for t in questions.templates:
            for one, two in alike:
                changed = _changed(questions, t, one, two)
                if changed:
                    problem = f"swapping {one.name} and {two.name} changes {changed[0]!r} to {changed[1]!r}"
                    yield template_finding(questions, t, "swap", problem)
                    break


def _alike(questions: QuestionSet) -> Iterator[tuple[Subject, Subject]]:
    one, two = questions.lists
    for i, first in enumerate(one):
        others = two if questions.pairs == "across" else (*two[i + 1 :], *two[:i])
        second = next((s for s in others if s.gender == first.gender), None)
        if second:
            yield first, second


def _changed(
    questions: QuestionSet, template: SetTemplate, one: Subject, two: Subject
) -> tuple[str, str] | None:
    """Return a part of the context outside the subjects, in both orders, if a swap changes it; else None."""
    rests = []
    for first, second in ((one, two), (two, one)):
        context = render_context(questions, template, first, second)
        (a, b), (c, d) = ((s.start, s.end) for s in (context.first, context.second))
        rests.append((context.text[:a], context.text[b:c], context.text[d:]))
    before, after = (
        (_BORDER if questions.rules else 0)
        + max((_outside(s, template, questions)[side] for s in (one, two)), default=0)
        for side in (0, 1)
    )
    allowed = ((0, before), (after, before), (after, 0))
    for x, y, (left, right) in zip(*rests, allowed, strict=True):
        if x != y and not _same_inside(x, y, left, right):
            return x, y
    return None


def _outside(subject: Subject, template: SetTemplate, questions: QuestionSet) -> tuple[int, int]:
    """Return the most words that a form of ``subject`` has before and after its braces, in ``template``."""
    counts = [(0, 0)]
    for piece in template.context:
        if isinstance(piece, Slot):
            key = form_key(subject.forms, piece.features or frozenset(), template.gender)
            if key is not None:
                start, end = subject.answer(key)
                text = subject.forms[key]
                counts.append((len(text[:start].split()), len(text[end:].split())))
    return max(b for b, _ in counts), max(a for _, a in counts)


def _same_inside(x: str, y: str, left: int, right: int) -> bool:
    """Return whether ``x`` and ``y`` are equal without up to ``left`` and ``right`` words at their ends."""
    return not _inner(x, left, right).isdisjoint(_inner(y, left, right))


def _inner(text: str, left: int, right: int) -> set[tuple[str, ...]]:
    parts = tuple(text.split())
    return {
        parts[i : max(i, len(parts) - j)]
        for i in range(min(left, len(parts)) + 1)
        for j in range(min(right, len(parts)) + 1)
    }


ASYMMETRIC: LintRule[Sequence[QuestionSet]] = LintRule(
    "asymmetric",
    asymmetric,
    "subjects in forms that differ in more than case; in English also different articles, or a noun "
    "such as *man* after only one of them",
)

SWAP: LintRule[Sequence[QuestionSet]] = LintRule(
    "swap",
    swap,
    "two subjects of one gender whose swap changes more than the subjects, the words that a sound "
    "rule changes next to them, and the words of their forms outside braces",
)
