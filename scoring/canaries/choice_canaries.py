"""Canaries for questions with options: the right option is obvious, and is in every place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.records.nli_items import LABELS
from nextset.scoring.canaries.canary_texts import NOT_STATED, QUESTIONS
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.canaries.cases import OWN_ORIGIN, Canaries, FailedCanaries, Right, listed, waiver
from nextset.scoring.canaries.unanswered_canaries import missing_part, outcome_counts
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import CHOICE_COLUMNS, ChoiceQuestion, Numbers
from nextset.study.scoring_settings import CanaryPair, CardQuestion, ModelSettings

__all__ = ["ChoiceCanaries", "choice_canaries"]

_LEAD = 1e-6
"""The least lead of the right option: in all orders of the options, a model that always chooses the first
place gives each option the same share."""


@dataclass(frozen=True)
class ChoiceCanaries(Canaries):
    """Questions with an obvious option.

    At least three in four must have the highest share for the right option. A model that always chooses the
    same place, or always unknown, gets at most half of them right.
    """

    inputs: tuple[ChoiceQuestion, ...]
    """The questions; `labels` are the right options."""

    def right(self, numbers: Numbers) -> Right:
        """Return True for the questions whose right option leads by more than the share without a choice."""
        missing = missing_part(numbers[:, len(CHOICE_COLUMNS) :])
        right = [
            _leads(shares[: len(asked.options)], asked.options.index(option), lost)
            for shares, asked, option, lost in zip(numbers, self.inputs, self.labels, missing, strict=True)
        ]
        return np.array(right, np.bool_)

    def check(self, numbers: Numbers, name: str, labels: LabelMap | None) -> str:
        """Return the result as text; raises FailedCanaries."""
        right = self.right(numbers)
        result = f"{right.sum()} of {len(right)} canary questions with options right ({self.origin})"
        if 4 * right.sum() >= 3 * len(right):
            return result
        wrong = listed(
            f"{asked.context} | {asked.question} is {option}"
            for asked, option, hit in zip(self.inputs, self.labels, right.tolist(), strict=True)
            if not hit
        )
        outcomes = outcome_counts(numbers[:, len(CHOICE_COLUMNS) :], right)
        raise FailedCanaries(
            f"{name} gets only {result}; at least three in four are needed. {outcomes}Wrong: {wrong}",
            check="check that it answers questions in this language, and that its labels are in the right "
            "order; if it answers in another language, add canaries in that language to its README.md "
            "(docs/how_to/models.md)",
            in_study=waiver(name),
        )


def choice_canaries(source: ModelSource, settings: ModelSettings) -> ChoiceCanaries:
    """Return the canaries of the study's ``settings``, of the model's card, or nextset's.

    The pairs of an NLI model become questions without words: the hypotheses of a premise are the options, and
    the one that it entails is right. Raises ModelError if the card cannot be read.
    """
    for cases, origin in ((settings.canaries, "from the study"), (card_canaries(source), "from its card")):
        of_pairs = list(_of_pairs([case for case in cases if isinstance(case, CanaryPair)]))
        asked = of_pairs or list(_of_questions([case for case in cases if isinstance(case, CardQuestion)]))
        if asked:
            return _canaries(asked, origin)
    ours = [CardQuestion(context=c, question=q, answer=a, other=o) for c, q, a, o in QUESTIONS]
    return _canaries(list(_of_questions(ours)), OWN_ORIGIN)


def _canaries(asked: Sequence[tuple[ChoiceQuestion, str]], origin: str) -> ChoiceCanaries:
    return ChoiceCanaries(tuple(x for x, _ in asked), tuple(option for _, option in asked), origin)


def _of_questions(cases: Sequence[CardQuestion]) -> Iterator[tuple[ChoiceQuestion, str]]:
    """Yield each question with its right option; the place of the right option turns."""
    for turn, case in enumerate(cases):
        options = (case.answer, case.other, NOT_STATED)
        first = -turn % len(options)
        turned = (*options[first:], *options[:first])
        yield ChoiceQuestion(case.context, case.question, turned, turned.index(NOT_STATED)), case.answer


def _of_pairs(cases: Sequence[CanaryPair]) -> Iterator[tuple[ChoiceQuestion, str]]:
    """Yield the premises with exactly one entailed hypothesis and with others, with that hypothesis."""
    turn = 0
    for premise, group in itertools.groupby(
        sorted(cases, key=lambda case: case.premise), lambda c: c.premise
    ):
        of_premise = sorted(group, key=lambda case: LABELS.index(case.label))
        entailed = [case.hypothesis for case in of_premise if case.label == LABELS[0]]
        options = list(dict.fromkeys(case.hypothesis for case in of_premise))[: len(LABELS)]
        if len(entailed) != 1 or len(options) < 2:
            continue
        first = -turn % len(options)
        yield ChoiceQuestion(premise, "", (*options[first:], *options[:first]), -1), entailed[0]
        turn += 1


def _leads(shares: Numbers, place: int, missing: float) -> bool:
    others = np.delete(shares, place)
    return bool(shares[place] > others.max() + missing + _LEAD)
