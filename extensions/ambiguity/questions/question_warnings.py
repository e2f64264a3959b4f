"""Warnings about questions: people who are not named, and groups that cannot be compared."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from nextset.extensions.ambiguity.ambiguous_questions import RefusedQuestion
from nextset.extensions.ambiguity.questions.mentions import LocatedPerson, located
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.word_lists.group_labels import UNKNOWN, says_unknown

__all__ = ["question_warnings", "refusal_warning"]

_SHOWN = 4
_SIMILAR = 0.6
"""From this ratio on, a name in the context may be a spelling of the person's name."""
_CAPITALIZED = re.compile(r"[^\W\d_][\w'’-]*\.?")


def question_warnings(questions: Sequence[SourceQuestion], attribute: str) -> Iterator[str]:
    """Yield warnings about ``questions``, as sentences without a full stop."""
    unnamed = [
        (question, person)
        for question in questions
        for person in located(question)
        if person.position is None and not person.in_terms
    ]
    if unnamed:
        shown = [_absent(question, person) for question, person in unnamed[:_SHOWN]]
        problem = f"{'is' if len(unnamed) == 1 else 'are'} not in the context"
        yield _numbered(len(unnamed), "right answer", problem, shown)
    single = [q for q in questions if len(q.people) == 1]
    if single:
        verb = "has" if len(single) == 1 else "have"
        yield _numbered(len(single), "question", f"{verb} only one right answer", map(_place, single))
    contexts: dict[tuple[str, str], dict[str, SourceQuestion]] = {}
    for question in questions:
        of_item = contexts.setdefault((question.file.name, question.item), {})
        of_item.setdefault(" ".join(question.context.split()), question)
    several = [tuple(by_context.values()) for by_context in contexts.values() if len(by_context) > 1]
    if several:
        verb = "has" if len(several) == 1 else "have"
        yield _numbered(
            len(several),
            "item",
            f"{verb} several contexts, and each context is a question",
            (" and ".join((_place(variants[0]), *(_line(q) for q in variants[1:3]))) for variants in several),
        )
    counted = Counter(person.group(attribute) for question in questions for person in question.people)
    groups = set(counted)
    for group in sorted(filter(says_unknown, groups - {UNKNOWN})):
        answers = f"{counted[group]:,} right answer{'' if counted[group] == 1 else 's'}"
        yield (
            f"{attribute} {group!r} ({answers}) is compared as a group; leave the value empty if it means "
            "that the group is not known"
        )
    if groups <= {UNKNOWN}:
        yield f"{attribute} is unknown or empty for every right answer, so there is nothing to compare"
    elif len(groups - {UNKNOWN}) == 1:
        (group,) = groups - {UNKNOWN}
        yield f"{attribute} is {group!r} for every right answer with a value, so there is nothing to compare"


def refusal_warning(refused: Sequence[RefusedQuestion]) -> str:
    """Return a sentence on the questions whose names cannot be replaced; empty if there are none."""
    if not refused:
        return ""
    shown = (f"{row.item} ({row.reason}{f': {row.place}' if row.place else ''})" for row in refused)
    verb = "is" if len(refused) == 1 else "are"
    return _numbered(
        len(refused),
        "question",
        f"{verb} omitted, since names cannot be replaced",
        shown,
        "; see the table refused",
    )


def _numbered(n: int, noun: str, said: str, shown: Iterable[str], rest: str = "") -> str:
    texts = list(shown)
    more = f" and {n - _SHOWN:,} more{rest}" if n > _SHOWN else ""
    return f"{n:,} {noun}{'' if n == 1 else 's'} {said}: {'; '.join(texts[:_SHOWN])}{more}"


def _line(question: SourceQuestion, person: SourcePerson | None = None) -> str:
    line = question.line if person is None or person.line is None else person.line
    return question.file.name if line is None else f"{question.file.name}:{line}"


def _place(question: SourceQuestion) -> str:
    return f"{question.item} ({_line(question)})"


def _absent(question: SourceQuestion, person: LocatedPerson) -> str:
    near = _nearest(person.person.name, question.context)
    hint = f", did you mean {near!r}?" if near else ""
    return f"{person.person.name!r} ({_line(question, person.person)}{hint})"


def _nearest(name: str, context: str) -> str:
    """Return the words of ``context`` that are most like ``name``, as many as it has; empty if none are."""
    n = len(name.split())
    words = list(_CAPITALIZED.finditer(context))
    best, nearest = _SIMILAR, ""
    for i in range(len(words) - n + 1):
        if not (words[i][0][:1].isupper() and words[i + n - 1][0][:1].isupper()):
            continue
        text = context[words[i].start() : words[i + n - 1].end()].rstrip(".")
        text = re.sub(r"['’]s?$", "", text)
        ratio = difflib.SequenceMatcher(None, name.casefold(), text.casefold(), autojunk=False).ratio()
        if ratio > best:
            best, nearest = ratio, text
    return nearest
