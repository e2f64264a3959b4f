"""Coefficients of agreement: the two κ are computed by statsmodels, all intervals by resampling units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from nextset.array_types import Ints
from nextset.validation.agreement import vectorised_coefficients
from nextset.validation.agreement.bootstrap import BOOTSTRAP, Bootstrap, Ends
from nextset.validation.agreement.optional_packages import statistics_package
from nextset.validation.agreement.ratings import Votes

__all__ = [
    "Coefficient",
    "CoefficientName",
    "cohen_kappa",
    "fleiss_kappa",
    "judge_pairs",
    "krippendorff_alpha",
    "per_cent",
]

CoefficientName = Literal["per_cent", "alpha", "fleiss", "cohen"]

_NO_INTERVAL = Ends(None, None)
_ONE_LABEL = "every vote is the same, so there is no agreement by chance to correct for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient of agreement."""

    name: CoefficientName
    """per_cent (0 to 100, not corrected for chance), alpha, fleiss or cohen (at most 1; 0 is chance)."""
    value: float | None
    """The coefficient; null if it is undefined."""
    low: float | None
    """The lower end of the 95 % interval over units; null if there is none."""
    high: float | None
    """The upper end."""
    units: int
    """The number of units that it is computed from."""
    ratings: int
    """The number of ratings of these units."""
    why_undefined: str | None
    """The reason for a missing value, as text; null if there is a value."""
    note: str
    """A note on the units or ratings that are not included; usually empty."""


def per_cent(votes: Votes, bootstrap: Bootstrap = BOOTSTRAP) -> Coefficient:
    """Return the percentage of pairs of ratings on a unit that have the same label; needs no package."""
    rows, why = votes.shared, _nothing_shared(votes)
    if why:
        return _made("per_cent", None, _NO_INTERVAL, rows, why)
    value = vectorised_coefficients.per_cent(np.ones((1, len(rows)), np.int64), rows)[0]
    return _made("per_cent", float(value), bootstrap.ends(rows, vectorised_coefficients.per_cent), rows)


def krippendorff_alpha(votes: Votes, bootstrap: Bootstrap = BOOTSTRAP) -> Coefficient:
    """Return Krippendorff's α for nominal labels, over all units with two ratings or more.

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; needs no package.
    """
    rows = votes.shared
    why = _nothing_shared(votes) or _one_label(rows)
    if why:
        return _made("alpha", None, _NO_INTERVAL, rows, why)
    value = vectorised_coefficients.alpha(np.ones((1, len(rows)), np.int64), rows)[0]
    return _made("alpha", float(value), bootstrap.ends(rows, vectorised_coefficients.alpha), rows)


def fleiss_kappa(votes: Votes, bootstrap: Bootstrap = BOOTSTRAP) -> Coefficient:
    """Return Fleiss' κ, which requires the same number of ratings for every unit.

    If the numbers differ, it is computed from the units with the most frequent number (if two are equally
    frequent, the larger), and the note says how many others are excluded. Fleiss (1971), Psychological
    Bulletin 76. Raises DependencyMissing without statsmodels.
    """
    shared, why = votes.shared, _nothing_shared(votes)
    if why:
        return _made("fleiss", None, _NO_INTERVAL, shared, why)
    n = shared.sum(axis=1)
    numbers, times = np.unique(n, return_counts=True)
    number = int(numbers[times == times.max()].max())
    rows, left_out = shared[n == number], int((n != number).sum())
    note = f"from the units with {number} ratings; units excluded with a different number: {left_out:,}"
    note = note if left_out else ""
    why = _one_label(rows)
    if why:
        return _made("fleiss", None, _NO_INTERVAL, rows, why, note)
    value = statistics_package("statsmodels").fleiss_kappa(rows)
    ends = bootstrap.ends(rows, vectorised_coefficients.fleiss)
    return _made("fleiss", float(value), ends, rows, note=note)


def cohen_kappa(votes: Votes, one: str, other: str, bootstrap: Bootstrap = BOOTSTRAP) -> Coefficient:
    """Return Cohen's κ of annotators ``one`` and ``other``, over the units that both rated.

    Cohen (1960), Educational and Psychological Measurement 20. Raises DependencyMissing without
    statsmodels.
    """
    pair = votes.matrix[[votes.judges.index(one), votes.judges.index(other)]]
    rows = pair[:, (pair >= 0).all(axis=0)].T
    if not len(rows):
        return _made("cohen", None, _NO_INTERVAL, rows, "no unit was rated by both annotators")
    if len(np.unique(rows)) == 1:
        return _made("cohen", None, _NO_INTERVAL, rows, _ONE_LABEL)
    table = np.zeros((len(votes.labels), len(votes.labels)), np.int64)
    np.add.at(table, (rows[:, 0], rows[:, 1]), 1)
    value = statistics_package("statsmodels").cohens_kappa(table, return_results=False)
    return _made("cohen", float(value), bootstrap.ends(rows, vectorised_coefficients.cohen), rows)


def judge_pairs(votes: Votes) -> list[tuple[str, str]]:
    """Return the pairs of annotators with a rated unit in common, sorted."""
    rated = (votes.matrix >= 0).astype(np.int64)
    common = rated @ rated.T
    return [
        (votes.judges[i], votes.judges[j])
        for i, j in combinations(range(len(votes.judges)), 2)
        if common[i, j]
    ]


def _nothing_shared(votes: Votes) -> str | None:
    if not votes.units:
        return "there are no judgments"
    if len(votes.judges) == 1:
        return "there is only one annotator"
    return None if len(votes.shared) else "no unit has ratings by two annotators"


def _one_label(rows: Ints) -> str | None:
    return _ONE_LABEL if np.count_nonzero(rows.sum(axis=0)) == 1 else None


def _made(
    name: CoefficientName,
    value: float | None,
    ends: Ends,
    rows: Ints,
    why: str | None = None,
    note: str = "",
) -> Coefficient:
    # a row of Cohen's κ has two labels; rows of the other coefficients have counts of labels
    ratings = 2 * len(rows) if name == "cohen" else int(rows.sum())
    return Coefficient(
        name=name,
        value=value,
        low=ends.low,
        high=ends.high,
        units=len(rows),
        ratings=ratings,
        why_undefined=why,
        note=note,
    )
