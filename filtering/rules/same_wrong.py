"""The rule same_wrong: several models give the same wrong label."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from nextset.counted import counted
from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import ItemAnswers
from nextset.filtering.rules.rule_base import Decision, LabelRule
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["SameWrong"]

FEWEST = 2
"""The smallest number of models that can give the same label."""


class SameWrong(LabelRule):
    """At least this many models give the same wrong label."""

    name = "same_wrong"
    value_type = Annotated[int, Field(ge=FEWEST, strict=True)]
    rank = 5

    def clause(self, form: FilteredForm) -> str:
        return f"at least {self.value} of the models give it the same wrong label"

    def problem(self, models: int) -> WrongValue | None:
        if self.value <= models:
            return None
        fewer = f"write {models} or less, or " if models >= FEWEST else ""
        return WrongValue(
            f"{self.value} models with the same wrong label are more than the "
            f"{counted(models, 'filter models', 'filter model')}",
            f"{fewer}add filter models",
        )

    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Keep items with one wrong label from several models.

        A wrong "not entailment" of a model with two labels counts for neutral and for contradiction. With the
        policy wrong, a model that did not answer counts for every label.
        """
        wrong, silent = answers.wrong, answers.silent_against
        keep = np.zeros(answers.right.size, np.bool_)
        for label in range(len(LABELS)):
            same = (answers.labels == label) | ((answers.labels == len(LABELS)) & (label > 0))
            keep |= (wrong & (same | silent)).sum(axis=0) >= self.value
        return Decision.of(keep, f"fewer than {self.value} of the models give it the same wrong label")
