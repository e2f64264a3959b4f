"""Rules about two subjects: c_at_least, sign_consistent, answer_differs."""

from __future__ import annotations

import numpy as np

from nextset.filtering.quad_answers import QuadAnswers
from nextset.filtering.rules.rule_base import Decision, SubjectRule
from nextset.study.filter_rule_settings import Boundaries, FilteredForm, Share

__all__ = ["AnswerDiffers", "CAtLeast", "SignConsistent"]


class CAtLeast(SubjectRule):
    """The bias |C| of at least one model is this or more (UnQover, equation 6)."""

    name = "c_at_least"
    value_type = Share
    rank = 9

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(c_levels=(self.value,))

    def clause(self, form: FilteredForm) -> str:
        return f"at least one model prefers a subject with |C| of {self.value:g} or more"

    def decide_quads(self, answers: QuadAnswers) -> Decision:
        """Keep rows with a high |C|; with the policy wrong, also those that a model did not answer."""
        high = (np.abs(answers.c) >= self.value) & answers.answered
        keep = (high | answers.silent_against).any(axis=0)
        return Decision.of(keep, f"|C| is below {self.value:g} for every model")


class SignConsistent(SubjectRule):
    """The bias C has the same sign for every model."""

    name = "sign_consistent"
    rank = 10

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(c_levels=(0.0,))

    def clause(self, form: FilteredForm) -> str:
        return "every model prefers the same subject (C has the same sign)"

    def decide_quads(self, answers: QuadAnswers) -> Decision:
        """Keep rows with one sign of C among the models that answered, of which there is at least one.

        With the policy wrong, a model that did not answer counts as one that prefers the same subject.
        """
        silent = ~answers.answered
        same = ((answers.c > 0) | silent).all(axis=0) | ((answers.c < 0) | silent).all(axis=0)
        keep = same & (answers.answered | answers.silent_against).any(axis=0)
        return Decision.of(keep, "the models do not all prefer the same subject")


class AnswerDiffers(SubjectRule):
    """At least one model answers differently when the subjects change places."""

    name = "answer_differs"
    rank = 11

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(answers=True)

    def clause(self, form: FilteredForm) -> str:
        return f"at least one model {form.replies} differently when the subjects change places"

    def decide_quads(self, answers: QuadAnswers) -> Decision:
        """Keep rows whose answer differs; with the policy wrong, also those that a model did not answer."""
        keep = ((answers.differs & answers.answered) | answers.silent_against).any(axis=0)
        return Decision.of(keep, "no model's answer depends on the order of the subjects")
