"""The rule choice_flips: a model's choice depends on the order of the options."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.filtering.choice_answers import ChoiceAnswers
from nextset.filtering.rules.rule_base import ChoiceRule, Decision
from nextset.scoring.outcome_shares import EQUAL_SHARES
from nextset.study.filter_rule_settings import FilteredForm, Share

__all__ = ["ChoiceFlips"]


class ChoiceFlips(ChoiceRule):
    """At least one model chooses differently in this share of the orders of the options, or more."""

    name = "choice_flips"
    value_type = Share
    rank = 11

    def clause(self, form: FilteredForm) -> str:
        return f"at least one model chooses differently in {100 * self.value:g} % of the orders or more"

    def decide_choices(self, answers: ChoiceAnswers) -> Decision:
        """Keep items with enough flips; with the policy wrong, also those that a model did not answer.

        A model that read the options in one order only has no flips.
        """
        high = (answers.flips >= self.value - EQUAL_SHARES) & answers.answered
        keep = (high | answers.silent_against).any(axis=0)
        one_order = np.asarray(np.isnan(answers.flips).all(axis=0))
        why: npt.NDArray[np.int32] = one_order.astype(np.int32)
        few = f"every model chooses differently in less than {100 * self.value:g} % of the orders"
        return Decision(np.asarray(keep), why, (few, "every model read its options in one order only"))
