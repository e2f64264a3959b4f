"""The selection of units whose verdicts count as valid by release.verdicts, or whose form is ok."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from nextset.study.release_settings import VerdictRule
from nextset.study.validation_settings import FEWER_JUDGMENTS

__all__ = [
    "FEW_JUDGMENTS",
    "adjudicated_verdicts",
    "select_form_ok",
    "select_valid",
    "selected_units",
    "verdict_words",
]

FEW_JUDGMENTS = f"units with {FEWER_JUDGMENTS}"
"""The count of released units whose verdict rests on too few judgments."""

_SAME = 1e-9
"""Probabilities that differ by less are equal, as in `nextset validate`: the float 0.1 + 0.7 is below 0.8."""

_WORDS = {
    "aggregated": "a unit counts as valid if the verdict aggregated from its judgments is valid",
    "majority": "a unit counts as valid if more than half of its judgments are valid",
    "unanimous": "a unit counts as valid if all of its judgments are valid",
    "posterior_at_least": "a unit counts as valid if it is valid with a probability of at least {p}, "
    "estimated from its judgments",
}
_ADJUDICATION = {
    "unanimous": "if the unit was adjudicated, the adjudicated verdict must be valid too",
}
_REPLACED = "if the unit was adjudicated, only the adjudicated verdict counts"


def verdict_words(rule: VerdictRule) -> str:
    """Return ``rule`` as text for the card, without a full stop."""
    ((name, value),) = rule.written().items()
    return f"{_WORDS[name].format(p=value)}; {_ADJUDICATION.get(name, _REPLACED)}"


def adjudicated_verdicts(adjudications: pa.Table, items: Iterable[pa.Table]) -> dict[str, str | None]:
    """Return the verdict of each adjudicated unit, or None for a unit whose adjudicators tied.

    ``adjudications`` is the table of that name in out/validate, and ``items`` are batches of its table items:
    the column verdict of an adjudicated unit is the adjudicated one.
    """
    adjudicated = pc.unique(adjudications["unit_id"])
    verdicts: dict[str, str | None] = {}
    if not len(adjudicated):
        return verdicts
    for batch in items:
        rows = batch.select(["unit_id", "verdict"])
        rows = rows.filter(pc.is_in(rows["unit_id"], value_set=adjudicated))
        verdicts.update(zip(rows["unit_id"].to_pylist(), rows["verdict"].to_pylist(), strict=True))
    return verdicts


def selected_units(
    rule: VerdictRule,
    judgments: pa.Table,
    posteriors: pa.Table,
    adjudicated: Mapping[str, str | None],
) -> pa.Array | None:
    """Return the ids of the units that count as valid, sorted, or None if the column verdict decides.

    ``judgments`` (unit_id, verdict) and ``posteriors`` (unit_id, label, probability) are tables of
    out/validate; ``adjudicated`` has the verdict of each adjudicated unit (`adjudicated_verdicts`).

    - aggregated: the column verdict is valid. It takes adjudication into account, so no table is read.
    - majority: more than half of the unit's judgments are valid. Two of four are not enough.
    - unanimous: all of its judgments are valid, and so is its adjudication if there is one.
    - posterior_at_least p: the probabilities of its valid labels add up to p or more.

    For majority and posterior_at_least the adjudication replaces the votes. A unit without a judgment or
    adjudication never counts. The items keep the aggregated verdict and stance_judged, which may differ from
    what ``rule`` decides.
    """
    if rule.aggregated:
        return None
    if rule.posterior_at_least is not None:
        by_votes = _probable(posteriors, rule.posterior_at_least)
    else:
        by_votes = _voted(judgments, unanimous=bool(rule.unanimous))
    decided = pa.array([u for u, verdict in adjudicated.items() if verdict == "valid"], pa.string())
    if rule.unanimous:
        # A unit that was adjudicated without votes counts as unanimous.
        voted = pc.unique(judgments["unit_id"])
        unvoted = decided.filter(pc.invert(pc.is_in(decided, value_set=voted)))
        others = [u for u, verdict in adjudicated.items() if verdict != "valid"]
        return _sorted(_without(by_votes, others), unvoted)
    return _sorted(_without(by_votes, list(adjudicated)), decided)


def select_valid(items: pa.Table, selected: pa.Array | None) -> pa.Table:
    """Return the rows of ``items``, a batch of out/validate's table items, that count as valid.

    ``selected`` comes from `selected_units`. If it is None, the column verdict decides. Test items have no
    unit and are never selected.
    """
    if selected is None:
        return items.filter(pc.equal(items["verdict"], "valid"))
    # The smaller set is hashed: hashing two million ids for each batch would take a second each time.
    here = selected.filter(pc.is_in(selected, value_set=pc.unique(items["unit_id"])))
    return items.filter(pc.is_in(items["unit_id"], value_set=here))


def select_form_ok(items: pa.Table) -> pa.Table:
    """Return the rows of ``items`` that no one judged and whose form is ok, without test items."""
    return items.filter(items["form_ok"])


def _voted(judgments: pa.Table, *, unanimous: bool) -> pa.Array:
    """Return the units with only valid votes, or without ``unanimous``, with more than half valid votes."""
    votes = pa.table(
        {
            "unit_id": judgments["unit_id"],
            "valid": pc.cast(pc.equal(judgments["verdict"], "valid"), pa.int64()),
        }
    )
    counts = votes.group_by("unit_id", use_threads=False).aggregate([("valid", "sum"), ("valid", "count")])
    valid, all_votes = counts["valid_sum"], counts["valid_count"]
    enough = pc.equal(valid, all_votes) if unanimous else pc.greater(pc.multiply(valid, 2), all_votes)
    return counts["unit_id"].filter(enough).combine_chunks()


def _probable(posteriors: pa.Table, p: float) -> pa.Array:
    """Return the units whose labels "valid", "valid pro" and "valid anti" add up to at least ``p``."""
    label = posteriors["label"]
    rows = posteriors.filter(pc.or_(pc.equal(label, "valid"), pc.starts_with(label, "valid ")))
    sums = rows.select(["unit_id", "probability"]).group_by("unit_id", use_threads=False)
    totals = sums.aggregate([("probability", "sum")])
    enough = pc.greater_equal(totals["probability_sum"], p - _SAME)
    return totals["unit_id"].filter(enough).combine_chunks()


def _without(units: pa.Array, others: list[str]) -> pa.Array:
    if not others:
        return units
    return units.filter(pc.invert(pc.is_in(units, value_set=pa.array(others, pa.string()))))


def _sorted(units: pa.Array, more: pa.Array) -> pa.Array:
    together = pa.concat_arrays([units.cast(pa.string()), more])
    return together.take(pc.sort_indices(together))
