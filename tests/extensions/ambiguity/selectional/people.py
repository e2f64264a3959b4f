"""Questions with several right answers, and answers to them, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.extensions.ambiguity.ambiguous_questions import AmbiguousQuestion, Mention, RightAnswer
from nextset.extensions.ambiguity.selectional.answered_people import (
    ModelRows,
    QuestionPeople,
    model_rows,
    people_found,
)

__all__ = ["asked", "rows_of"]

Person = tuple[str, str]
"""A name and a group."""


def asked(number: int, people: Sequence[Person], parent: str | None = None, key: str = "") -> QuestionPeople:
    """A question about ``people``, in the order of mention; a name with * is not mentioned."""
    names = [name for name, _ in people if not name.endswith("*")]
    context = f"The law number {number} is named after {' and '.join(names)}."
    question = AmbiguousQuestion(
        id=f"{number:032x}",
        language="en",
        item=f"law number {number}",
        question="Who discovered it?",
        context=context,
        origin="test",
        key=key or str(number),
        parent_id=parent,
    )
    return QuestionPeople(question, tuple(_answer(question, name, group, names) for name, group in people))


def _answer(question: AmbiguousQuestion, name: str, group: str, names: Sequence[str]) -> RightAnswer:
    start = question.context.find(name)
    return RightAnswer(
        question_id=question.id,
        name=name.removesuffix("*"),
        family="",
        group=group,
        position=names.index(name) + 1 if name in names else None,
        mentions=(Mention(start=start, end=start + len(name), form="name"),) if name in names else (),
        attributes=(),
    )


def rows_of(questions: Sequence[QuestionPeople], answers: Sequence[str]) -> ModelRows:
    """The rows of a model with one of ``answers`` to each question."""
    texts = {q.question.id: text for q, text in zip(questions, answers, strict=True)}
    found = people_found(questions, texts, "m")
    return model_rows("m", found, {q.question.id: q.cluster for q in questions})
