"""Made-up collections with a planted preference for a group: do the tests find it?

Under the null hypothesis, the retriever and the reader ignore groups. Passages are not independent: all
questions share the standing of a person, and questions about the same occupation share more.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.figures import figure
from nextset.bootstrap_intervals import Ends, intervals
from nextset.cluster_bootstrap import Clusters
from nextset.extensions.ambiguity.passages import OpenQuestion
from nextset.extensions.ambiguity.retrieval.amplification import amplification
from nextset.extensions.ambiguity.retrieval.found_rows import AskedQuestions, FoundRows
from nextset.extensions.ambiguity.retrieval.found_shares import FoundBy, group_shares, group_tests

__all__ = ["Planted", "planted_reader", "planted_retrieval", "retrieval_figures"]

TIMES = 400
"""Simulated collections of each kind."""
LEVEL = 0.05
MOST = 0.06
"""The most false findings: 5 % plus one standard deviation for 400 simulations."""
LEAST = 0.5
"""The least power for planted disparities."""


@dataclass(frozen=True)
class Planted:
    """A collection, its questions, and a retriever."""

    people: int
    """People."""
    questions: int
    """Questions."""
    occupations: int
    """The number of occupations; each question has one."""
    first: int
    """The number of passages retrieved for each question."""
    share: float
    """The probability that a person is of the first group."""
    pull: float = 0.0
    """The amount that the retriever adds to the first group's scores; the other parts have deviation 1."""
    passages: int = 1
    """The number of passages per person."""
    fame: float = 1.0
    """The deviation of the part of a person's score that all questions share; if it is large, all questions
    find the same few people."""


def planted_retrieval(planted: Planted, random: np.random.Generator) -> FoundBy:
    """Return what the retriever finds in one such collection, against the shares of the collection."""
    groups = (random.random(planted.people) >= planted.share).astype(np.int64)
    standing = planted.fame * random.normal(size=planted.people)
    people = np.repeat(np.arange(planted.people), planted.passages)
    fields = random.normal(size=(planted.occupations, planted.people))
    titles = []
    for i in range(planted.questions):
        score = standing + fields[i % planted.occupations] + planted.pull * (groups == 0)
        each = score[people] + random.normal(size=len(people))
        titles.append(people[np.argsort(-each)[: planted.first]])
    found = np.concatenate(titles)
    n, k = planted.questions, planted.first
    rows = FoundRows(np.repeat(np.arange(n), k), np.tile(np.arange(1, k + 1), n), found, groups[found])
    asked = AskedQuestions.of(
        [
            OpenQuestion(id=str(i), language="en", question="", occupation=f"o{i % planted.occupations}")
            for i in range(n)
        ]
    )
    base = np.bincount(groups, minlength=2) / planted.people
    none = np.zeros(n, np.int64)
    return FoundBy("planted", "", "passages", rows, asked, none, np.tile(base, (n, 1)), ("a", "b"), k)


def planted_reader(read: FoundBy, pull: float, random: np.random.Generator) -> FoundBy:
    """Return the answers of a reader that adds ``pull`` to the score of the first group."""
    rows = read.rows
    liked = random.normal(size=int(rows.titles.max()) + 1)
    score = liked[rows.titles] + random.gumbel(size=len(rows)) + pull * (rows.groups == 0)
    best = np.zeros(len(rows), np.bool_)
    for question in np.unique(rows.questions):
        places = np.flatnonzero(rows.questions == question)
        best[places[np.argmax(score[places])]] = True
    return replace(read, reader="reader", counted="answers", rows=rows.where(best))


