"""Aggregation of a unit's votes to label probabilities: by majority, Dawid–Skene or MACE."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nextset.validation.agreement.optional_packages import statistics_package
from nextset.validation.agreement.ratings import Rating, Votes

__all__ = ["Aggregated", "Fit", "Method", "Posterior", "aggregate_ratings", "most_probable"]

Method = Literal["majority", "dawid_skene", "mace"]

_ROUNDS = {"dawid_skene": 200, "mace": 50}
_RESTARTS = 10
_STILL = 1e-8
"""Dawid–Skene has settled if its last round moved the bound of the log-likelihood per vote by less."""
_SAME = 1e-9
"""Probabilities that differ by less than this are a tie: the last digits are rounding noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """The probability of one label of a unit."""

    unit_id: str
    """The unit."""
    label: str
    """A label that was given to this unit or to a different one."""
    probability: float
    """The probability, in [0, 1]; by majority, this is the share of the votes, not a model's probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The course of an aggregation."""

    method: Method
    """The method of aggregation."""
    units: int
    """The number of units with votes."""
    judges: int
    """The number of annotators who voted."""
    rounds: int | None
    """The number of rounds of expectation and maximisation; null for majority."""
    settled: bool | None
    """True if the last round made no relevant change; null if this is unknown (majority, MACE)."""
    note: str
    """The reasons why the result is doubtful, as text; empty if there are none."""


@dataclass(frozen=True)
class Aggregated:
    """The aggregated votes."""

    probabilities: Mapping[str, Mapping[str, float]]
    """The probability of each label, for each unit with votes."""
    fit: Fit
    """The course of the aggregation."""

    def posteriors(self) -> list[Posterior]:
        """Return the probabilities as rows, sorted by unit and label."""
        return [
            Posterior(unit_id=unit_id, label=label, probability=probability)
            for unit_id, by_label in sorted(self.probabilities.items())
            for label, probability in sorted(by_label.items())
        ]


def aggregate_ratings(ratings: Iterable[Rating], method: Method, seed: int = 0) -> Aggregated:
    """Aggregate the ratings of each unit.

    - majority: the shares of the votes.
    - dawid_skene: Dawid and Skene (1979), Applied Statistics 28: each annotator has a confusion matrix.
    - mace: Hovy et al. (2013), NAACL-HLT: each annotator answers either correctly or by habit. Ten starts are
      drawn from ``seed``; the most likely result counts.

    Raises DependencyMissing if crowd-kit is missing and the method is not majority.
    """
    votes = Votes.of(ratings)
    rounds: int | None = None
    settled: bool | None = None
    if method == "majority" or len(votes.labels) < 2:
        table = votes.counts / np.maximum(votes.counts.sum(axis=1, keepdims=True), 1)
    elif method == "dawid_skene":
        table, settled = _dawid_skene(votes)
        rounds = _ROUNDS[method]
    else:
        table, rounds = _mace(votes, seed), _ROUNDS[method]
    fit = Fit(
        method=method,
        units=len(votes.units),
        judges=len(votes.judges),
        rounds=rounds,
        settled=settled,
        note="" if method == "majority" else _doubts(votes, settled),
    )
    probabilities = {
        u: dict(zip(votes.labels, row, strict=True))
        for u, row in zip(votes.units, table.tolist(), strict=True)
    }
    return Aggregated(probabilities, fit)


def most_probable(probabilities: Mapping[str, float]) -> str | None:
    """Return the label with the highest probability; None on a tie, or without labels."""
    ranked = sorted(probabilities.items(), key=lambda of: -of[1])
    if not ranked or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _SAME):
        return None
    return ranked[0][0]


def _doubts(votes: Votes, settled: bool | None) -> str:
    """Return the reasons why a model of annotators is doubtful; empty if there are none."""
    if not votes.labels:
        return "there are no judgments"
    doubts = []
    if len(votes.labels) == 1:
        doubts.append("every vote is the same, so no model was fitted")
    elif len(votes.judges) == 1:
        doubts.append("there is only one annotator, so the model can only repeat the votes")
    elif len(votes.judges) == 2:
        doubts.append("there are only two annotators, so the model cannot know which one is wrong")
    elif not np.count_nonzero(votes.counts.sum(axis=1) >= 3):
        doubts.append("no unit has three votes, so the model can hardly know who is wrong")
    if settled is False:
        doubts.append(f"the model had not settled after {_ROUNDS['dawid_skene']} rounds")
    return "; ".join(doubts)


def _dawid_skene(votes: Votes) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the probabilities, shape (units, labels), and whether they have settled."""
    # The bound with which crowd-kit can stop early counts the prior once per vote, so it may fall while the
    # likelihood still rises. All rounds are therefore run; if nothing changes any more, the bound does not
    # either.
    rounds = _ROUNDS["dawid_skene"]
    model = statistics_package("crowd-kit").DawidSkene(n_iter=rounds, tol=-np.inf)
    table = _fitted(model, votes)
    before, after = model.loss_history_[-2:]
    return table, abs(after - before) < _STILL


def _mace(votes: Votes, seed: int) -> npt.NDArray[np.float64]:
    # With a number, crowd-kit begins every restart at the same point; with a generator, it does not.
    random = np.random.RandomState(seed)
    model = statistics_package("crowd-kit").MACE(
        n_restarts=_RESTARTS, n_iter=_ROUNDS["mace"], random_state=random
    )
    return _fitted(model, votes)


def _fitted(model: Any, votes: Votes) -> npt.NDArray[np.float64]:
    """Return the probabilities that a model of crowd-kit finds. Shape (units, labels)."""
    import pandas as pd

    # crowd-kit's MACE numbers annotators and labels by first appearance in one place and by sorted name in
    # another. Names that are numbers by first appearance give the same result in both.
    judge, _ = pd.factorize(votes.judge)
    label, labels = pd.factorize(votes.label)
    data = pd.DataFrame({"task": votes.unit, "worker": judge, "label": label})
    with warnings.catch_warnings():
        # crowd-kit uses deprecated features of pandas
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        probabilities = model.fit_predict_proba(data)
    table = np.zeros((len(votes.units), len(votes.labels)))
    table[:, labels] = probabilities.sort_index().sort_index(axis=1).to_numpy()
    return table
