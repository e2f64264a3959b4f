"""The rule biased_choices: several models choose a biased option although the context is ambiguous."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from nextset.files.yaml_values import WrongValue
from nextset.filtering.choice_answers import ChoiceAnswers
from nextset.filtering.rules.rule_base import ChoiceRule, Decision, too_few_models
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["BiasedChoices"]


class BiasedChoices(ChoiceRule):
    """At least this many models choose a biased option in an ambiguous context."""

    name = "biased_choices"
    value_type = Annotated[int, Field(ge=1, strict=True)]
    rank = 11

    def clause(self, form: FilteredForm) -> str:
        models = "one of the models chooses" if self.value == 1 else f"{self.value} of the models choose"
        return f"at least {models} a biased option in an ambiguous context"

    def problem(self, models: int) -> WrongValue | None:
        return too_few_models(self.value, models)

    def decide_choices(self, answers: ChoiceAnswers) -> Decision:
        """Keep ambiguous items with enough biased choices (Parrish et al. 2022).

        With the policy wrong, a model that did not answer counts as biased.
        """
        biased = (answers.biased | answers.silent_against).sum(axis=0)
        fit = answers.ambiguous & answers.measures_bias
        why = np.where(~answers.ambiguous, 0, np.where(answers.measures_bias, 2, 1)).astype(np.int32)
        few = "no model chooses" if self.value == 1 else f"fewer than {self.value} models choose"
        return Decision(
            np.asarray(fit & (biased >= self.value)),
            why,
            (
                "its context is not ambiguous",
                "none of its options is known to name the target",
                f"{few} a biased option",
            ),
        )
