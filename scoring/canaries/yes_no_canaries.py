"""Canaries for yes/no questions: questions with the obvious answer yes or no."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from nextset.errors import ModelError
from nextset.scoring.canaries.canary_texts import YES_NO
from nextset.scoring.canaries.card_canaries import card_canaries
from nextset.scoring.canaries.cases import OWN_ORIGIN, Canaries, FailedCanaries, Right, listed, waiver
from nextset.scoring.canaries.unanswered_canaries import missing_part, outcome_counts
from nextset.scoring.models.labels import LabelMap
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.scorer_protocol import Numbers, YesNoQuestion
from nextset.study.scoring_settings import CanaryPair, ModelSettings

__all__ = ["YesNoCanaries", "yes_no_canaries"]


@dataclass(frozen=True)
class YesNoCanaries(Canaries):
    """Questions with the obvious answer yes or no.

    At least three in four of each answer must be right, comparing only yes with no. A model that always says
    yes, or always no, fails; a model that never says maybe can pass.
    """

    inputs: tuple[YesNoQuestion, ...]
    """The questions."""

    def right(self, numbers: Numbers) -> Right:
        """Return True for the questions whose right answer is more probable than the other one.

        The difference must be higher than the share of the prompts that were not answered.
        """
        yes, no, missing = numbers[:, 0], numbers[:, 2], missing_part(numbers)
        entailed = np.array(self.labels) == "entailment"
        right: Right = np.where(entailed, yes > no + missing, no > yes + missing)
        return right

    def check(self, numbers: Numbers, name: str, labels: LabelMap | None) -> str:
        """Return the result as text; raises FailedCanaries."""
        right, expected = self.right(numbers), np.array(self.labels)
        result = f"{right.sum()} of {len(right)} canary yes/no questions right ({self.origin})"
        each = [right[expected == label] for label in ("entailment", "contradiction")]
        if all(4 * hits.sum() >= 3 * len(hits) for hits in each):
            return result
        answers = {"entailment": "yes", "contradiction": "no"}
        wrong = listed(
            f"{' | '.join(self.inputs[i].texts())} is {answers[self.labels[i]]}"
            for i in np.flatnonzero(~right)
        )
        raise FailedCanaries(
            f"{name} gets only {result}; at least three in four of each answer are needed. "
            f"{outcome_counts(numbers, right)}Wrong: {wrong}",
            check="check that it answers yes/no questions in this language",
            in_study="if it answers them in a different language, write canaries with a question in that "
            f"language under models; {waiver(name)}",
        )


def yes_no_canaries(source: ModelSource, settings: ModelSettings) -> YesNoCanaries:
    """Return the canaries that have a question with the answer yes or no; neutral ones are not asked.

    They are those of the study's ``settings``, of the model's card, or nextset's. Raises ModelError.
    """
    ours = [CanaryPair(premise=p, label=label, hypothesis=q, question=q) for p, label, q in YES_NO]
    own = [case for case in card_canaries(source) if isinstance(case, CanaryPair)]
    candidates = ((settings.canaries, "from the study"), (own, "from its card"), (ours, OWN_ORIGIN))
    for cases, origin in candidates:
        usable_cases = [case for case in cases if case.question and case.label != "neutral"]
        if not usable_cases:
            continue
        counts = Counter(case.label for case in usable_cases)
        few = [label for label in ("entailment", "contradiction") if counts[label] < 2]
        if few:
            raise ModelError(
                f"the canaries for {source.name} ({origin}) have fewer than two questions labelled "
                f"{', '.join(few)}",
                remedy="write at least two pairs with a question, preferably four, for entailment (yes) and "
                "for contradiction (no)",
            )
        break
    inputs = tuple(YesNoQuestion(case.premise, case.question) for case in usable_cases)
    return YesNoCanaries(inputs, tuple(case.label for case in usable_cases), origin)
