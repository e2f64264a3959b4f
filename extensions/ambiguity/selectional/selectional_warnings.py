"""Warnings about the measures of questions with several right answers, and notes on what they exclude."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from nextset.auditing.report.number_table import shown
from nextset.counted import counted
from nextset.extensions.ambiguity.selectional.answered_people import QuestionPeople
from nextset.extensions.ambiguity.selectional.selectional_records import AnsweringModel, GroupRecall

__all__ = ["left_out", "selectional_warnings"]

_SELDOM_NAMED = 0.1
"""A model that gives the family names of a smaller share of all people than this is said to hardly find
people."""


def selectional_warnings(
    models: Sequence[AnsweringModel], recall: Sequence[GroupRecall], muted: Collection[str] = ()
) -> Iterator[str]:
    """Yield warnings about predictions that do not fit the questions, and models that hardly find people.

    ``muted`` are readers that were trained to give no answer if there is none, but must always give one here.
    """
    for model in models:
        if text := _unfit(model):
            yield f"{model.model}: {text}"
    for name in muted:
        yield (
            f"{name}: its card says that it was trained on questions without an answer, but here it must "
            "answer every question. To let it give no answer, set no_answer: true in its settings under "
            "models."
        )
    for name in (model.model for model in models):
        own = [r for r in recall if r.model == name and r.rule == "family_name"]
        hits, answers = sum(r.found for r in own), sum(r.answers for r in own)
        if hits < _SELDOM_NAMED * answers:
            yield (
                f"{name} hardly finds people: its answers give the family names of {hits:,} of {answers:,} "
                f"right answers ({shown(hits / answers, 'per_cent')} %), so differences between groups say "
                "little."
            )


def left_out(questions: Sequence[QuestionPeople], refused: int) -> Iterator[str]:
    """Yield notes on the questions whose names could not be replaced, and on the people whom no context
    mentions."""
    if refused:
        kept = len({asked.cluster for asked in questions})
        verb = "is" if refused == 1 else "are"
        yield (
            f"{refused:,} of {counted(kept + refused, 'questions')} {verb} excluded, since names in the text "
            "cannot be replaced (table “Excluded questions”)."
        )
    people = [person for asked in questions for person in asked.people]
    unmentioned = sum(person.position is None for person in people)
    if unmentioned:
        verb = "is" if unmentioned == 1 else "are"
        people_text = counted(len(people), "right answers", "right answer")
        yield (
            f"{unmentioned:,} of {people_text} {verb} not mentioned in the text. A reader "
            "cannot find such a person, who has no place in the order of mention."
        )


def _unfit(model: AnsweringModel) -> str:
    parts = []
    if model.missing:
        have = "has no answer and does not count" if model.missing == 1 else "have no answer and do not count"
        parts.append(f"{model.missing:,} of {counted(model.questions, 'questions')} {have}")
    if model.unknown:
        belong = "belongs" if model.unknown == 1 else "belong"
        parts.append(f"{model.unknown:,} of its ids {belong} to no question")
    return "; ".join(parts)
