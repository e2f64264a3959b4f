"""Units with split votes, for adjudication and for the report."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from nextset.validation.agreement.ratings import Rating

__all__ = ["Disagreement", "Vote", "disagreements"]


@dataclass(frozen=True, slots=True)
class Vote:
    """One annotator's vote."""

    judge: str
    """The annotator's pseudonym."""
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A unit with more than one label."""

    unit_id: str
    entropy: float
    """The entropy of the shares of the labels, in bits: 1 if two labels have half of the votes each."""
    undecided: bool
    """True if no label was given more often than every other label."""
    votes: tuple[Vote, ...]
    """The votes, sorted by label and annotator."""


def disagreements(
    ratings: Iterable[Rating], which: Literal["undecided", "not_unanimous"] = "undecided"
) -> list[Disagreement]:
    """Return the units without a majority, or all units with split votes.

    The most disputed units come first, by entropy, then by unit_id.
    """
    by_unit: dict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        by_unit[rating.unit_id].append(rating)
    units = [_disagreement(unit_id, given) for unit_id, given in by_unit.items()]
    wanted = [d for d in units if (d.undecided if which == "undecided" else d.entropy > 0)]
    return sorted(wanted, key=lambda d: (-d.entropy, d.unit_id))


def _disagreement(unit_id: str, given: list[Rating]) -> Disagreement:
    counts = sorted(Counter(r.label for r in given).values(), reverse=True)
    return Disagreement(
        unit_id=unit_id,
        entropy=sum(n / len(given) * math.log2(len(given) / n) for n in counts),
        undecided=len(counts) > 1 and counts[0] == counts[1],
        votes=tuple(sorted((Vote(r.judge, r.label) for r in given), key=lambda v: (v.label, v.judge))),
    )
