"""The rule same_wrong: several models give the same wrong answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nextset.counted import counted
from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rules.rule_base import AnswerRule, Decision
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["SameWrong"]

FEWEST = 2
"""The smallest number of models that can give the same answer."""


class SameWrong(AnswerRule):
    """At least this many models give the same wrong answer."""

    name = "same_wrong"
    value_type = Annotated[int, Field(ge=FEWEST, strict=True)]
    rank = 5

    def clause(self, form: FilteredForm) -> str:
        return f"at least {self.value} of the models give it the same wrong {form.answer}"

    def problem(self, models: int) -> WrongValue | None:
        if self.value <= models:
            return None
        fewer = f"write {models} or less, or " if models >= FEWEST else ""
        return WrongValue(
            f"{self.value} models with the same wrong answer are more than the "
            f"{counted(models, 'filter models', 'filter model')}",
            f"{fewer}add filter models",
        )

    def decide_items(self, answers: RightAnswers) -> Decision:
        """Keep items with one wrong answer from several models (``same_wrong`` of the answers)."""
        reason = f"fewer than {self.value} of the models give it the same wrong {answers.noun}"
        return Decision.of(answers.same_wrong >= self.value, reason)
