"""The rule disagreement: the models do not all give the same label."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools
from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import ItemAnswers
from nextset.filtering.rules.rule_base import Decision, LabelRule
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["Disagreement"]

_ABOVE = 100
"""A number above all codes of labels."""


class Disagreement(LabelRule):
    """The models do not all give the same label."""

    name = "disagreement"
    rank = 7

    def clause(self, form: FilteredForm) -> str:
        return "the models do not all give it the same label"

    def problem(self, models: int) -> WrongValue | None:
        if models >= 2:
            return None
        return WrongValue("disagreement needs at least two filter models", "write any_wrong, or add a model")

    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Keep items with different answers: by label among models with three labels, else by entailment.

        A model that did not answer is not compared; with the policy wrong, it does not give the same label.
        """
        three, answered = ~answers.two_labels, answers.answered
        keep = _differ((answers.labels == 0).astype(np.int8), answered)
        keep |= _differ(answers.labels[three], answered[three])
        silent = answers.silent_against.any(axis=0)
        return Decision.of(keep | silent, "every model gives it the same label")


def _differ(labels: npt.NDArray[np.int8], compared: Bools) -> Bools:
    """Return True for each item with different ``labels`` among the models that are ``compared``."""
    highest = np.where(compared, labels, -1).max(axis=0, initial=-1)
    lowest = np.where(compared, labels, _ABOVE).min(axis=0, initial=_ABOVE)
    return np.asarray(highest > lowest)
