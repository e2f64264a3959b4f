"""The items that count, by the annotators' verdicts: items that measure bias, items that all call valid, and
more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.array_types import Floats
from nextset.auditing.nli.population import Population, texts

__all__ = ["MEASURED", "SELECTIONS", "Selections", "selections_of"]

MEASURED = "measured"
SELECTIONS = {
    MEASURED: "items that measure bias",
    "majority": "items that most annotators call valid",
    "unanimous": "items that all annotators call valid",
    "judged": "items that annotators judged, with any verdict",
    "weighted": "items weighted by their probability of being valid",
}
"""The selections, with their texts in the report."""


@dataclass(frozen=True)
class Selections:
    """The selections of a set of items, and the verdicts on its units that they need."""

    judged: bool = False
    """True if annotators judged the items; otherwise there is only the selection measured."""
    unanimous: frozenset[str] = frozenset()
    """The units that every annotator found valid."""
    valid: Mapping[str, float] | None = None
    """The probability that each unit is valid, in [0, 1]; None if it is unknown."""

    @property
    def names(self) -> tuple[str, ...]:
        """The selections, in their order."""
        if not self.judged:
            return (MEASURED,)
        return tuple(SELECTIONS) if self.valid is not None else tuple(SELECTIONS)[:4]

    def weights(self, items: pa.Table, groups: Population) -> Mapping[str, Floats]:
        """Return the weight of each item in each of `names`, shape (items,); controls have the weight 0."""
        measured = np.zeros(items.num_rows)
        measured[groups.bias] = 1
        by_selection = {MEASURED: measured}
        if not self.judged:
            return by_selection
        verdict, units = texts(items["verdict"]), items["unit_id"].to_pylist()
        named = measured.copy()
        named[groups.not_valid] = np.asarray(items["names_group"], np.bool_)[groups.not_valid]
        known = named * (verdict != "")
        by_selection["majority"] = known * (verdict == "valid")
        by_selection["unanimous"] = by_selection["majority"] * np.array([u in self.unanimous for u in units])
        by_selection["judged"] = known
        if self.valid is not None:
            by_selection["weighted"] = known * np.array([self.valid.get(u, 0.0) if u else 0.0 for u in units])
        return by_selection


def selections_of(
    judgments: pa.Table, adjudications: pa.Table, posteriors: pa.Table | None = None
) -> Selections:
    """Return the selections of items that were judged.

    ``judgments`` and ``adjudications`` have the columns unit_id and verdict. ``posteriors`` has the
    probability of each label of a unit, in the columns unit_id, label and probability; without it, a unit's
    share of votes for valid is its probability. An adjudicated unit is valid with probability 1 or 0.
    """
    shares = _shares(judgments)
    probable = dict(shares) if posteriors is None else _valid(posteriors)
    for unit, verdicts in _verdicts(adjudications).items():
        probable[unit] = float(2 * verdicts.count("valid") > len(verdicts))
    return Selections(True, frozenset(unit for unit, share in shares.items() if share == 1), probable)


def _shares(judgments: pa.Table) -> dict[str, float]:
    """Return each unit's share of votes for valid."""
    return {unit: given.count("valid") / len(given) for unit, given in _verdicts(judgments).items()}


def _verdicts(judgments: pa.Table) -> dict[str, list[str]]:
    verdicts: dict[str, list[str]] = {}
    pairs = zip(judgments["unit_id"].to_pylist(), judgments["verdict"].to_pylist(), strict=True)
    for unit, verdict in pairs:
        verdicts.setdefault(unit, []).append(verdict)
    return verdicts


def _valid(posteriors: pa.Table) -> dict[str, float]:
    """Return the probability that each unit is valid; a label is a verdict, followed by the stance if it is
    valid."""
    probabilities: dict[str, float] = {}
    columns = (posteriors[name].to_pylist() for name in ("unit_id", "label", "probability"))
    for unit, label, probability in zip(*columns, strict=True):
        probabilities[unit] = probabilities.get(unit, 0.0) + (
            probability if label.split()[0] == "valid" else 0.0
        )
    return {unit: min(1.0, probability) for unit, probability in probabilities.items()}
