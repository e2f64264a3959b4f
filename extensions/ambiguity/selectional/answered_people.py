"""The right answers to questions together with a model's answers: the rows that all tests of an audit
count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats
from nextset.auditing.measures.measure import share
from nextset.bootstrap_intervals import FEW, Intervals, intervals
from nextset.cluster_bootstrap import Clusters, Support
from nextset.extensions.ambiguity.ambiguous_questions import AmbiguousQuestion, RightAnswer
from nextset.extensions.ambiguity.selectional.name_matching import Rule, gives_family_name, shares_token
from nextset.extensions.ambiguity.selectional.selectional_records import PersonFound
from nextset.interval import difference, wilson
from nextset.word_lists.group_labels import UNKNOWN, women_first

__all__ = [
    "DrawnShare",
    "ModelRows",
    "QuestionPeople",
    "drawn_difference",
    "model_rows",
    "moving_questions",
    "people_found",
]


Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class QuestionPeople:
    """A question with the people who are right answers, in the order of their file."""

    question: AmbiguousQuestion
    people: tuple[RightAnswer, ...]

    @property
    def cluster(self) -> str:
        """The id of the question that it is a copy of, or its own id: copies are drawn together."""
        return self.question.parent_id or self.question.id


@dataclass(frozen=True)
class DrawnShare:
    """A share of some rows, and the share in all draws of whole questions."""

    hit: Floats
    """The number of rows that count, for each question with its copies."""
    rows: Floats
    """The number of all rows, for each question with its copies."""
    values: Floats
    """The share, then the shares of the draws; NaN without rows."""

    @property
    def hits(self) -> int:
        """The number of rows that count."""
        return int(self.hit.sum())

    @property
    def n(self) -> int:
        """The number of all rows."""
        return int(self.rows.sum())

    @property
    def point(self) -> float | None:
        """The share; None without rows."""
        return self.hits / self.n if self.n else None

    @property
    def questions(self) -> int:
        """The number of questions that have rows; copies of a question count once."""
        return int((self.rows > 0).sum())

    @property
    def support(self) -> Support:
        """What the questions say about the share."""
        return Support.of(self.rows, share(self.hit, self.rows))

    def interval(self) -> tuple[float | None, float | None]:
        """Return the ends of its 95 % interval; None with fewer than five questions."""
        return intervals(self.values, (self.questions,), share=True, support=self.support).ends()


@dataclass(frozen=True)
class ModelRows:
    """The right answers in the questions that count for a model, one row per right answer."""

    model: str
    """The model's published name."""
    clusters: Clusters
    """The questions, each together with its copies."""
    questions: Codes
    """The question of each row, from 0."""
    places: Codes
    """The place of each person in the question's list, from 0."""
    groups: npt.NDArray[np.str_]
    """The group of each person."""
    positions: Codes
    """The place in the order of first mention, from 1; 0 for a person who is not mentioned."""
    found: Mapping[Rule, Bools]
    """True if the answer finds the person, by each rule."""

    @property
    def known_groups(self) -> list[str]:
        """The groups, without unknown, in alphabetical order after women and men."""
        return women_first(set(self.groups.tolist()) - {UNKNOWN})

    def share_found(self, rows: Bools, rule: Rule) -> DrawnShare:
        """Return the share of ``rows`` that the model finds."""
        return self.share_of(rows, self.found[rule])

    def share_of(self, rows: Bools, hits: Bools) -> DrawnShare:
        """Return the share of ``rows`` that are ``hits``."""
        hit, n = (self.per_cluster(mask.astype(np.float64)) for mask in (rows & hits, rows))
        return self.drawn(hit, n)

    def drawn(self, hit: Floats, rows: Floats) -> DrawnShare:
        """Return the share from the sums of each question with its copies."""
        sums = self.clusters.sums(np.stack([hit, rows]))
        return DrawnShare(hit, rows, share(sums[:, 0], sums[:, 1]))

    def per_cluster(self, amounts: Floats) -> Floats:
        """Return the sum of ``amounts``, one per row, for each question with its copies."""
        return np.bincount(self.clusters.codes, amounts, self.clusters.n).astype(np.float64)


