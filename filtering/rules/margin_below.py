"""The rule margin_below: a model's two most probable answers are near each other."""

from __future__ import annotations

from nextset.filtering.model_answers import RightAnswers
from nextset.filtering.rules.rule_base import AnswerRule, Decision
from nextset.study.filter_rule_settings import Boundaries, FilteredForm, Share

__all__ = ["MarginBelow"]


class MarginBelow(AnswerRule):
    """The probabilities of the two most probable answers of at least one model differ by less than this."""

    name = "margin_below"
    value_type = Share
    rank = 6

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(labels=True, margins=(self.value,))

    def clause(self, form: FilteredForm) -> str:
        return (
            f"the two most probable {form.answer}s of at least one model are less than {self.value:g} apart"
        )

    def decide_items(self, answers: RightAnswers) -> Decision:
        """Keep items with a small margin; with the policy wrong, also those that a model did not answer."""
        near = (answers.margins < self.value) & answers.answered
        keep = (near | answers.silent_against).any(axis=0)
        return Decision.of(keep, f"every model's two highest probabilities differ by {self.value:g} or more")
