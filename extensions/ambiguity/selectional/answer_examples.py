"""Examples of questions with several right answers: the context with its people marked, and who was found."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.selectional.answered_people import QuestionPeople
from nextset.extensions.ambiguity.selectional.selectional_records import PersonFound
from nextset.files.hidden_controls import without_hidden_controls
from nextset.html.text_direction import Direction, text_direction

__all__ = ["AnswerExample", "AnswerSpans", "ContextPiece", "answer_examples"]

AnswerSpans = Mapping[tuple[str, str], tuple[int, int]]
"""The place of a model's answer in the context, by the model and the question's id."""

_AROUND = 160
"""The number of characters of a context that are shown before and after a marked passage."""
_MOST = 900
"""The largest number of characters of a context that are shown."""


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A piece of a context."""

    text: str
    """Its characters."""
    kind: str
    """found or missed, if it mentions a person; empty otherwise."""
    answer: bool
    """True if it is part of the model's answer."""


@dataclass(frozen=True, slots=True)
class AnswerExample:
    """A question and a model's answer."""

    model: str
    """The model's published name."""
    question: str
    language: str
    """BCP 47 tag."""
    direction: Direction
    """The writing direction of its texts."""
    answer: str
    """The answer; empty if there is none."""
    people: tuple[PersonFound, ...]
    """The right answers."""
    pieces: tuple[ContextPiece, ...]
    """The context, or a part of it."""


def answer_examples(
    questions: Sequence[QuestionPeople], found: Sequence[PersonFound], spans: AnswerSpans, most: int
) -> list[AnswerExample]:
    """Return up to ``most`` examples, the models in turn.

    Questions come first if one person was found and a person of another group was not, short contexts before
    long ones; then the others. Questions without a named person in their context are not shown.
    """
    by_model: dict[str, dict[str, list[PersonFound]]] = {}
    for row in found:
        by_model.setdefault(row.model, {}).setdefault(row.question_id, []).append(row)
    order = [
        sorted(
            (asked for asked in questions if _is_shown(asked, people)),
            key=lambda asked: (*_interest(people[asked.question.id]), len(asked.question.context)),
        )
        for people in by_model.values()
    ]
    chosen: list[AnswerExample] = []
    shown: set[str] = set()
    for place in range(max(map(len, order), default=0)):
        for (model, people), questions_of_model in zip(by_model.items(), order, strict=True):
            if len(chosen) == most:
                return chosen
            asked = next((q for q in questions_of_model[place:] if q.question.id not in shown), None)
            if asked is not None:
                shown.add(asked.question.id)
                own = tuple(people[asked.question.id])
                chosen.append(_example(asked, model, own, spans.get((model, asked.question.id))))
    return chosen


def _is_shown(asked: QuestionPeople, people: Mapping[str, Sequence[PersonFound]]) -> bool:
    return asked.question.id in people and any(person.mentions for person in asked.people)


def _interest(people: Sequence[PersonFound]) -> tuple[int, bool]:
    """Return the order of an example: lower comes first, and answers that give a person's family name come
    before others."""
    found_groups, missed = ({p.group for p in people if p.shared_token == hit} for hit in (True, False))
    rank = (0 if found_groups != missed else 1) if found_groups and missed else 2 if found_groups else 3
    return rank, not any(p.family_name for p in people)


def _example(
    asked: QuestionPeople, model: str, people: tuple[PersonFound, ...], span: tuple[int, int] | None
) -> AnswerExample:
    return AnswerExample(
        model,
        asked.question.question,
        asked.question.language,
        text_direction(asked.question.language),
        without_hidden_controls(people[0].answer).strip(),
        people,
        tuple(_pieces(asked, people, span)),
    )


def _pieces(
    asked: QuestionPeople, people: Sequence[PersonFound], span: tuple[int, int] | None
) -> Iterator[ContextPiece]:
    context = asked.question.context
    kinds: list[tuple[int, int, str]] = [
        (mention.start, mention.end, "found" if row.shared_token else "missed")
        for person, row in zip(asked.people, people, strict=True)
        for mention in person.mentions
        if mention.form == "name"
    ]
    marked = [(start, end) for start, end, _ in kinds] + ([span] if span else [])
    begin, stop = _shown_part(len(context), marked)
    bounds = {begin, stop, *(place for ends in marked for place in ends if begin < place < stop)}
    if begin:
        yield ContextPiece("… ", "", False)
    ordered = sorted(bounds)
    for start, end in itertools.pairwise(ordered):
        kind = next((kind for a, b, kind in kinds if a <= start and end <= b), "")
        inside = span is not None and span[0] <= start and end <= span[1]
        yield ContextPiece(context[start:end], kind, inside)
    if stop < len(context):
        yield ContextPiece(" …", "", False)


def _shown_part(length: int, marked: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the start and end of the part of a context to show: the marked passages with some text around
    them, from the first mark on."""
    if length <= _MOST or not marked:
        return 0, min(length, _MOST)
    begin = max(0, min(start for start, _ in marked) - _AROUND)
    stop = min(length, max(end for _, end in marked) + _AROUND)
    return begin, min(stop, begin + _MOST)
