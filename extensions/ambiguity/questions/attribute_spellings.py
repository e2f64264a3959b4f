"""One spelling for values of an attribute that differ only in capitals and spaces: Female, "FEMALE "."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nextset.extensions.ambiguity.person_mentions import GENDERS
from nextset.extensions.ambiguity.questions.source_questions import SourceQuestion
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["SpelledQuestions", "one_spelling"]


@dataclass(frozen=True)
class SpelledQuestions:
    """Questions with one spelling per value of the people's attributes."""

    questions: tuple[SourceQuestion, ...]
    notes: tuple[str, ...]
    """One sentence for each value of the compared attribute that was written in several ways."""


def one_spelling(
    questions: Sequence[SourceQuestion], attribute: str, groups: Iterable[str] = ()
) -> SpelledQuestions:
    """Write values of the people's attributes that differ only in capitals and spaces in one way.

    The spelling is the one in ``groups`` (for ``attribute``), else female, male or unknown, else the most
    frequent one, and of equally frequent ones the first.
    """
    written: dict[str, Counter[str]] = {}
    for question in questions:
        for person in question.people:
            for name, value in person.attributes.items():
                written.setdefault(name, Counter())[value] += 1
    chosen = {
        name: _chosen(values, tuple(groups) if name == attribute else ()) for name, values in written.items()
    }
    spelled = tuple(
        replace(
            question,
            people=tuple(
                replace(
                    person, attributes={n: chosen[n].get(_key(v), v) for n, v in person.attributes.items()}
                )
                for person in question.people
            ),
        )
        for question in questions
    )
    compared = written.get(attribute, Counter())
    return SpelledQuestions(spelled, tuple(_notes(compared, chosen.get(attribute, {}), attribute)))


def _key(value: str) -> str:
    return " ".join(value.casefold().split())


def _chosen(values: Counter[str], groups: Sequence[str]) -> dict[str, str]:
    usual = {_key(value): value for value in (*GENDERS, UNKNOWN, *groups)}
    spellings = dict(usual)
    for value, _ in values.most_common():
        spellings.setdefault(_key(value), " ".join(value.split()))
    return spellings


def _notes(values: Counter[str], chosen: dict[str, str], attribute: str) -> Iterable[str]:
    changed: dict[str, Counter[str]] = {}
    for value, n in values.items():
        if (spelling := chosen[_key(value)]) != value:
            changed.setdefault(spelling, Counter())[value] += n
    for spelling, others in changed.items():
        listed, n = ", ".join(repr(other) for other in others), others.total()
        yield (
            f"{attribute} {listed} ({n:,} right answer{'' if n == 1 else 's'}) is read as {spelling!r}, "
            "which differs only in capitals and spaces"
        )
