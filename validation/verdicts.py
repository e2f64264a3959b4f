"""The verdict of each unit, from its judgments, and verdicts as columns of the items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

import pyarrow as pa

from nextset.records.judgment import Judgment, Verdict
from nextset.validation.agreement.ratings import stance_ratings
from nextset.validation.agreement.vote_aggregation import (
    Fit,
    Method,
    Posterior,
    aggregate_ratings,
    most_probable,
)

__all__ = ["STANCE_TIED", "UnitVerdict", "Verdicts", "aggregate", "judged"]

STANCE_TIED = "valid, stance tied"
"""The count of valid units whose stance is a tie; only hypotheses have a stance."""

JudgedStance = Literal["pro", "anti"]


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """The aggregated verdict of a unit."""

    verdict: Verdict | None
    """The verdict of the adjudication, else the most frequent or most probable one; null on a tie."""
    stance_judged: JudgedStance | None
    """The stance of a valid unit, found in the same way; null on a tie or if the unit is not valid."""
    n_judgments: int
    """The number of judgments, without those of adjudicators."""
    adjudicated: bool
    """True if the verdict comes from the adjudication."""


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of a set of units."""

    by_unit: Mapping[str, UnitVerdict]
    """The verdict of each unit that was judged."""
    counts: Mapping[str, int]
    """Units by outcome: valid, invalid, incoherent, tie, unjudged; valid with tied stance; adjudicated."""
    posteriors: tuple[Posterior, ...]
    """The probability of each verdict (with its stance if valid) from the votes, without adjudication."""
    fit: Fit
    """The fit of the aggregation."""

    @property
    def undecided(self) -> list[str]:
        """The units whose verdict is a tie, sorted."""
        return sorted(unit_id for unit_id, verdict in self.by_unit.items() if verdict.verdict is None)


def aggregate(
    ids: Iterable[str],
    judgments: Iterable[Judgment],
    *,
    method: Method = "majority",
    adjudications: Iterable[Judgment] = (),
    seed: int = 0,
    valid_votes: int | None = None,
) -> Verdicts:
    """Return the verdicts of units ``ids``; ``judgments`` has at most one per unit and annotator.

    By majority, the verdict is the one given most often, and the stance the one given most often by
    annotators who say valid. By Dawid–Skene and MACE (`nextset.validation.agreement.vote_aggregation`), the
    labels are verdicts with their stance, and a verdict's probability is the sum over its labels. The
    adjudicators' majority replaces the votes. A unit that fewer than ``valid_votes`` annotators call valid is
    invalid, or without a verdict if it has fewer judgments. Judgments of other units are ignored. Raises
    DependencyMissing if crowd-kit is missing and the method is not majority.
    """
    known = set(ids)
    by_unit = _by_unit(known, judgments)
    votes = aggregate_ratings((r for given in by_unit.values() for r in stance_ratings(given)), method, seed)
    verdicts = {
        unit_id: _by_majority(given)
        if method == "majority"
        else _by_model(given, votes.probabilities[unit_id])
        for unit_id, given in by_unit.items()
    }
    if valid_votes is not None:
        verdicts = {u: _with_enough(v, by_unit[u], valid_votes) for u, v in verdicts.items()}
    for unit_id, given in _by_unit(known, adjudications).items():
        n = verdicts[unit_id].n_judgments if unit_id in verdicts else 0
        verdicts[unit_id] = replace(_by_majority(given), n_judgments=n, adjudicated=True)
    return Verdicts(verdicts, _counts(known, verdicts.values()), tuple(votes.posteriors()), votes.fit)


def judged(rows: pa.Table, ids: Sequence[str | None], verdicts: Verdicts) -> pa.Table:
    """Return ``rows`` with columns verdict, stance_judged and judge (null if unjudged), n_judgments, unit_id.

    ``ids`` are the units of the rows, null for rows that are not judged.
    """
    unit_verdicts: list[Any] = [verdicts.by_unit.get(unit_id) if unit_id else None for unit_id in ids]
    for name in ("verdict", "stance_judged"):
        rows = rows.append_column(
            name, pa.array([v and getattr(v, name) for v in unit_verdicts], pa.string())
        )
    rows = rows.append_column(
        "judge", pa.array(["people" if v else None for v in unit_verdicts], pa.string())
    )
    field = pa.field("n_judgments", pa.int32(), nullable=False)
    rows = rows.append_column(field, pa.array([v.n_judgments if v else 0 for v in unit_verdicts], pa.int32()))
    return rows.append_column("unit_id", pa.array(ids, pa.string()))


def _by_unit(known: set[str], judgments: Iterable[Judgment]) -> dict[str, list[Judgment]]:
    by_unit: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        if judgment.unit_id in known:
            by_unit[judgment.unit_id].append(judgment)
    return dict(by_unit)


def _by_majority(given: Sequence[Judgment]) -> UnitVerdict:
    verdict = _most([j.verdict for j in given])
    stances = [j.stance_judged for j in given if j.verdict == "valid" and j.stance_judged]
    return _made(given, verdict, _most(stances) if verdict == "valid" else None)


def _by_model(given: Sequence[Judgment], probabilities: Mapping[str, float]) -> UnitVerdict:
    summed: Counter[str] = Counter()
    for label, probability in probabilities.items():
        summed[label.split()[0]] += probability  # type: ignore[assignment]
    verdict = most_probable(summed)
    stances = {label.split()[1]: p for label, p in probabilities.items() if " " in label}
    stance = most_probable(stances) if verdict == "valid" else None
    return _made(given, cast("Verdict | None", verdict), cast("JudgedStance | None", stance))


def _with_enough(verdict: UnitVerdict, given: Sequence[Judgment], valid_votes: int) -> UnitVerdict:
    """Return ``verdict``, unless it is valid with fewer than ``valid_votes`` judgments that say valid."""
    if verdict.verdict != "valid" or sum(j.verdict == "valid" for j in given) >= valid_votes:
        return verdict
    return replace(verdict, verdict="invalid" if len(given) >= valid_votes else None, stance_judged=None)


def _made(given: Sequence[Judgment], verdict: Verdict | None, stance: JudgedStance | None) -> UnitVerdict:
    return UnitVerdict(verdict, stance, len(given), False)


def _counts(known: set[str], verdicts: Iterable[UnitVerdict]) -> dict[str, int]:
    unit_verdicts = list(verdicts)
    outcomes = Counter(v.verdict or "tie" for v in unit_verdicts)
    return {
        **{name: outcomes[name] for name in ("valid", "invalid", "incoherent", "tie")},
        "unjudged": len(known) - len(unit_verdicts),
        STANCE_TIED: sum(v.verdict == "valid" and v.stance_judged is None for v in unit_verdicts),
        "adjudicated": sum(v.adjudicated for v in unit_verdicts),
    }


T = TypeVar("T")


def _most(values: Sequence[T]) -> T | None:
    """Return the most frequent of ``values``; None on a tie, or without values."""
    ranked = Counter(values).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]
