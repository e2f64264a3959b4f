"""Pairs of subjects that overlap: same text, one text within the other, or one group within the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nextset.generation.lint.pack_rules.pack_entries import entry_finding, subjects
from nextset.generation.lint.pack_rules.texts_within import texts_within
from nextset.generation.lint.pack_rules.word_borders import find_word
from nextset.generation.questions.question_set import QuestionSet, Subject
from nextset.generation.slots import Features
from nextset.letter_case import folded
from nextset.lint_rules import Finding, LintRule
from nextset.word_lists.broader_groups import BroaderGroups, broader_groups

__all__ = ["GROUP_TWICE", "OVERLAPPING", "groups_twice", "overlapping"]


def groups_twice(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find two subjects of a class with the same text, ignoring case: a pair would name one group twice."""
    for questions in sets:
        seen: dict[str, str] = {}
        for subject in {s.name: s for s in subjects(questions)}.values():
            for text in {folded(text, questions.language) for text in subject.forms.values()}:
                other = seen.setdefault(text, subject.name)
                if other != subject.name:
                    yield entry_finding(subject, "group-twice", f"{text!r} is also a text of {other}")


def overlapping(sets: Sequence[QuestionSet]) -> Iterator[Finding]:
    """Find pairs of subjects with one subject that contains or implies the other.

    Pairs that `within` declares are never made, so they are not found. Classes with ``overlapping: paired``
    are skipped. The time grows with the number of subjects and of findings, not with the number of pairs.
    """
    groups = broader_groups()
    for questions in sets:
        if questions.overlapping == "paired":
            continue
        listed = {s.name: s for s in subjects(questions)}
        declared = {name: _containing(name, listed) for name in listed}
        for one, two in _candidates(questions, groups):
            if one.name in declared[two.name] or two.name in declared[one.name]:
                continue
            orders = ((one, two), (two, one))
            for part, whole in orders:
                text = _text_inside(part, whole)
                if text:
                    problem = f"its text {text[0]!r} contains {text[1]!r}, the text of {part.name}"
                    yield entry_finding(whole, "overlapping", problem)
                    break
            else:
                for part, whole in orders:
                    if groups.is_within(part.name, whole.name):
                        problem = f"is part of {whole.name}: write within: [{whole.name}]"
                        yield entry_finding(part, "overlapping", problem)
                if groups.overlap(one.name, two.name):
                    yield entry_finding(two, "overlapping", f"overlaps with {one.name}")


def _candidates(questions: QuestionSet, groups: BroaderGroups) -> list[tuple[Subject, Subject]]:
    """Return pairs of subjects whose names are related, or with a text of one within a text of the other."""
    across = questions.pairs == "across"
    one, two = questions.lists
    every = [*one, *two] if across else one
    texts: dict[Features, list[tuple[int, str]]] = {}
    for i, subject in enumerate(every):
        for key, text in subject.forms.items():
            texts.setdefault(key, []).append((i, text[slice(*subject.answer(key))].casefold()))
    related = groups.related([subject.name for subject in every])
    related |= {pair for of_form in texts.values() for pair in texts_within(of_form)}
    places = {(min(pair), max(pair)) for pair in related}
    return [(every[i], every[j]) for i, j in sorted(places) if not across or i < len(one) <= j]


def _containing(name: str, listed: Mapping[str, Subject]) -> set[str]:
    """Return the names of all subjects that ``name`` is declared to be within."""
    containing: set[str] = set()
    waiting = list(listed[name].within)
    while waiting:
        broader = waiting.pop()
        if broader not in containing and broader in listed:
            containing.add(broader)
            waiting += listed[broader].within
    return containing


def _text_inside(part: Subject, whole: Subject) -> tuple[str, str] | None:
    """Return a text of ``whole`` that contains the text of ``part`` in the same form, and the latter text.

    None if there is none.
    """
    for key, text in part.forms.items():
        if key in whole.forms:
            inside = text[slice(*part.answer(key))].casefold()
            around = whole.forms[key][slice(*whole.answer(key))].casefold()
            if inside != around and inside in around and find_word(around, inside) is not None:
                return around, inside
    return None


GROUP_TWICE: LintRule[Sequence[QuestionSet]] = LintRule(
    "group-twice",
    groups_twice,
    "two subjects of a class with the same text, ignoring case: their pair would name one group twice",
)

OVERLAPPING: LintRule[Sequence[QuestionSet]] = LintRule(
    "overlapping",
    overlapping,
    "a pair of subjects of which one contains the other in its text (*African*, *African American*) "
    "or is part of the other (*Catholic*, *Christian*: `word_lists/broader_groups.yaml` knows "
    "groups by their English names)",
)
