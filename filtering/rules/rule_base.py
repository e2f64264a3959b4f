"""Filter rules: what a rule's class adds to its words, which is the decision on each candidate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.errors import MissingStage
from nextset.filtering.candidates import Candidates
from nextset.filtering.model_answers import Answers, Bools, ItemAnswers, QuadAnswers
from nextset.own_code import OwnCode
from nextset.study.filter_rule_settings import Boundaries, FilterRule, RuleKind

__all__ = [
    "Decision",
    "LabelRule",
    "Rule",
    "RuleInputs",
    "RuleSource",
    "SubjectRule",
    "hard_by_model",
    "rule_of",
    "undecided",
]


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
    """The candidates."""
    cascade: bool
    """True if later models were asked only about undecided items."""
    models: tuple[str, ...]
    """The filter models, as named in study.yaml."""
    file: Path
    """The study.yaml."""
    plain_items: Callable[[], pa.Table]
    """A function that reads the plain items, test items included."""


@dataclass(frozen=True)
class RuleSource:
    """The code of a rule that is not nextset's own: a row of the table own_rules of out/filter."""

    rule: str
    """The rule as in study.yaml: FILE.py:NAME, or the name under which a package registers it."""
    sha256: str
    """The sha256 of the file, in hex; empty for a package."""
    package: str
    """The package and its version, such as toy 0.1; empty for a file."""
    source: str
    """The file's text; empty for a package, which can be installed."""

    @property
    def identity(self) -> dict[str, str]:
        """The code for recipes: a changed file, or another version of the package, changes it."""
        return {"rule": self.rule, "sha256": self.sha256} if self.sha256 else {"rule": self.rule, "package": self.package}


class Rule(RuleKind):
    """A filter rule with its decision."""

    parts: tuple[Rule, ...] = ()
    """The rules that it combines; none for a single rule."""
    reads_probabilities = False
    """True if the rule needs `ItemAnswers.probabilities`."""

    @abstractmethod
    def decide(self, answers: Answers) -> Decision:
        """Return the decision on each candidate; scores are compared as they are stored.

        Raises StudyError if the rule does not fit the candidates' right labels.
        """

    def decide_in_study(self, inputs: RuleInputs) -> Decision:
        """Return the decision on the candidates of a study.

        Raises MissingStage if a score that the decision needs is missing.
        """
        answers = inputs.answers
        missing = np.flatnonzero(undecided(self, answers, cascade=inputs.cascade))
        if missing.size:
            place = int(missing[0])
            model = answers.models[int(np.flatnonzero(~answers.asked[:, place])[0])]
            item = inputs.candidates.table(["id"])["id"][place].as_py()
            raise MissingStage(
                f"{model} has no score for item {item}", remedy="run `nextset score STUDY` again"
            )
        return self.decide(answers)

    def trusted(self, own_code: Callable[[str], OwnCode]) -> Rule:
        """Return the rule with its function from a file, which ``own_code`` reads; most rules have none."""
        return self

    def sources(self, read: Callable[[str], tuple[bytes, str]]) -> tuple[RuleSource, ...]:
        """Return the code that is not nextset's own."""
        raise NotImplementedError
