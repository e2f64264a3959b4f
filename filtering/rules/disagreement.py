"""The rule disagreement: the models do not all give the same answer."""

from __future__ import annotations

from nextset.files.yaml_values import WrongValue
from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rules.rule_base import AnswerRule, Decision
from nextset.study.filter_rule_settings import FilteredForm

__all__ = ["Disagreement"]


class Disagreement(AnswerRule):
    """The models do not all give the same answer."""

    name = "disagreement"
    rank = 7

    def clause(self, form: FilteredForm) -> str:
        return f"the models do not all give it the same {form.answer}"

    def problem(self, models: int) -> WrongValue | None:
        if models >= 2:
            return None
        return WrongValue("disagreement needs at least two filter models", "write any_wrong, or add a model")

    def decide_items(self, answers: RightAnswers) -> Decision:
        """Keep items with different answers: for NLI, by label among models with three labels, else by
        entailment.

        A model that did not answer is not compared; with the policy wrong, it does not give the same answer.
        """
        silent = answers.silent_against.any(axis=0)
        return Decision.of(answers.differ | silent, f"every model gives it the same {answers.noun}")