_KINDS = {
    "few people, many questions": Planted(200, 30, 30, 50, 0.4),
    "ten occupations": Planted(1000, 40, 10, 20, 0.3),
    "many people": Planted(5000, 60, 20, 20, 0.2),
    "six questions": Planted(500, 6, 6, 20, 0.3),
    "few favourites": Planted(60, 40, 8, 10, 0.4, fame=4.0),
    "five passages each": Planted(40, 6, 1, 20, 0.4, passages=5),
    "five passages each, more people": Planted(200, 6, 1, 20, 0.4, passages=5),
    "small collection": Planted(60, 20, 5, 10, 0.4),
    "the built-in collection's size": Planted(208, 106, 8, 50, 0.44),
    "three questions": Planted(200, 3, 3, 20, 0.4),
    "few titles": Planted(12, 20, 5, 4, 0.4, fame=2.0),
}
"""All kinds, including those in which few people, or few questions, decide."""
_POWERFUL = tuple(_KINDS)[:3]
"""The kinds whose planted disparities must be found."""


_OTHERS = ("chi-squared as published", "bootstrap of questions only")
"""Tests that nextset does not report, or not by themselves."""


def retrieval_figures() -> None:
    """Print false findings and power over simulated collections."""
    for name, planted in _KINDS.items():
        null = _found(planted, 0.0)
        for what, share in null.items():
            other = what in _OTHERS
            goal = "measured only" if other else f"≤ {100 * MOST:.0f}"
            figure(f"{name}, nothing planted: {what}", 100 * share, goal, other or share <= MOST, "%")
        power = _found(replace(planted, pull=0.6), 1.2)
        for what, share in power.items():
            strict = name in _POWERFUL and what not in _OTHERS
            goal = f"≥ {100 * LEAST:.0f}" if strict else "measured only"
            figure(f"{name}, planted: {what}", 100 * share, goal, not strict or share >= LEAST, "%")


@functools.cache
def _found(planted: Planted, pull: float) -> dict[str, float]:
    """Return how often each test finds something."""
    random = np.random.default_rng(0)
    counts = dict.fromkeys(
        (
            "chi-squared as published",
            "bootstrap of questions only",
            "chi-squared with design effect",
            "disparity interval",
            "chi-squared with design effect, given base rate",
            "disparity interval, given base rate",
            "share among read passages",
            "amplification",
        ),
        0,
    )
    for _ in range(TIMES):
        found = planted_retrieval(planted, random)
        test = next(group_tests(found, ("all",)))
        share = next(group_shares(found, ("all",)))
        base = float(found.base[0, 0])
        change = next(amplification(found, planted_reader(found, pull, random)))
        counts["chi-squared as published"] += _below(test.p)
        counts["bootstrap of questions only"] += _without_zero(*_bootstrap(found))
        counts["chi-squared with design effect"] += _below(test.p_design)
        counts["disparity interval"] += _without_zero(share.disparity_low, share.disparity_high)
        given = replace(found, base=np.tile([planted.share, 1 - planted.share], (planted.questions, 1)))
        test, share = next(group_tests(given, ("all",))), next(group_shares(given, ("all",)))
        counts["chi-squared with design effect, given base rate"] += _below(test.p_design)
        apart = _without_zero(share.disparity_low, share.disparity_high)
        counts["disparity interval, given base rate"] += apart
        counts["share among read passages"] += _leaves_out(change.retrieved_low, change.retrieved_high, base)
        counts["amplification"] += _without_zero(change.low, change.high)
    return {what: n / TIMES for what, n in counts.items()}


def _bootstrap(found: FoundBy) -> Ends:
    """Return the interval of the first group's disparity if only questions are drawn."""
    rows, n = found.rows, len(found.asked.ids)
    clusters = Clusters(rows.questions, (np.arange(n),), (n,), "questions")
    hits, every = (rows.groups == 0).astype(np.float64), np.ones(len(rows))
    sums = clusters.sums(np.stack([np.bincount(rows.questions, v, n) for v in (hits, every)]))
    low, high = intervals(sums[:, 0] / sums[:, 1], (n,), share=True).ends()
    base = float(found.base[0, 0])
    return (None, None) if low is None or high is None else (low - base, high - base)


def _below(p: float | None) -> bool:
    return p is not None and p < LEVEL


def _without_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and not low <= 0 <= high


def _leaves_out(low: float | None, high: float | None, value: float) -> bool:
    return low is not None and high is not None and not low <= value <= high
