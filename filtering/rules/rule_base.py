"""The base of filter rules: a rule's decision on each candidate, and its registration.

A package registers a rule in the group nextset.rules.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.array_types import Bools
from nextset.counted import counted
from nextset.errors import MissingStage
from nextset.files.yaml_values import WrongValue
from nextset.filtering.candidates import Candidates
from nextset.filtering.choice_answers import ChoiceAnswers
from nextset.filtering.item_answers import ItemAnswers
from nextset.filtering.model_answers import Answers, RightAnswers
from nextset.filtering.quad_answers import QuadAnswers
from nextset.own_code import OwnCode
from nextset.scoring.cascade import Vote
from nextset.study.filter_rule_settings import RIGHT, Boundaries, FilterRule, RuleKind

__all__ = [
    "NOT_ANSWERED",
    "AnswerRule",
    "ChoiceRule",
    "Decision",
    "LabelRule",
    "Rule",
    "RuleInputs",
    "SubjectRule",
    "decided",
    "hard_by_model",
    "rule_of",
    "too_few_models",
    "undecided",
]

NOT_ANSWERED = "a model did not answer it"
"""The reason for rejecting a candidate with the policy drop."""


@dataclass(frozen=True)
class Decision:
    """A rule's decision on each candidate."""

    keep: Bools
    """True if the rule keeps the candidate."""
    why: npt.NDArray[np.int32]
    """For each rejected candidate, the position of its reason; meaningless for a kept one."""
    reasons: tuple[str, ...]
    """The reasons for rejecting a candidate, as text."""

    @classmethod
    def of(cls, keep: npt.ArrayLike, reason: str) -> Decision:
        """Return the decision that has the same ``reason`` for all rejected candidates."""
        kept = np.asarray(keep)
        return cls(kept, np.zeros(kept.size, np.int32), (reason,))


@dataclass(frozen=True)
class RuleInputs:
    """The inputs of a rule in a study; most rules read only the answers."""

    answers: Answers
    """The answers of the filter models."""
    candidates: Candidates
    cascade: bool
    """True if later models were asked only about undecided items."""
    models: tuple[str, ...]
    """The filter models, as named in study.yaml."""
    file: Path
    """The study.yaml."""
    plain_items: Callable[[], pa.Table]
    """A function that reads the plain items, test items included."""


class Rule(RuleKind):
    """A filter rule with its decision."""

    @property
    def parts(self) -> tuple[Rule, ...]:
        """The rules that it combines; none for a single rule."""
        return ()

    @property
    def reads_probabilities(self) -> bool:
        """True if the rule needs `ItemAnswers.probabilities`."""
        return False

    @abstractmethod
    def decide(self, answers: Answers) -> Decision:
        """Return the decision on each candidate; scores are compared as they are stored.

        Raises StudyError if the rule does not fit the candidates' right labels.
        """

    def decide_in_study(self, inputs: RuleInputs) -> Decision:
        """Return the decision on the candidates of a study; raises errors as `decide_complete`."""
        ids = inputs.candidates.table(["id"])["id"]
        return self.decide_complete(inputs.answers, ids, cascade=inputs.cascade)

    def decide_complete(self, answers: Answers, ids: pa.ChunkedArray, *, cascade: bool = False) -> Decision:
        """Return the decision on the candidates with ``ids``.

        Raises MissingStage if a score that the decision needs is missing.
        """
        missing = np.flatnonzero(undecided(self, answers, cascade=cascade))
        if missing.size:
            place = int(missing[0])
            model = answers.models[int(np.flatnonzero(~answers.asked[:, place])[0])]
            raise MissingStage(
                f"{model} has no score for item {ids[place].as_py()}",
                remedy="run `nextset score STUDY` again",
            )
        return decided(self, answers)

    def trusted(self, own_code: Callable[[str], OwnCode]) -> Rule:
        """Return the rule with its function from a file, which ``own_code`` reads; most rules have none."""
        return self


