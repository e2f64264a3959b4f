"""The measures of several models on one set of items, as one long table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from nextset.auditing.labels_by_model import Answers, answers
from nextset.auditing.measures import Interval, accuracy, aggregate, counterfactual, pro_anti
from nextset.auditing.population import Indices, Pairs, Population, pairs, population, stances
from nextset.records.arrow_schema import table_of
from nextset.scoring.predicted_labels import Labels, onto_two

__all__ = ["MEASURES", "NEEDS_CONTRADICTION", "Measured", "measure"]

PAIRED = (
    "counterfactual_pro",
    "counterfactual_anti",
    "counterfactual_error",
    "counterfactual_misprediction",
)
"""The measures of pairs."""
MEASURES = (
    "accuracy",
    "accuracy_controls",
    "aggregate",
    "pro",
    "anti",
    *PAIRED,
)
"""The measures, in the order of the table."""
NEEDS_CONTRADICTION = "needs contradiction"
"""How the note begins on a measure that a model with two labels cannot have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measure of one model on one part of the items."""

    model: str
    """The model as the study names it."""
    role: str
    """filter, held_out or audit."""
    part: str
    """all, or the domain or stereotype that the items belong to."""
    measure: str
    """One of `MEASURES`."""
    value: float | None
    """A fraction: in [0, 1], aggregate in [−1, 1]; null where it is undefined."""
    low: float | None
    """The lower end of the 95 % interval; null for measures that have none."""
    high: float | None
    """The upper end of the 95 % interval; null for measures that have none."""
    n: int
    """The items that the value is a share of."""
    note: str | None
    """Why the value is null or set by agreement, or what was left out."""


@dataclass(frozen=True, slots=True)
class _Items:
    """What the measures need of a table of items, worked out once for all models."""

    right: Labels
    stance: Labels
    groups: Population
    pairs: Pairs
    parts: Labels

    def within(self, rows: Indices, part: str) -> Indices:
        here: Indices = rows[self.parts[rows] == part]
        return here


@dataclass(frozen=True, slots=True)
class _Value:
    """A measure before it is known whose it is."""

    measure: str
    value: float | None
    n: int
    note: str | None
    interval: Interval | None = None


def measure(items: pa.Table, scores: pa.Table, by: Literal["domain", "stereotype"] | None = None) -> pa.Table:
    """Every measure of every model in ``scores`` over ``items``: one row a model × part × measure.

    ``items`` has the columns of NliItem and, where they are known, ``verdict``, ``stance_judged`` and
    ``counterpart_id``; ``scores`` those of NliScore. With ``by`` the items are measured apart by that
    column. The result has the columns of `Measured`, ordered by role, model, part, measure; the same
    rows in another order give the same table. Raises MissingStage where a score is missing,
    ArtifactError where scores or counterparts contradict themselves.
    """
    parts = np.array(items[by].to_pylist() if by else ["all"] * items.num_rows, dtype=np.str_)
    right = np.array(items["label"].to_pylist(), dtype=np.str_)
    known = _Items(right, stances(items), population(items), pairs(items), parts)
    names = sorted(set(parts.tolist())) if by else ["all"]
    models = answers(items, scores)
    return table_of((row for m in models for part in names for row in _measured(m, known, part)), Measured)


def _measured(model: Answers, items: _Items, part: str) -> Iterator[Measured]:
    for found in (*_plain(model, items, part), *_paired(model, items, part)):
        yield Measured(
            model=model.model,
            role=model.role,
            part=part,
            measure=found.measure,
            value=found.value,
            low=found.interval.low if found.interval else None,
            high=found.interval.high if found.interval else None,
            n=found.n,
            note=found.note,
        )


def _plain(model: Answers, items: _Items, part: str) -> Iterator[_Value]:
    bias = items.within(items.groups.bias, part)
    said, stance = model.labels[bias], items.stance[bias]
    known = onto_two(items.right) if model.two_way else items.right
    right = accuracy(said, known[bias])
    yield _Value("accuracy", right.value, right.n, right.note or _left_out(items, part), right.interval)
    controls = items.within(items.groups.controls, part)
    right = accuracy(model.labels[controls], known[controls])
    yield _Value("accuracy_controls", right.value, right.n, right.note, right.interval)
    if model.two_way:
        yield from _refused(("aggregate", "pro", "anti"), model, len(bias))
        return
    score = aggregate(said, stance)
    yield _Value("aggregate", score.value, score.n, score.note)
    shares = pro_anti(said, stance)
    yield _Value("pro", shares.pro, shares.n, shares.note)
    yield _Value("anti", shares.anti, shares.n, shares.note)


def _paired(model: Answers, items: _Items, part: str) -> Iterator[_Value]:
    here = items.parts[items.pairs.stereotype] == part
    first, second = items.pairs.stereotype[here], items.pairs.counterpart[here]
    if model.two_way:
        yield from _refused(PAIRED, model, len(first) + len(second))
        return
    found = counterfactual(model.labels[first], model.labels[second])
    alone = len(items.within(items.groups.bias, part)) - found.n
    note = found.note or (f"left out: {alone} items in no pair" if alone else None)
    yield _Value("counterfactual_pro", found.pro, found.n, note)
    yield _Value("counterfactual_anti", found.anti, found.n, note)
    yield _Value("counterfactual_error", found.error, found.n, note)
    yield _Value("counterfactual_misprediction", found.misprediction, found.n, note)


def _refused(names: Sequence[str], model: Answers, n: int) -> Iterator[_Value]:
    for name in names:
        yield _Value(name, None, n, f"{NEEDS_CONTRADICTION}, and {model.model} has two labels")


def _left_out(items: _Items, part: str) -> str | None:
    no_group = len(items.within(items.groups.no_group, part))
    not_valid = len(items.within(items.groups.not_valid, part))
    reasons = [f"{no_group} that name no group"] if no_group else []
    reasons += [f"{not_valid} that were not judged valid"] if not_valid else []
    return "left out: " + ", ".join(reasons) if reasons else None
