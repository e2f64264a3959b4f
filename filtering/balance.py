"""The balance between stances or groups: how the filter shifts it, and how it is restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools, Floats
from nextset.filtering.balance_program import most_sets
from nextset.filtering.item_sets import Sets

__all__ = [
    "BalanceRow",
    "LeftOut",
    "Outcome",
    "Parts",
    "balance_rows",
    "left_out",
    "parts_by",
    "subject_parts",
]


TINY = 1e-9
"""A tolerance for rounding errors in a share or a number of items."""
TRIES = 1000
"""The maximum number of sizes of the kept set that are tried."""


@dataclass(frozen=True)
class BalanceRow:
    """The share of a stance or group among the candidates and among the kept items."""

    by: str
    """stance or group; for choice items kind or target group."""
    part: str
    """The stance, or the group; for questions, the groups of the subjects; for choice items, the condition
    and polarity, or the groups that the stereotype is about."""
    candidates: int
    """Candidates in this part."""
    kept: int
    """The number of them that are kept."""
    before: float
    """Its share of the candidates, in [0, 1]."""
    after: float | None
    """Its share of the kept items; null if nothing is kept."""
    warning: str | None
    """A warning about the difference; null if the study allows the difference."""


Outcome = Literal["fewest", "balanced", "stopped", "impossible"]
"""fewest: every share is near enough, and no choice rejects fewer items. balanced: every share is near
enough, but rejecting fewer items might do. stopped: the search stopped before it found a choice. impossible:
there is no choice."""


@dataclass(frozen=True)
class LeftOut:
    """The items that are rejected for balance."""

    rows: Bools
    """True for each candidate that is rejected for balance."""
    outcome: Outcome
    """The effect on the balance."""


@dataclass(frozen=True)
class Parts:
    """Each candidate's part: its stance or group."""

    by: str
    """stance or group."""
    names: tuple[str, ...]
    """The parts."""
    codes: npt.NDArray[np.int64]
    """The position of each candidate's part among the names."""

    def counts(self, rows: Bools) -> npt.NDArray[np.int64]:
        """Return the number of ``rows`` in each part."""
        return np.bincount(self.codes[rows], minlength=len(self.names))


def parts_by(by: str, column: pa.ChunkedArray) -> Parts:
    """Return the parts by the values of ``column``; null is a separate part, none."""
    encoded = pc.fill_null(pc.cast(column, pa.string()), "none").combine_chunks().dictionary_encode()
    return Parts(by, tuple(encoded.dictionary.to_pylist()), np.asarray(encoded.indices).astype(np.int64))


def subject_parts(quads: pa.Table) -> Parts:
    """Return the parts of quads by their two subjects' clusters, or by class if the subjects have none."""
    first, second = quads["cluster1"], quads["cluster2"]
    swapped = pc.greater(first, second)
    low, high = pc.if_else(swapped, second, first), pc.if_else(swapped, first, second)
    pair = pc.binary_join_element_wise(low, high, " and ")
    return parts_by("group", pc.if_else(pc.not_equal(low, ""), pair, quads["subject_class"]))


def balance_rows(
    parts: Parts, keep: Bools, warn_above: float, outcome: Outcome | None = None
) -> list[BalanceRow]:
    """Return one row per part, by name, with a warning if its shares differ by more than ``warn_above``.

    If ``outcome`` is that of `left_out`, the warning says what is known about a better choice.
    """
    why = {"impossible": "; no choice of items to reject restores all shares"}
    why["stopped"] = "; the search stopped before it found a choice that restores all shares"
    before, after = parts.counts(np.ones_like(keep)), parts.counts(keep)
    rows = []
    for i in sorted(range(len(parts.names)), key=lambda i: parts.names[i]):
        name, share = parts.names[i], before[i] / max(1, keep.size)
        kept = after[i] / after.sum() if after.sum() else None
        shift = kept is not None and abs(kept - share) > warn_above + TINY
        warning = (
            f"{name} is {100 * share:.1f} % of the candidates and {100 * (kept or 0):.1f} % of the kept items"
            f"{why.get(outcome or '', '')}"
        )
        rows.append(
            BalanceRow(parts.by, name, int(before[i]), int(after[i]), share, kept, warning if shift else None)
        )
    return rows


def left_out(parts: Parts, keep: Bools, sets: Sets, warn_above: float, seed: int) -> LeftOut:
    """Reject kept items, whole sets at random, so that no share differs by more than ``warn_above``.

    As few items as possible are rejected, and none if no choice restores all shares.
    """
    limits = _limits(parts.counts(np.ones_like(keep)), warn_above)
    kept = parts.counts(keep)
    nothing = np.zeros_like(keep)
    if limits.hold(kept):
        return LeftOut(nothing, "fewest")
    if (kept[limits.low > 0] == 0).any():
        return LeftOut(nothing, "impossible")
    # whole sets, in random order
    order = np.random.default_rng(seed).permutation(int(sets.max()) + 1)
    rows = np.flatnonzero(keep)
    rows = rows[np.argsort(order[sets[rows]], kind="stable")]
    starts = np.flatnonzero(np.diff(sets[rows], prepend=-1))
    members = [rows[start:end] for start, end in pairwise([*starts.tolist(), rows.size])]
    targets = _targets(limits, kept)
    greedy = nothing.copy()
    greedy[_over_represented(parts, members, kept - targets.counts)] = True
    balanced = limits.hold(kept - parts.counts(greedy))
    if balanced and targets.most is not None and kept.sum() - greedy.sum() == targets.most:
        return LeftOut(greedy, "fewest")
    return _by_program(parts, members, limits, LeftOut(greedy, "balanced" if balanced else "stopped"))


