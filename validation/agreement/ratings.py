"""Ratings: judgments as plain records and as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from nextset.array_types import Ints
from nextset.records.judgment import Judgment

__all__ = ["Rating", "Votes", "stance_ratings", "verdict_ratings"]


@dataclass(frozen=True, slots=True)
class Rating:
    """One annotator's label for one unit; there is at most one per unit and annotator."""

    unit_id: str
    judge: str
    """The annotator's pseudonym."""
    label: str
    """A verdict, a verdict and stance such as ``valid pro``, or yes or no."""


@dataclass(frozen=True)
class Votes:
    """Ratings as numbers, sorted by unit and annotator, so that the order of arrival does not matter."""

    units: tuple[str, ...]
    """The units' ids, sorted."""
    judges: tuple[str, ...]
    """The annotators' pseudonyms, sorted."""
    labels: tuple[str, ...]
    """The labels given, sorted."""
    unit: Ints
    """The unit of each rating, as its place in ``units``. Shape (ratings,)."""
    judge: Ints
    """The annotator of each rating, as the place in ``judges``. Shape (ratings,)."""
    label: Ints
    """The label of each rating, as its place in ``labels``. Shape (ratings,)."""

    @classmethod
    def of(cls, ratings: Iterable[Rating]) -> Votes:
        """Return the votes of ``ratings``; raises ValueError if an annotator rates a unit twice."""
        rows = sorted(ratings, key=lambda r: (r.unit_id, r.judge))
        for a, b in pairwise(rows):
            if (a.unit_id, a.judge) == (b.unit_id, b.judge):
                raise ValueError(f"two ratings of unit {a.unit_id} by {a.judge}")
        units, unit = _coded([r.unit_id for r in rows])
        judges, judge = _coded([r.judge for r in rows])
        labels, label = _coded([r.label for r in rows])
        return cls(units, judges, labels, unit, judge, label)

    @cached_property
    def counts(self) -> Ints:
        """The number of times each label was given to each unit. Shape (units, labels)."""
        counts = np.zeros((len(self.units), len(self.labels)), np.int64)
        np.add.at(counts, (self.unit, self.label), 1)
        return counts

    @cached_property
    def shared(self) -> Ints:
        """`counts` of the units with two ratings or more: other units say nothing about agreement."""
        shared: Ints = self.counts[self.counts.sum(axis=1) >= 2]
        return shared

    @cached_property
    def matrix(self) -> Ints:
        """Each annotator's label for each unit, -1 if there is none. Shape (judges, units)."""
        matrix = np.full((len(self.judges), len(self.units)), -1, np.int64)
        matrix[self.judge, self.unit] = self.label
        return matrix


def verdict_ratings(judgments: Iterable[Judgment]) -> list[Rating]:
    """Return only the verdicts: valid, invalid or incoherent."""
    return [Rating(j.unit_id, j.judge, j.verdict) for j in judgments]


def stance_ratings(judgments: Iterable[Judgment]) -> list[Rating]:
    """Return verdicts with the stance of valid units: ``valid pro`` and ``valid anti`` are two labels."""
    return [
        Rating(j.unit_id, j.judge, f"{j.verdict} {j.stance_judged}" if j.stance_judged else j.verdict)
        for j in judgments
    ]


def _coded(values: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    names = tuple(sorted(set(values)))
    place = {name: i for i, name in enumerate(names)}
    return names, np.array([place[v] for v in values], np.int64)
