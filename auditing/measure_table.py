"""The measures of several models on one set of items, as a table with one row per value.

`nextset.auditing.report_grids` rearranges it for the report; `nextset.auditing.population` says which items
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from nextset.auditing.labels_by_model import ModelLabels, labels_by_model
from nextset.auditing.measures import accuracy, aggregate, counterfactual, pro_anti
from nextset.auditing.population import Indices, Pairs, Population, pairs, population, stances, texts
from nextset.cluster_bootstrap import Ends, ItemClusters, share_ends
from nextset.records.arrow_schema import table_of
from nextset.scoring.predicted_labels import Labels, onto_two

__all__ = ["MEASURES", "NEEDS_CONTRADICTION", "PROPERTIES", "MeasureRow", "measure"]

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
"""The start of the note on a measure that is not computed for a model with two labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure of one model on one part of the items."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    part: str
    """all, or the domain or stereotype that the items belong to."""
    measure: str
    """One of `MEASURES`."""
    value: float | None
    """A fraction: in [0, 1], aggregate in [−1, 1]; null if it is undefined."""
    low: float | None
    """The lower end of the 95 % interval; null for measures without one."""
    high: float | None
    """The upper end of the 95 % interval; null for measures without one."""
    n: int
    """The number of items that the value is a share of."""
    note: str | None
    """The reason if the value is null or set by convention, or the number of excluded items."""


@dataclass(frozen=True, slots=True)
class _Items:
    """The properties of a table of items that the measures need, computed once for all models."""

    right: Labels
    stance: Labels
    groups: Population
    pairs: Pairs
    parts: Labels
    clusters: ItemClusters

    def within(self, rows: Indices, part: str) -> Indices:
        here: Indices = rows[self.parts[rows] == part]
        return here


@dataclass(frozen=True, slots=True)
class _Value:
    """The value of a measure, without model and part."""

    measure: str
    value: float | None
    n: int
    note: str | None
    ends: Ends = (None, None)


PROPERTIES = ("id", "label", "stance_design", "stereotype", "names_group")
"""The columns of plain items that `measure` needs."""


def measure(
    items: pa.Table, scores: Iterable[pa.Table], by: Literal["domain", "stereotype"] | None = None
) -> pa.Table:
    """Return every measure of every model in ``scores`` over ``items``: a row per model × part × measure.

    ``items`` has the columns `PROPERTIES`, that of ``by`` and, if they are known, ``verdict``,
    ``stance_judged`` and ``counterpart_id``; ``scores`` are tables as `labels_by_model` reads them. With
    ``by`` each value of that column is measured separately. The result has the columns of `MeasureRow`,
    ordered by role, model, part, measure; the same rows in another order give the same table. Raises
    MissingStage if a score is missing, ArtifactError if scores or counterparts are inconsistent.
    """
    parts = texts(items[by]) if by else np.full(items.num_rows, "all")
    clusters = ItemClusters.of("stereotypes", items["stereotype"], items["id"])
    properties = _Items(
        texts(items["label"]), stances(items), population(items), pairs(items), parts, clusters
    )
    names = sorted(set(parts.tolist())) if by else ["all"]
    models = labels_by_model(items, scores)
    # Part by part, since all models have the same draws there.
    found = {(m.model, part): list(_rows(m, properties, part)) for part in names for m in models}
    return table_of((row for m in models for part in names for row in found[m.model, part]), MeasureRow)


def _rows(model: ModelLabels, items: _Items, part: str) -> Iterator[MeasureRow]:
    for found in (*_plain(model, items, part), *_paired(model, items, part)):
        yield MeasureRow(
            model=model.model,
            role=model.role,
            part=part,
            measure=found.measure,
            value=found.value,
            low=found.ends[0],
            high=found.ends[1],
            n=found.n,
            note=found.note,
        )


def _plain(model: ModelLabels, items: _Items, part: str) -> Iterator[_Value]:
    bias = items.within(items.groups.bias, part)
    predictions = model.labels
    labels, stance = predictions[bias], items.stance[bias]
    known = onto_two(items.right) if model.two_way else items.right
    right = accuracy(labels, known[bias])
    ends = share_ends(labels == known[bias], items.clusters.of_rows(bias))
    yield _Value("accuracy", right.value, right.n, right.note or _exclusions(items, part), ends)
    controls = items.within(items.groups.controls, part)
    right = accuracy(predictions[controls], known[controls])
    ends = share_ends(predictions[controls] == known[controls], items.clusters.of_rows(controls))
    yield _Value("accuracy_controls", right.value, right.n, right.note, ends)
    if model.two_way:
        yield from _not_computed(("aggregate", "pro", "anti"), model, len(bias))
        return
    score = aggregate(labels, stance)
    yield _Value("aggregate", score.value, score.n, score.note)
    shares = pro_anti(labels, stance)
    yield _Value("pro", shares.pro, shares.n, shares.note)
    yield _Value("anti", shares.anti, shares.n, shares.note)


def _paired(model: ModelLabels, items: _Items, part: str) -> Iterator[_Value]:
    here = items.parts[items.pairs.stereotype] == part
    first, second = items.pairs.stereotype[here], items.pairs.counterpart[here]
    if model.two_way:
        yield from _not_computed(PAIRED, model, len(first) + len(second))
        return
    predictions = model.labels
    found = counterfactual(predictions[first], predictions[second])
    unpaired = len(items.within(items.groups.bias, part)) - found.n
    note = found.note or (f"left out: {unpaired} items in no pair" if unpaired else None)
    yield _Value("counterfactual_pro", found.pro, found.n, note)
    yield _Value("counterfactual_anti", found.anti, found.n, note)
    yield _Value("counterfactual_error", found.error, found.n, note)
    yield _Value("counterfactual_misprediction", found.misprediction, found.n, note)


def _not_computed(names: Sequence[str], model: ModelLabels, n: int) -> Iterator[_Value]:
    for name in names:
        yield _Value(name, None, n, f"{NEEDS_CONTRADICTION}, and {model.model} has two labels")


def _exclusions(items: _Items, part: str) -> str | None:
    no_group = len(items.within(items.groups.no_group, part))
    not_valid = len(items.within(items.groups.not_valid, part))
    reasons = [f"{no_group} that name no group"] if no_group else []
    reasons += [f"{not_valid} that were not judged valid"] if not_valid else []
    return "left out: " + ", ".join(reasons) if reasons else None
