"""Simulation of the queue over known verdicts: shuffled, or ordered by the verdict model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nextset.array_types import Floats
from nextset.errors import WaitingForPeople
from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.prediction_records import Predicted

__all__ = ["SimulatedQueue", "percentiles", "simulate_queue"]

Predict = Callable[[Mapping[str, Verdict]], Sequence[Predicted]]
"""A function from the verdicts so far to the predictions for the other units. They are empty while the model
is not better than shares. Raises WaitingForPeople while there are too few verdicts."""


@dataclass(frozen=True)
class SimulatedQueue:
    """The valid units per hour within the budget, by seed."""

    likely_first: Floats
    """The values in the model's order, if it is trained again after each batch, shape (seeds,)."""
    shuffled: Floats
    """The values in shuffled order, from the same first batch, shape (seeds,)."""
    trained: float
    """The share of the batches after the first, over all seeds, that the model ordered anew.

    For the other batches the queue stays as it is. 0 if there are no batches after the first."""


def simulate_queue(
    verdicts: Mapping[str, Verdict],
    seconds: Mapping[str, float],
    predict: Predict,
    *,
    batch: int,
    budget: int,
    seeds: Sequence[int],
) -> SimulatedQueue:
    """Judge ``budget`` units, batch by batch, once per seed; the seed shuffles the units.

    ``verdicts`` and ``seconds`` are those of all units. One annotator judges each unit once, as it was
    judged. The intervals over seeds show how much the order matters for these units; they say nothing about
    other units.
    """
    ordered, shuffled = np.empty(len(seeds)), np.empty(len(seeds))
    trained = asked = 0
    ids = sorted(verdicts)
    for i, seed in enumerate(seeds):
        queue = [ids[k] for k in np.random.default_rng(seed).permutation(len(ids))]
        shuffled[i] = _per_hour(queue[:budget], verdicts, seconds)
        for done in range(batch, budget, batch):
            probabilities = _predicted(predict, {u: verdicts[u] for u in queue[:done]})
            asked += 1
            trained += bool(probabilities)
            queue[done:] = sorted(queue[done:], key=lambda u: -probabilities.get(u, 0.0))
        ordered[i] = _per_hour(queue[:budget], verdicts, seconds)
    return SimulatedQueue(ordered, shuffled, trained / asked if asked else 0.0)


def _predicted(predict: Predict, so_far: Mapping[str, Verdict]) -> dict[str, float]:
    try:
        return {row.unit_id: row.p_valid for row in predict(so_far)}
    except WaitingForPeople:
        return {}


def _per_hour(judged: Sequence[str], verdicts: Mapping[str, Verdict], seconds: Mapping[str, float]) -> float:
    valid = sum(verdicts[unit_id] == "valid" for unit_id in judged)
    return 3600 * valid / sum(seconds[unit_id] for unit_id in judged)


def percentiles(values: Floats) -> tuple[float, float, float]:
    """Return the 2.5th percentile of ``values``, their mean, and the 97.5th percentile."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(values.mean()), float(high)
