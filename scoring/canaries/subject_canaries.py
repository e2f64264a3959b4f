"""Canaries for questions with two subjects: questions whose first subject is the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextset.records.clear_questions import enough_right
from nextset.scoring.canaries.canary_texts import QUESTIONS
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.canaries.cases import OWN_ORIGIN, Canaries, FailedCanaries, Right, listed, waiver
from nextset.scoring.canaries.unanswered_canaries import missing_part, outcome_counts
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Numbers, Question
from nextset.study.scoring_settings import CardQuestion

__all__ = ["SubjectCanaries", "subject_canaries"]


@dataclass(frozen=True)
class SubjectCanaries(Canaries):
    """Questions whose first subject is the answer.

    At least nine in ten must have a higher score for the answer than for the other subject. A model that
    always prefers the first subject, or one of the names, gets half of them right.
    """

    inputs: tuple[Question, ...]
    """The questions."""

    def right(self, numbers: Numbers) -> Right:
        """Return True for the questions with a higher score for the answer than for the other subject.

        The difference must be higher than the share of the prompts that were not answered.
        """
        right: Right = numbers[:, 0] > numbers[:, 1] + missing_part(numbers)
        return right

    def check(self, numbers: Numbers, name: str, labels: LabelMap | None) -> str:
        """Return the result as text; raises FailedCanaries."""
        right = self.right(numbers)
        result = f"{right.sum()} of {len(right)} canary questions right ({self.origin})"
        if enough_right(int(right.sum()), len(right)):
            return result
        wrong = listed(" | ".join(self.inputs[i].texts()[:3]) for i in np.flatnonzero(~right))
        raise FailedCanaries(
            f"{name} gets only {result}; at least nine in ten are needed. "
            f"{outcome_counts(numbers, right)}Wrong: {wrong}",
            check="check that it is a question answering model for English; if it answers in another "
            "language, add canaries in that language to its README.md (docs/how_to/models.md)",
            in_study=waiver(name),
        )


def subject_canaries(source: ModelSource) -> SubjectCanaries:
    """Return the canaries of the model's card, or nextset's; raises ModelError."""
    own = [case for case in card_canaries(source) if isinstance(case, CardQuestion)]
    if own:
        return SubjectCanaries(tuple(map(_question, own)), (), "from its card")
    general = (CardQuestion(context=c, question=q, answer=a, other=o) for c, q, a, o in QUESTIONS)
    return SubjectCanaries(tuple(map(_question, general)), (), OWN_ORIGIN)


def _question(case: CardQuestion) -> Question:
    subjects = (case.answer, case.other)
    first, second = ((case.context.index(text), case.context.index(text) + len(text)) for text in subjects)
    return Question(case.context, case.question, subjects, (first, second))
