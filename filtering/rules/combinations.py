"""Rules that combine rules: all_of, any_of."""

from __future__ import annotations

import functools
import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from nextset.filtering.model_answers import Answers
from nextset.filtering.rules.rule_base import Decision, Rule, rule_of
from nextset.own_code import OwnCode
from nextset.study.filter_rule_settings import Boundaries, FilteredForm, FilterRule

__all__ = ["AllOf", "AnyOf"]


class CombinedRule(Rule):
    """A rule that combines the decisions of several rules; its value is a list of them."""

    value_type = Annotated[tuple[FilterRule, ...], Field(min_length=2)]
    word: ClassVar[str]
    """The word between the clauses of the rules."""

    def __init__(self, value: Any, parts: tuple[Rule, ...] | None = None) -> None:
        super().__init__(value)
        self._parts = tuple(map(rule_of, value)) if parts is None else parts

    @property
    def parts(self) -> tuple[Rule, ...]:
        return self._parts

    @property
    def boundaries(self) -> Boundaries:
        return functools.reduce(operator.or_, (part.boundaries for part in self.parts))

    @property
    def reads_probabilities(self) -> bool:
        return any(part.reads_probabilities for part in self.parts)

    def clause(self, form: FilteredForm) -> str:
        clauses = [f"({p.clause(form)})" if p.parts else p.clause(form) for p in self.parts]
        return f" {self.word} ".join(clauses)

    def trusted(self, own_code: Callable[[str], OwnCode]) -> Rule:
        return type(self)(self.value, tuple(part.trusted(own_code) for part in self.parts))

    def decide(self, answers: Answers) -> Decision:
        return self.combined([part.decide(answers) for part in self.parts])

    @abstractmethod
    def combined(self, decisions: Sequence[Decision]) -> Decision:
        """Return the decision that follows from ``decisions`` of the rules."""


class AllOf(CombinedRule):
    """Each of these rules."""

    name = "all_of"
    rank = 12
    word = "and"

    def combined(self, decisions: Sequence[Decision]) -> Decision:
        """Keep the candidates that every rule keeps; the reason is that of the first rule that rejects."""
        keep = np.logical_and.reduce([d.keep for d in decisions])
        why = np.zeros(keep.size, np.int32)
        offset = sum(len(d.reasons) for d in decisions)
        for decision in reversed(decisions):
            offset -= len(decision.reasons)
            why = np.where(decision.keep, why, decision.why + offset).astype(np.int32)
        return Decision(keep, why, tuple(reason for d in decisions for reason in d.reasons))


class AnyOf(CombinedRule):
    """At least one of these rules."""

    name = "any_of"
    rank = 13
    word = "or"

    def combined(self, decisions: Sequence[Decision]) -> Decision:
        """Keep the candidates that at least one rule keeps; a reason joins those of all rules."""
        keep = np.logical_or.reduce([d.keep for d in decisions])
        joined = decisions[0]
        for decision in decisions[1:]:
            n = len(decision.reasons)
            # only the combinations that occur: the product of all reasons would be large
            pairs, why = np.unique(joined.why * n + decision.why, return_inverse=True)
            reasons = tuple(f"{joined.reasons[p // n]}; {decision.reasons[p % n]}" for p in pairs.tolist())
            joined = Decision(keep, why.astype(np.int32), reasons)
        return Decision(keep, joined.why, joined.reasons)
