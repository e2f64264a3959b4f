"""Sessions of simulated people with known mean times: the coverage of the interval of working hours.

The time per item is lognormal with a spread of 0.8 (on the scale of logarithms), and so is the mean of a
person, with a spread of 0.35 around 25 s. The truth is the time that the people of the session then need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.validation.report.payable_time import CAP
from nextset.validation.session.working_hours import Hours, WorkingHours, working_hours
from nextset.validation.session.workload import Workload

__all__ = ["CASES", "Case", "Held", "simulate"]


MEAN, PEOPLE_DIFFER, ITEMS_DIFFER = 25.0, 0.35, 0.8
WITHIN = 1.25
"""An interval is called narrow if its upper end is at most this many times the estimate."""


@dataclass(frozen=True)
class Case:
    """A simulated case: the answers before the estimate, and the people who work after it."""

    known: int
    """The number of people who answered before."""
    answers: int
    """The number of timed answers per person."""
    people: int
    """The number of people in the session."""
    same: bool
    """True if these people answered before."""
    items: int = 200
    """The number of items that each of them reads."""

    @property
    def name(self) -> str:
        """Return the case as text."""
        who = f"{self.people} of them" if self.same else f"{self.people} others"
        name = f"{self.known} people with {self.answers} timed answers each, then {who}"
        return name if self.items == 200 else f"{name} with {self.items} items each"


CASES = (
    Case(3, 20, 3, same=True),
    Case(3, 60, 3, same=True),
    Case(5, 20, 5, same=True),
    Case(5, 40, 3, same=True),
    Case(5, 20, 5, same=False),
    Case(8, 40, 10, same=False),
    Case(15, 40, 15, same=False),
    Case(8, 100, 3, same=True, items=5),
    Case(8, 100, 8, same=False, items=5),
)


@dataclass(frozen=True)
class Held:
    """The coverage of the interval over simulated sessions."""

    said: int
    """The number of sessions with an estimate."""
    held: int
    """Of these, those whose interval held the truth."""
    narrow: int
    """The number of sessions with a narrow interval."""
    narrow_held: int
    """Of these, those whose interval held the truth."""


def simulate(case: Case, sessions: int, seed: int) -> Held:
    """Return the coverage of the interval of ``case``."""
    random = np.random.default_rng((seed, *case.name.encode()))
    found: list[tuple[Hours, float]] = []
    for _ in range(sessions):
        means = _means(random, case.known)
        times = {f"a{i}": _times(random, mean, case.answers).tolist() for i, mean in enumerate(means)}
        workers = (
            random.choice(means, case.people, replace=False) if case.same else _means(random, case.people)
        )
        truth = sum(float(_times(random, mean, case.items).sum()) for mean in workers) / 3600
        said = working_hours(times, _work(case.people * case.items, case.items), case.people)
        hours = _said(said, case)
        if hours is not None:
            found.append((hours, truth))
    held = [(hours, hours.low <= truth <= hours.high) for hours, truth in found]
    narrow = [held for hours, held in held if hours.high <= WITHIN * hours.point]
    return Held(len(held), sum(ok for _, ok in held), len(narrow), sum(narrow))


def _said(found: WorkingHours, case: Case) -> Hours | None:
    return found.same_people if case.same else found.other_people


def _means(random: np.random.Generator, people: int) -> Sequence[float]:
    means: list[float] = (MEAN * np.exp(random.normal(0, PEOPLE_DIFFER, people))).tolist()
    return means


def _times(random: np.random.Generator, mean: float, n: int) -> Floats:
    times: Floats = mean * np.exp(random.normal(-(ITEMS_DIFFER**2) / 2, ITEMS_DIFFER, n))
    return np.minimum(times, CAP)


def _work(items: int, a_person: int) -> Workload:
    return Workload(
        judgments=items,
        gold=0,
        rest=0,
        items=items,
        items_a_person=a_person,
        batches_a_person=1,
        not_covered=0,
    )
