"""Rules that count wrong models: any_wrong, majority_wrong, all_wrong, at_least_wrong."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated

import numpy as np
from pydantic import Field

from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rules.rule_base import AnswerRule, Decision, too_few_models
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["AllWrong", "AnyWrong", "AtLeastWrong", "MajorityWrong"]


class VoteRule(AnswerRule):
    """A rule that keeps an item if enough models are wrong."""

    votes = True

    @abstractmethod
    def votes_needed(self, models: int) -> int:
        """Return how many of ``models`` must be wrong to keep an item."""

    @abstractmethod
    def reason(self, models: int) -> str:
        """Return the reason for rejecting an item."""

    def decide_items(self, answers: RightAnswers) -> Decision:
        models = len(answers.models)
        return Decision.of(answers.wrong.sum(axis=0) >= self.votes_needed(models), self.reason(models))


class AnyWrong(VoteRule):
    """At least one model is wrong."""

    name = "any_wrong"
    rank = 1

    def votes_needed(self, models: int) -> int:
        return 1

    def clause(self, form: FilteredForm) -> str:
        return "at least one of the models gets it wrong"

    def reason(self, models: int) -> str:
        return "no model gets it wrong"

    def decide_items(self, answers: RightAnswers) -> Decision:
        """Return the decision; a reason names the answer that all models give, if it is one.

        Without the answer of a model, the reason is that no model is wrong.
        """
        decision = super().decide_items(answers)
        codes, texts = answers.agreed
        if not texts:
            return decision
        silent = (answers.asked & ~answers.answered).any(axis=0)
        why = np.where(silent, len(texts), codes).astype(np.int32)
        return Decision(decision.keep, why, (*texts, *decision.reasons))


class MajorityWrong(VoteRule):
    """More than half of the models are wrong."""

    name = "majority_wrong"
    rank = 2

    def votes_needed(self, models: int) -> int:
        return models // 2 + 1

    def clause(self, form: FilteredForm) -> str:
        return "more than half of the models get it wrong"

    def reason(self, models: int) -> str:
        return "no more than half of the models get it wrong"


class AllWrong(VoteRule):
    """Every model is wrong."""

    name = "all_wrong"
    rank = 3

    def votes_needed(self, models: int) -> int:
        return models

    def clause(self, form: FilteredForm) -> str:
        return "every model gets it wrong"

    def reason(self, models: int) -> str:
        return "not every model gets it wrong"


class AtLeastWrong(VoteRule):
    """At least this many models are wrong."""

    name = "at_least_wrong"
    value_type = Annotated[int, Field(ge=1, strict=True)]
    rank = 4

    def votes_needed(self, models: int) -> int:
        return int(self.value)

    def clause(self, form: FilteredForm) -> str:
        return f"at least {self.value} of the models get it wrong"

    def reason(self, models: int) -> str:
        return f"fewer than {self.value} of the models get it wrong"

    def problem(self, models: int) -> WrongValue | None:
        return too_few_models(self.value, models)
