"""The smallest and the largest values that the measures of quads can have if all quads had been answered.

A quad is answered if all prompts of its four questions were answered with a choice. For a mean over quads and
for γ, the missing quads are given the least and the most that one quad can have, so the bounds are sharp. μ
and η are means of sizes of many γ and η, each put to the end of its own range: their bounds contain every
possible value, but may be wider than needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Bools, Floats, Ints
from nextset.auditing.measures.measure import share
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.auditing.quads.quad_counts import level_counts
from nextset.auditing.quads.quad_values import MEANS, OF_ALL, SIZES, group_members, preference_sizes
from nextset.scoring.subjects.quad_bias import comparative

__all__ = ["QuadBounds", "quad_bounds"]

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class QuadBounds:
    """The bounds of the measures of one model on all quads of a class, answered or not."""

    low: Mapping[str, Mapping[str, Floats]]
    """The lower bounds by grouping and measure, shape (parts,); NaN for a part without quads."""
    high: Mapping[str, Mapping[str, Floats]]
    """The upper bounds."""
    quads: Mapping[str, Ints]
    """The number of quads of each part, answered or not."""
    gamma_low: Mapping[str, Floats]
    """The lower bounds of γ of subjects and of clusters, shape (names, attributes + 1); the last column is
    γ(x)."""
    gamma_high: Mapping[str, Floats]
    """The upper bounds."""


def quad_bounds(columns: QuadColumns, scores: Floats, answered: Bools) -> QuadBounds:
    """Return the bounds of the measures of ``scores``, shape (`nextset.auditing.quads.quad_columns.SCORES`,
    quads), of which those that were not ``answered``, shape (quads,), can be anything."""
    first, second = scores[0::2], scores[1::2]
    low: dict[str, dict[str, Floats]] = {}
    high: dict[str, dict[str, Floats]] = {}
    quads: dict[str, Ints] = {}
    means = {m.name: m.of_quads(first, second) for m in MEANS}
    for by, (names, sides) in group_members(columns).items():
        quads[by] = level_counts(columns, sides, len(names))[0]
        missing = _sums(sides, (~answered).astype(np.float64), len(names))
        low[by], high[by] = {}, {}
        for name, values in means.items():
            known = _sums(sides, np.where(answered, values, 0.0), len(names))
            low[by][name] = share(known, quads[by].astype(np.float64))
            high[by][name] = share(known + missing, quads[by].astype(np.float64))
    c = comparative(first, second).c
    sums = {by: _Preferences.of(columns, c, answered, *kind) for by, kind in _kinds(columns).items()}
    _add_sizes(low, high, columns, sums["subject"])
    _add_templates(low, high, columns, c, answered)
    gamma = {by: preferences.gamma() for by, preferences in sums.items()}
    return QuadBounds(
        low,
        high,
        quads,
        {by: ends[0] for by, ends in gamma.items()},
        {by: ends[1] for by, ends in gamma.items()},
    )


def _kinds(columns: QuadColumns) -> dict[str, tuple[int, Codes, Codes]]:
    c = columns
    kinds = {"subject": (len(c.subjects), c.subject1, c.subject2)}
    if any(c.clusters):
        kinds["cluster"] = (len(c.clusters), c.cluster1, c.cluster2)
    return kinds


def _sums(sides: Sequence[Codes], amounts: Floats, n: int) -> Floats:
    """Return the sums by part; a quad with both subjects in a part counts once, and no code −1."""
    total = np.zeros(n)
    for i, side in enumerate(sides):
        there = side >= 0 if i == 0 else (side >= 0) & (side != sides[0])
        total += np.bincount(side[there], amounts[there], minlength=n)
    return total


@dataclass(frozen=True)
class _Preferences:
    """The sums of C and of its sign over answered quads, and the numbers of quads; shape (names,
    attributes)."""

    signed: Floats
    signs: Floats
    answered: Floats
    missing: Floats

    @classmethod
    def of(
        cls, columns: QuadColumns, c: Floats, answered: Bools, names: int, one: Codes, other: Codes
    ) -> _Preferences:
        n = len(columns.attributes)
        apart = one != other
        cells = [side[apart].astype(np.int64) * n + columns.attribute[apart] for side in (one, other)]

        def summed(amounts: Floats, sign: int) -> Floats:
            sums = [
                np.bincount(cell, amounts[apart], minlength=names * n).astype(np.float64) for cell in cells
            ]
            joined: Floats = sums[0] + sign * sums[1]
            return joined.reshape(names, n)

        known = np.where(answered, c, 0.0)
        return cls(
            summed(known, -1),
            summed(np.sign(known), -1),
            summed(answered.astype(np.float64), 1),
            summed((~answered).astype(np.float64), 1),
        )

    def gamma(self) -> tuple[Floats, Floats]:
        """Return the bounds of γ(x, a) and, in the last column, of γ(x)."""
        signed, answered, missing = (
            np.concatenate([sums, sums.sum(axis=1, keepdims=True)], axis=1)
            for sums in (self.signed, self.answered, self.missing)
        )
        return _ends(signed, answered, missing)

    def sizes(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return the least and the largest |γ(x, a)|, and |η(x, a)|."""
        gamma, eta = (_size_ends(*_ends(s, self.answered, self.missing)) for s in (self.signed, self.signs))
        return gamma, eta


def _ends(sums: Floats, answered: Floats, missing: Floats) -> tuple[Floats, Floats]:
    whole = answered + missing
    return share(sums - missing, whole), share(sums + missing, whole)


def _size_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    sizes = np.abs(low), np.abs(high)
    least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(*sizes))
    return np.where(np.isnan(low), np.nan, least), np.maximum(*sizes)


def _add_sizes(
    low: dict[str, dict[str, Floats]],
    high: dict[str, dict[str, Floats]],
    columns: QuadColumns,
    preferences: _Preferences,
) -> None:
    ends = preferences.sizes()
    for by, sizes in preference_sizes(columns).items():
        for name, size, (least, most) in zip(SIZES, sizes, ends, strict=True):
            low[by][name] = size(least[..., None], None)[..., 0]
            high[by][name] = size(most[..., None], None)[..., 0]


def _add_templates(
    low: dict[str, dict[str, Floats]],
    high: dict[str, dict[str, Floats]],
    columns: QuadColumns,
    c: Floats,
    answered: Bools,
) -> None:
    by_name: dict[str, list[tuple[float, float]]] = {name: [] for name in SIZES}
    for template in range(len(columns.templates)):
        rows = columns.template == template
        kind = _kinds(part := columns.where(rows))["subject"]
        ends = _Preferences.of(part, c[rows], answered[rows], *kind).sizes()
        for name, size, (least, most) in zip(SIZES, OF_ALL, ends, strict=True):
            by_name[name].append(
                (float(size(least[..., None], None)[0, 0]), float(size(most[..., None], None)[0, 0]))
            )
    for name, of_templates in by_name.items():
        pairs = np.array(of_templates).reshape(-1, 2)
        low["template"][name], high["template"][name] = pairs[:, 0], pairs[:, 1]
