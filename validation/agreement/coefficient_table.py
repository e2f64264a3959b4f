"""Agreement over all units, by domain and by class, as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

import pyarrow as pa

from nextset.errors import DependencyMissing
from nextset.validation.agreement.bootstrap import BOOTSTRAP, Bootstrap
from nextset.validation.agreement.coefficients import (
    Coefficient,
    CoefficientName,
    cohen_kappa,
    fleiss_kappa,
    judge_pairs,
    krippendorff_alpha,
    per_cent,
)
from nextset.validation.agreement.ratings import Rating, Votes

__all__ = ["AgreementRow", "agreement_rows"]

_OVERALL: tuple[tuple[CoefficientName, Callable[[Votes, Bootstrap], Coefficient]], ...] = (
    ("per_cent", per_cent),
    ("alpha", krippendorff_alpha),
    ("fleiss", fleiss_kappa),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow(Coefficient):
    """A coefficient of agreement for one set of ratings and units."""

    of: str
    """The label that was rated: verdict, verdict and stance, or a check of a question."""
    by: Literal["all", "domain", "stereotype"]
    """The kind of part: all units, those of a domain, or of a stereotype (for questions, an attribute)."""
    part: str
    """The domain or stereotype; empty for all."""
    judge1: str | None
    """The first annotator of Cohen's κ; null for the other coefficients."""
    judge2: str | None
    """The second annotator of Cohen's κ; null for the other coefficients."""


def agreement_rows(
    of: str, ratings: Sequence[Rating], units: pa.Table, bootstrap: Bootstrap = BOOTSTRAP
) -> list[AgreementRow]:
    """Return the coefficients of ``ratings``, first over all of ``units``, then by domain and stereotype.

    ``units`` has columns unit_id, domain and stereotype; ratings of other units are ignored. Cohen's κ has
    one row for each pair of annotators with a unit in common. If a package is missing, the value is null and
    ``why_undefined`` names the package to install.
    """
    rows = []
    for place, votes in _parts(ratings, units):
        overall = [
            (_coefficient(name, votes, partial(f, votes, bootstrap)), None, None) for name, f in _OVERALL
        ]
        pairs = [
            (_coefficient("cohen", votes, partial(cohen_kappa, votes, one, other, bootstrap)), one, other)
            for one, other in judge_pairs(votes)
        ]
        rows += [
            AgreementRow(**asdict(coefficient), of=of, by=place.by, part=place.part, judge1=one, judge2=other)
            for coefficient, one, other in (*overall, *pairs)
        ]
    return rows


@dataclass(frozen=True, slots=True)
class _Place:
    by: Literal["all", "domain", "stereotype"]
    part: str


def _parts(ratings: Sequence[Rating], units: pa.Table) -> Iterator[tuple[_Place, Votes]]:
    columns = [units[name].to_pylist() for name in ("unit_id", "domain", "stereotype")]
    places = {u: (_Place("domain", d), _Place("stereotype", s)) for u, d, s in zip(*columns, strict=True)}
    by_place: dict[_Place, list[Rating]] = {_Place("all", ""): []}
    for place in sorted({p for pair in places.values() for p in pair}, key=lambda p: (p.by, p.part)):
        by_place[place] = []
    for rating in ratings:
        if rating.unit_id in places:
            for place in (_Place("all", ""), *places[rating.unit_id]):
                by_place[place].append(rating)
    return ((place, Votes.of(given)) for place, given in by_place.items())


def _coefficient(name: CoefficientName, votes: Votes, compute: Callable[[], Coefficient]) -> Coefficient:
    try:
        return compute()
    except DependencyMissing as e:
        shared = votes.shared
        return Coefficient(
            name=name,
            value=None,
            low=None,
            high=None,
            units=len(shared),
            ratings=int(shared.sum()),
            why_undefined=f"{e.message}: {e.remedy}",
            note="",
        )
