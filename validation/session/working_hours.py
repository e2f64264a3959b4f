"""Working hours of a session, estimated from the times of answers that people have given so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from nextset.validation.plan.counting_rules import Counted
from nextset.validation.report.payable_time import CAP, answers_by_item, seconds_of
from nextset.validation.session.workload import Workload

__all__ = ["LEAST_ANSWERS", "LEAST_PEOPLE", "Hours", "WorkingHours", "answer_times", "working_hours"]

LEAST_ANSWERS = 20
"""The least number of timed answers for a known pace: a pilot gives this many, unless it is shorter."""
LEAST_PEOPLE = 5
"""The least number of people with a known pace for estimating other people's pace. With fewer, the interval
would reach from half of the hours, or less, to more than double."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of work, with a 95 % interval."""

    low: float
    """The lower end."""
    point: float
    """The estimate."""
    high: float
    """The upper end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingHours:
    """The hours that the people of a session work on its items, in total, without the gate and breaks."""

    people_known: int
    """The number of people with a known pace: they have enough timed answers."""
    answers: int
    """The number of timed answers of these people."""
    seconds: float | None
    """Their mean time per item, with each person's mean weighted equally; null if no pace is known."""
    same_people: Hours | None
    """The hours if only people with a known pace work; null if they are too few."""
    more_answers: int
    """The least number of timed answers that ``same_people`` still needs; 0 if there are enough."""
    other_people: Hours | None
    """The hours if other people work who are like those with a known pace; null if those are too few."""
    more_people: int
    """The number of people whose pace ``other_people`` still needs; 0 if there are enough."""


def answer_times(counted: Iterable[Counted]) -> dict[str, list[float]]:
    """Return the seconds of each person's answers, at most `CAP` each, without unknown times.

    All answers that are paid count: units, gold and rest items, declined and skipped ones. Not included are
    adjudications, which ask for the hardest units, and people who withdrew consent.
    """
    answers = [c for c in counted if c.kind != "adjudication"]
    withdrew = {c.person for c in answers if c.why_not == "consent withdrawn"}
    seconds = {
        person: [min(t, CAP) for t in map(seconds_of, items) if t > 0]
        for person, items in answers_by_item(answers).items()
        if person not in withdrew
    }
    return {person: times for person, times in seconds.items() if times}


def working_hours(times: Mapping[str, Sequence[float]], work: Workload, people: int) -> WorkingHours:
    """Return how long ``people`` work on ``work`` in equal shares, given seconds so far by person.

    The point is the mean of the means of all people with a known pace. The interval is point · exp(±t s /
    point): s² is the variance of the mean time of an item in the session, t the quantile at 0.975 of
    Student's distribution. Of k people with a known pace, with n answers and variance v each, N work on m
    items each:

        same people, N of the k:  s² = Σ v (1/n + 1/m) / k² + (b + c) (1/N − 1/k),
        other people:             s² = b (1/k + 1/N) + c / N,

    where b is the variance of the k means, with k − 1 degrees of freedom, and c = Σ v max(0, 1/m − 1/n) / k
    the additional variance of means of m answers, with n − 1 for each person; the degrees of freedom of a sum
    follow Satterthwaite (1946). It is not known which of the k people work, so they are taken as drawn. The
    interval is on the scale of logarithms, since times are skewed to the right.
    """
    known = [times[person] for person in sorted(times) if len(times[person]) >= LEAST_ANSWERS]
    k = len(known)
    longest = sorted((len(seconds) for seconds in times.values()), reverse=True)[:people]
    missing = sum(max(0, LEAST_ANSWERS - n) for n in longest) + LEAST_ANSWERS * (people - len(longest))
    works = people > 0 and work.items > 0
    same = others = None
    if works and k and not missing:
        same = _hours(known, work, _of_these(known, people, work.items / people))
    if works and k >= LEAST_PEOPLE:
        parts = [
            _Part(_between(known) * (1 / k + 1 / people), k - 1),
            *_of_fewer_answers(known, work.items / people, 1 / people),
        ]
        others = _hours(known, work, parts)
    return WorkingHours(
        people_known=k,
        answers=sum(map(len, known)),
        seconds=_pace(known) if known else None,
        same_people=same,
        more_answers=missing,
        other_people=others,
        more_people=max(0, LEAST_PEOPLE - k),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the variance of a mean, and its degrees of freedom."""

    variance: float
    freedom: int


def _of_these(known: Sequence[Sequence[float]], people: int, items: float) -> list[_Part]:
    k = len(known)
    parts = [_Part(variance(t) / k**2 * (1 / len(t) + 1 / items), len(t) - 1) for t in known]
    if people < k:
        drawn = 1 / people - 1 / k
        parts += [_Part(_between(known) * drawn, k - 1), *_of_fewer_answers(known, items, drawn)]
    return parts


def _of_fewer_answers(known: Sequence[Sequence[float]], items: float, factor: float) -> list[_Part]:
    """Return c of `working_hours` times ``factor``, by person."""
    return [
        _Part(variance(t) * (1 / items - 1 / len(t)) / len(known) * factor, len(t) - 1)
        for t in known
        if len(t) > items
    ]


def _pace(known: Sequence[Sequence[float]]) -> float:
    return fmean(map(fmean, known))


def _between(known: Sequence[Sequence[float]]) -> float:
    return variance(map(fmean, known))


def _hours(known: Sequence[Sequence[float]], work: Workload, parts: Sequence[_Part]) -> Hours:
    from scipy.stats import t

    point = _pace(known)
    whole = math.fsum(part.variance for part in parts)
    factor = 1.0
    if whole > 0:
        freedom = 1 / math.fsum((part.variance / whole) ** 2 / part.freedom for part in parts)
        factor = math.exp(float(t.ppf(0.975, freedom)) * math.sqrt(whole) / point)
    hours = work.items * point / 3600
    return Hours(hours / factor, hours, hours * factor)
