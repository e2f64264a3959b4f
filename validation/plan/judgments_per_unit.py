"""Judgments per unit: the whole part of the overlap for every unit, plus one for a share drawn by seed."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from nextset.records.content_ids import content_id

__all__ = ["JudgmentsPerUnit", "judgments_per_unit"]


@dataclass(frozen=True, slots=True)
class JudgmentsPerUnit:
    """The number of annotators who are asked about each unit of a session."""

    least: int
    """The whole part of the overlap: this many for every unit."""
    drawn: frozenset[str]
    """The units that one more annotator is asked about; empty if the overlap is a whole number."""

    def of(self, unit_id: str) -> int:
        """Return the number for a unit; a unit that the session does not have counts as not drawn."""
        return self.least + (unit_id in self.drawn)

    @property
    def most(self) -> int:
        """The largest number over all units."""
        return self.least + bool(self.drawn)


def judgments_per_unit(overlap: float, unit_ids: Collection[str], seed: int) -> JudgmentsPerUnit:
    """Return how many annotators are asked about each of ``unit_ids``, which are all units of a session.

    With n units and an overlap of, for example, 1.2, 0.2 n units are drawn, rounded to a whole number with
    halves up, so that all units together have 1.2 n judgments, rounded in the same way. The overlap is
    exactly the number as written: 1.2 is 6/5. The units are sorted by the hash of ``seed`` and id, and the
    first ones are drawn. The draw does not depend on the order of ``unit_ids``, and the units drawn for an
    overlap of 1.2 are among those for 1.4.
    """
    least = math.floor(overlap)
    share = Fraction(str(overlap)) - least
    n = math.floor(share * len(unit_ids) + Fraction(1, 2))
    ranked = sorted(unit_ids, key=lambda u: content_id("overlap", str(seed), u)) if n else []
    return JudgmentsPerUnit(least, frozenset(ranked[:n]))
