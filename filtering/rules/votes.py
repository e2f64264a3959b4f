"""Rules that count wrong models: any_wrong, majority_wrong, all_wrong, at_least_wrong."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated

import numpy as np
from pydantic import Field

from nextset.counted import counted
from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import ItemAnswers
from nextset.filtering.rules.rule_base import Decision, LabelRule
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["AllWrong", "AnyWrong", "AtLeastWrong", "MajorityWrong"]


class VoteRule(LabelRule):
    """A rule that keeps an item if enough models are wrong."""

    votes = True

    @abstractmethod
    def votes_needed(self, models: int) -> int:
        """Return how many of ``models`` must be wrong to keep an item."""

    @abstractmethod
    def reason(self, models: int) -> str:
        """Return the reason for rejecting an item."""

    def decide_items(self, answers: ItemAnswers) -> Decision:
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

    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Return the decision; if all models have three labels, a reason names the label that all give.

        Without the answer of a model, the reason is that no model is wrong.
        """
        decision = super().decide_items(answers)
        if answers.two_labels.any():
            return decision
        reasons = (*(f"every model says {label}" for label in LABELS), *decision.reasons)
        silent = (answers.asked & ~answers.answered).any(axis=0)
        why = np.where(silent, len(LABELS), answers.right).astype(np.int32)
        return Decision(decision.keep, why, reasons)


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
        if self.value <= models:
            return None
        fewer = f"write {models} or less, or " if models >= 1 else ""
        return WrongValue(
            f"{self.value} models are more than the {counted(models, 'filter models', 'filter model')}",
            f"{fewer}add filter models",
        )
