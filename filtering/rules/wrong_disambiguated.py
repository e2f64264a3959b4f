"""The rule wrong_disambiguated: several models are wrong although the context gives the answer."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from nextset.files.yaml_values import WrongValue
from nextset.filtering.choice_answers import ChoiceAnswers
from nextset.filtering.rules.rule_base import ChoiceRule, Decision, too_few_models
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["WrongDisambiguated"]


class WrongDisambiguated(ChoiceRule):
    """At least this many models are wrong although the context gives the answer."""

    name = "wrong_disambiguated"
    value_type = Annotated[int, Field(ge=1, strict=True)]
    rank = 11

    def clause(self, form: FilteredForm) -> str:
        models = "one of the models gets" if self.value == 1 else f"{self.value} of the models get"
        return f"at least {models} it wrong although its context gives the answer"

    def problem(self, models: int) -> WrongValue | None:
        return too_few_models(self.value, models)

    def decide_choices(self, answers: ChoiceAnswers) -> Decision:
        """Keep disambiguated items that enough models get wrong."""
        keep = ~answers.ambiguous & (answers.wrong.sum(axis=0) >= self.value)
        few = "no model gets" if self.value == 1 else f"fewer than {self.value} models get"
        return Decision(
            keep, (~answers.ambiguous).astype(np.int32), ("its context is ambiguous", f"{few} it wrong")
        )