def _over_represented(
    parts: Parts, members: Sequence[npt.NDArray[np.int64]], quota: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the items to reject: a set is rejected only if all of its parts are still over-represented."""
    out: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
    for rows in members:
        taken = np.bincount(parts.codes[rows], minlength=quota.size)
        if (taken <= quota).all():
            quota = quota - taken
            out.append(rows)
            if not (quota > 0).any():
                break
    return np.concatenate(out)


def _by_program(
    parts: Parts, members: Sequence[npt.NDArray[np.int64]], limits: _Limits, otherwise: LeftOut
) -> LeftOut:
    """Return the fewest items to reject if the program finds them, else ``otherwise``."""
    by_kind: dict[tuple[int, ...], list[npt.NDArray[np.int64]]] = {}
    for rows in members:
        by_kind.setdefault(tuple(sorted(parts.codes[rows].tolist())), []).append(rows)
    kinds = np.array([np.bincount(codes, minlength=len(parts.names)) for codes in by_kind])
    available = np.array([len(one_kind) for one_kind in by_kind.values()])
    solution = most_sets(kinds, available, limits.low, limits.high)
    if solution.state == "infeasible":
        return LeftOut(np.zeros_like(otherwise.rows), "impossible")
    if solution.stay is None or not limits.hold(solution.stay @ kinds):
        return otherwise
    out = np.zeros_like(otherwise.rows)
    for one_kind, stay in zip(by_kind.values(), solution.stay.tolist(), strict=True):
        for rows in one_kind[: len(one_kind) - stay]:
            out[rows] = True
    if solution.state == "optimal":
        return LeftOut(out, "fewest")
    better = otherwise.outcome == "stopped" or out.sum() < otherwise.rows.sum()
    return LeftOut(out, "balanced") if better else otherwise


@dataclass(frozen=True)
class _Limits:
    """The range that each part's share of the kept items must be in."""

    shares: Floats
    """The shares of the candidates."""
    low: Floats
    """The minimum shares."""
    high: Floats
    """The maximum shares."""

    def hold(self, kept: npt.NDArray[np.int64]) -> bool:
        """Return True if the numbers of ``kept`` items per part are within the limits, or all 0."""
        total = kept.sum()
        return bool(((kept >= (self.low - TINY) * total) & (kept <= (self.high + TINY) * total)).all())


def _limits(before: npt.NDArray[np.int64], tolerance: float) -> _Limits:
    shares = before / max(1, before.sum())
    return _Limits(shares, np.maximum(shares - tolerance, 0), shares + tolerance)


@dataclass(frozen=True)
class _Targets:
    """The numbers of items that could be kept if each item could be rejected by itself."""

    counts: npt.NDArray[np.int64]
    """The maximum number of items of each part."""
    most: int | None
    """The total, which no choice of sets can exceed; None if it is not known."""


def _targets(limits: _Limits, kept: npt.NDArray[np.int64]) -> _Targets:
    """Return the targets. Each part with a minimum share must have at least one kept item."""
    low, needed = limits.low, limits.low > 0
    most = float(kept.sum())
    if needed.any():
        most = min(most, float((kept[needed] / low[needed]).min()))

    def total_possible(total: float) -> float:
        return float(np.minimum(kept, limits.high * total).sum())

    low_total, high_total = 0.0, most
    for _ in range(60):
        middle = (low_total + high_total) / 2
        low_total, high_total = (
            (middle, high_total) if total_possible(middle) >= middle else (low_total, middle)
        )
    total = high_total if total_possible(high_total) >= high_total else low_total
    whole = int(total + TINY)
    # with whole items the shares may fit only for a slightly smaller size
    for size in range(whole, int(0.9 * whole), -1)[:TRIES]:
        at_least = np.ceil(low * size - TINY)
        at_most = np.minimum(kept, np.floor(limits.high * size + TINY))
        if (at_least <= at_most).all() and at_least.sum() <= size <= at_most.sum():
            return _Targets(_between(at_least, at_most, size), size)
    at_least, at_most = low * total, np.minimum(kept, limits.high * total)
    return _Targets(np.round(_spread(at_least, at_most, total)).astype(np.int64), None)


def _spread(at_least: Floats, at_most: Floats, total: float) -> Floats:
    """Return numbers that add up to ``total``, all at the same relative place between the two bounds."""
    between = at_most.sum() - at_least.sum()
    scale = min(1.0, (total - at_least.sum()) / between) if between > 0 else 0.0
    return np.asarray(at_least + scale * (at_most - at_least))


def _between(at_least: Floats, at_most: Floats, size: int) -> npt.NDArray[np.int64]:
    """Return `_spread` in whole numbers; ``at_least`` and ``at_most`` are whole."""
    exact = _spread(at_least, at_most, size)
    whole = np.floor(exact + TINY).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: size - int(whole.sum())]] += 1
    return whole
