"""The order of judging: the most informative units come first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from nextset.errors import StudyError
from nextset.records.content_ids import content_id
from nextset.study.validation_settings import Order
from nextset.validation.hypothesis_units import hypotheses_by_unit

__all__ = ["sampled_units", "units_by_priority"]


@dataclass(frozen=True)
class _By:
    column: str
    key: Callable[[float], float]
    remedy: str


_MODELS = "filter with at least two models, or choose a different validate.session.order"
_FLUENCY = "set fill.fluency and run `nextset run STUDY` again, or choose a different validate.session.order"
_VALIDATOR = "run `nextset validate predict STUDY` first, or choose a different validate.session.order"

_BY: Mapping[Order, _By] = {
    "disagreement_first": _By("disagreement", lambda x: -x, _MODELS),
    "disagreement_last": _By("disagreement", lambda x: x, _MODELS),
    "fluent_first": _By("fluency", lambda x: -x, _FLUENCY),
    "fluent_last": _By("fluency", lambda x: x, _FLUENCY),
    "likely_valid_first": _By("p_valid", lambda x: -x, _VALIDATOR),
    "uncertain_first": _By("p_valid", lambda x: abs(x - 0.5), _VALIDATOR),
}
"""The columns that orders sort by, smallest value first."""


def units_by_priority(units: pa.Table, order: Order, seed: int, file: Path | None = None) -> tuple[str, ...]:
    """Return the ids of a table of units in the order of judging.

    Reads unit_id and the column that the order sorts by: disagreement, fluency, or p_valid (the verdict
    model's probability that a unit is valid). Units without a value come last; ties are in a seeded order,
    regardless of the order of the rows. Raises StudyError, naming ``file``, if no unit has a value.
    """
    ids = units["unit_id"].to_pylist()
    by = _BY.get(order)
    if by is None:
        keys = [0.0] * len(ids)
    else:
        column = units[by.column].to_pylist() if by.column in units.column_names else []
        known = [None if x is None or math.isnan(x) else x for x in column]
        if ids and not any(x is not None for x in known):
            raise StudyError(
                f"validate.session.order: {order} sorts by {by.column}, which no unit has",
                file=file,
                remedy=by.remedy,
            )
        keys = [math.inf if x is None else by.key(x) for x in known]
    ranked = sorted(zip(keys, (content_id("wanted", str(seed), u) for u in ids), ids, strict=True))
    return tuple(unit_id for _, _, unit_id in ranked)


def sampled_units(units: pa.Table, seed: int) -> tuple[str, ...]:
    """Return the ids of a table of units in the order of which samples and pilots take the first ones.

    The order is shuffled. A premise with a hypothesis is followed by the next premise with the same
    hypothesis, so that a sample shows how far verdicts depend on the premise. Each of the two is a random one
    of the hypothesis's pairs.
    """
    order = units_by_priority(units, "shuffled", seed)
    if "hypothesis" not in units.column_names:
        return order
    hypotheses, waiting = hypotheses_by_unit(units), defaultdict[str, list[str]](list)
    for unit_id in order:
        waiting[hypotheses[unit_id]].append(unit_id)
    taken: dict[str, None] = {}
    for unit_id in order:
        if unit_id not in taken:
            premises = waiting[hypotheses[unit_id]]
            taken |= dict.fromkeys(premises[:2])
            del premises[:2]
    return tuple(taken)