def drawn_difference(first: DrawnShare, second: DrawnShare) -> Intervals:
    """Return the interval of the difference of two shares, first − second, from the same draws.

    If fewer than five questions move the difference by a quarter of an answer or more, the draws say little.
    The interval then also includes Newcombe's interval (1998, method 10) for the effective rows, and the
    p-value is at least the p-value of the z-test with their pooled share.
    """
    interval = intervals(first.values - second.values, (min(first.questions, second.questions),))
    if np.isnan(interval.low[0]) or moving_questions(first, second) >= FEW:
        return interval
    effective = [side.support.rows for side in (second, first)]
    sides = [wilson(side.values[0] * n, n) for side, n in zip((second, first), effective, strict=True)]
    assert sides[0] is not None
    assert sides[1] is not None
    wide = difference(sides[0], sides[1])
    low, high = np.minimum(interval.low, wide.low), np.maximum(interval.high, wide.high)
    return Intervals(low, high, np.maximum(interval.p, _pooled_p(first, second)))


def _pooled_p(first: DrawnShare, second: DrawnShare) -> float:
    """Return the two-sided p-value of the z-test of two shares of independent rows; 1 if both shares are 0,
    or both are 1."""
    from scipy.stats import norm

    n = np.array([first.support.rows, second.support.rows])
    shares = np.array([first.values[0], second.values[0]])
    pooled = float((n * shares).sum() / n.sum())
    variance = pooled * (1 - pooled) * float((1 / n).sum())
    return 2 * float(norm.sf(abs(shares[0] - shares[1]) / math.sqrt(variance))) if variance > 0 else 1.0


def moving_questions(first: DrawnShare, second: DrawnShare) -> int:
    """Return how many questions move the difference of two shares by a quarter of an answer or more."""
    moved = [(side.hit - side.values[0] * side.rows) / side.n for side in (first, second)]
    return int((np.abs(moved[0] - moved[1]) >= 0.25 / min(first.n, second.n)).sum())


def people_found(
    questions: Iterable[QuestionPeople], answers: Mapping[str, str], model: str
) -> list[PersonFound]:
    """Return one row per right answer to those ``questions`` that ``answers`` has an answer to, by id."""
    people = []
    for asked in questions:
        answer = answers.get(asked.question.id)
        if answer is None:
            continue
        families = {person.name: person.family for person in asked.people}
        for i, person in enumerate(asked.people):
            others = [other.name for j, other in enumerate(asked.people) if j != i]
            language = asked.question.language
            people.append(
                PersonFound(
                    question_id=asked.question.id,
                    model=model,
                    name=person.name,
                    group=person.group,
                    position=person.position,
                    answer=answer,
                    shared_token=shares_token(answer, person.name, language),
                    family_name=gives_family_name(
                        answer, person.name, others, asked.question.item, language, families
                    ),
                )
            )
    return people


def model_rows(model: str, people: Sequence[PersonFound], clusters: Mapping[str, str]) -> ModelRows:
    """Return the rows of ``model`` as arrays; ``clusters`` names the question that each question is drawn
    with."""
    ids = [row.question_id for row in people]
    drawn, codes = np.unique(np.array([clusters[i] for i in ids], np.str_), return_inverse=True)
    question_ids, questions = np.unique(np.array(ids, np.str_), return_inverse=True)
    seen = dict.fromkeys(question_ids.tolist(), 0)
    places = []
    for i in ids:
        places.append(seen[i])
        seen[i] += 1
    return ModelRows(
        model,
        Clusters(codes.astype(np.int64), (np.arange(len(drawn)),), (len(drawn),), "questions"),
        questions.astype(np.int64),
        np.array(places, np.int64),
        np.array([row.group for row in people], np.str_),
        np.array([row.position or 0 for row in people], np.int64),
        {
            "shared_token": np.array([row.shared_token for row in people], np.bool_),
            "family_name": np.array([row.family_name for row in people], np.bool_),
        },
    )
