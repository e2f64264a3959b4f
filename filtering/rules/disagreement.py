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
        """Keep items with different answers: by label among models with three labels, else by entailment."""
        three = answers.labels[~answers.two_labels]
        keep = _differ(answers.labels == 0) | _differ(three)
        return Decision.of(keep, "every model gives it the same label")


def _differ(rows: npt.NDArray[np.generic]) -> Bools:
    return np.asarray((rows[1:] != rows[:1]).any(axis=0))
