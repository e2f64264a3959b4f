"""The rows of ambiguous questions and their right answers, with new names if groups are balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.ambiguous_questions import (
    AmbiguousQuestion,
    PersonAttribute,
    RefusedQuestion,
    RightAnswer,
)
from nextset.extensions.ambiguity.questions.balanced_copies import NotRenamed, balanced_copies
from nextset.extensions.ambiguity.questions.given_names import GivenName
from nextset.extensions.ambiguity.questions.mentions import LocatedPerson, located
from nextset.extensions.ambiguity.questions.question_warnings import question_warnings, refusal_warning
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion

__all__ = ["Balance", "QuestionRows", "question_rows"]

REPEATED = "questions that are repeated, dropped"


@dataclass(frozen=True)
class Balance:
    """The settings for the replacement of names."""

    groups: Sequence[str]
    """The groups that get the same number of right answers."""
    names: Sequence[GivenName]
    """The given names of the groups."""
    seed: int
    """The seed of the choice of names."""


@dataclass(frozen=True)
class QuestionRows:
    """The rows of the stage's tables, with counts."""

    questions: Sequence[AmbiguousQuestion]
    answers: Sequence[RightAnswer]
    """Their right answers, in the order of the questions."""
    refused: Sequence[RefusedQuestion]
    """The questions whose people cannot be renamed."""
    counts: Mapping[str, int]
    """The numbers of dropped questions by reason, and facts about the right answers."""
    warnings: Sequence[str] = ()
    """Warnings about the questions, in sentences."""


@dataclass(frozen=True)
class _Asked:
    source: SourceQuestion
    key: str
    parent_id: str | None


def question_rows(sources: Iterable[SourceQuestion], attribute: str, balance: Balance | None) -> QuestionRows:
    """Return the rows of ``sources``, or with ``balance`` the rows of their copies with new names.

    People are compared by ``attribute``. The counts say how often the context does not name a person, and how
    often it has the family name only in names of things, such as the name of a law.
    """
    questions: dict[str, AmbiguousQuestion] = {}
    answers: list[RightAnswer] = []
    refused: list[RefusedQuestion] = []
    counts: Counter[str] = Counter()
    distinct: dict[str, SourceQuestion] = {}
    for source in sources:
        if source.id in distinct:
            counts[REPEATED] += 1
            continue
        distinct[source.id] = source
        try:
            variants = list(_asked(source, attribute, balance))
        except NotRenamed as reason:
            counts[f"questions not balanced: {reason}, dropped"] += 1
            refused.append(_refused(source, reason))
            continue
        for one in variants:
            row = _row(one)
            if row.id in questions:
                counts[REPEATED] += 1
                continue
            questions[row.id] = row
            people = located(one.source)
            counts.update(fact for person in people if (fact := _fact(person)) is not None)
            answers += (_answer(row.id, person, attribute) for person in people)
    warnings = [*question_warnings(tuple(distinct.values()), attribute), refusal_warning(refused)]
    return QuestionRows(
        tuple(questions.values()), answers, refused, dict(counts), tuple(filter(None, warnings))
    )


def _asked(source: SourceQuestion, attribute: str, balance: Balance | None) -> Iterator[_Asked]:
    if balance is None:
        yield _Asked(source, source.key, None)
        return
    copies = balanced_copies(source, balance.groups, balance.names, attribute, balance.seed)
    for group, copy in zip(balance.groups, copies, strict=True):
        yield _Asked(copy, f"{source.key}-{group}", source.id)


def _row(asked: _Asked) -> AmbiguousQuestion:
    source = asked.source
    return AmbiguousQuestion(
        id=source.id,
        language=source.language,
        item=source.item,
        question=source.question,
        context=source.context,
        origin=source.origin,
        key=asked.key,
        parent_id=asked.parent_id,
    )


def _refused(source: SourceQuestion, found: NotRenamed) -> RefusedQuestion:
    return RefusedQuestion(
        id=source.id,
        item=source.item,
        origin=source.origin,
        key=source.key,
        reason=str(found),
        place=found.place,
    )


def _answer(question_id: str, person: LocatedPerson, attribute: str) -> RightAnswer:
    attributes = person.person.attributes
    return RightAnswer(
        question_id=question_id,
        name=person.person.name,
        family=person.person.family,
        group=person.person.group(attribute),
        position=person.position,
        mentions=person.mentions,
        attributes=tuple(PersonAttribute(name=name, value=value) for name, value in attributes.items()),
    )


def _fact(person: LocatedPerson) -> str | None:
    if person.position is not None:
        return None
    if person.in_terms:
        return "right answers that the context has only in the name of a thing"
    return "right answers that the context does not have"