class AnswerRule(Rule):
    """A rule that reads right and wrong answers: for NLI items, choice items, and all other right answers."""

    answers = RIGHT

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(labels=True)

    def decide(self, answers: Answers) -> Decision:
        assert isinstance(answers, RightAnswers)
        return self.decide_items(answers)

    @abstractmethod
    def decide_items(self, answers: RightAnswers) -> Decision:
        """Return the decision on each item, as `Rule.decide`."""


class ChoiceRule(Rule):
    """A rule that reads options, contexts or orders: for choice items."""

    answers = "choices"

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(labels=True)

    def decide(self, answers: Answers) -> Decision:
        assert isinstance(answers, ChoiceAnswers)
        return self.decide_choices(answers)

    @abstractmethod
    def decide_choices(self, answers: ChoiceAnswers) -> Decision:
        """Return the decision on each item, as `Rule.decide`."""


class LabelRule(Rule):
    """A rule that reads labels: for NLI items."""

    answers = "labels"

    @property
    def boundaries(self) -> Boundaries:
        return Boundaries(labels=True)

    def decide(self, answers: Answers) -> Decision:
        assert isinstance(answers, ItemAnswers)
        return self.decide_items(answers)

    @abstractmethod
    def decide_items(self, answers: ItemAnswers) -> Decision:
        """Return the decision on each item, as `Rule.decide`."""


class SubjectRule(Rule):
    """A rule that compares two subjects: for questions and statements."""

    answers = "subjects"

    def decide(self, answers: Answers) -> Decision:
        assert isinstance(answers, QuadAnswers)
        return self.decide_quads(answers)

    @abstractmethod
    def decide_quads(self, answers: QuadAnswers) -> Decision:
        """Return the decision on each quad or statement, as `Rule.decide`."""


def too_few_models(needed: int, models: int) -> WrongValue | None:
    """Return the problem of a rule that needs more models than the ``models`` of the filter; else None."""
    if needed <= models:
        return None
    fewer = f"write {models} or less, or " if models >= 1 else ""
    many = counted(models, "filter models", "filter model")
    return WrongValue(f"{needed} models are more than the {many}", f"{fewer}add filter models")


def rule_of(written: FilterRule) -> Rule:
    """Return the rule ``written`` as an object that decides."""
    rule = written.kind
    assert isinstance(rule, Rule)
    return rule


def decided(rule: Rule, answers: Answers) -> Decision:
    """Return the decision of ``rule``; with the policy drop, candidates without an answer are rejected first.

    The rule then decides only on the other candidates, as if there were no more.
    """
    dropped: Bools = np.asarray((answers.asked & ~answers.answered).any(axis=0))
    if answers.missing != "drop" or not dropped.any():
        return rule.decide(answers)
    of_others = rule.decide(answers.of_rows(~dropped))
    keep, why = np.zeros(dropped.size, np.bool_), np.full(dropped.size, len(of_others.reasons), np.int32)
    keep[~dropped], why[~dropped] = of_others.keep, of_others.why
    return Decision(keep, why, (*of_others.reasons, NOT_ANSWERED))


def hard_by_model(rule: Rule, answers: Answers) -> Bools:
    """Return True for each model and candidate that the model finds hard, shape (models, candidates).

    A model finds an NLI item or a choice item hard if its answer is wrong. It finds a quad or statement hard
    if the rule would keep it with this model only.
    """
    if isinstance(answers, RightAnswers):
        return answers.wrong
    hard = answers.asked.copy()
    for m in range(len(answers.models)):
        hard[m] &= decided(rule, answers.only([m])).keep
    return hard


def undecided(rule: Rule, answers: Answers, *, cascade: bool) -> Bools:
    """Return True for each candidate that lacks a score that the rule needs.

    In a cascade, a score is needed only if the vote is still open (`nextset.scoring.cascade.Vote.decided`).
    """
    missing = (~answers.asked).sum(axis=0)
    if not cascade or not isinstance(answers, RightAnswers):
        return np.asarray(missing > 0)
    models = len(answers.models)
    needed = rule.votes_needed(models)
    assert needed is not None
    vote = Vote(needed, models, answers.missing)
    silent: Bools = np.asarray((answers.asked & ~answers.answered).any(axis=0))
    return np.asarray((missing > 0) & ~vote.decided(answers.wrong.sum(axis=0), models - missing, silent))
