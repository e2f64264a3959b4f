"""Example items for the report with each model's label, and the list of audited models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.nli.labels_by_model import labels_by_model
from nextset.auditing.nli.population import population, stances

__all__ = ["AuditedModel", "Example", "examples", "models"]


@dataclass(frozen=True, slots=True)
class AuditedModel:
    """A model that was measured."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit."""
    revision: str
    """Digest of the model's weights."""


@dataclass(frozen=True, slots=True)
class Example:
    """A released item with the models' labels."""

    domain: str
    """The domain."""
    stance: str
    """pro or anti."""
    premise: str
    """The premise."""
    hypothesis: str
    """The hypothesis."""
    predictions: tuple[tuple[str, str], ...]
    """Each model and its predicted label, in the order of the tables."""


def models(items: pa.Table, scores: Iterable[pa.Table]) -> tuple[AuditedModel, ...]:
    """Return the models with scores of ``items``, ordered by role and name; raises like `labels_by_model`."""
    return tuple(AuditedModel(a.model, a.role, a.revision) for a in labels_by_model(items, scores))


def examples(dataset: pa.Table, scores: Iterable[pa.Table], per_domain: int = 3) -> tuple[Example, ...]:
    """Return the first items of each domain by id, among those that measure bias: the same in every run.

    Raises like `labels_by_model`.
    """
    by_model, stance = labels_by_model(dataset, scores), stances(dataset)
    columns = {name: dataset[name].to_pylist() for name in ("id", "domain", "premise", "hypothesis")}
    rows = sorted(population(dataset).bias.tolist(), key=lambda i: (columns["domain"][i], columns["id"][i]))
    by_domain: dict[str, list[int]] = {}
    for i in rows:
        here = by_domain.setdefault(columns["domain"][i], [])
        if len(here) < per_domain:
            here.append(i)
    predictions = [(a.model, a.labels) for a in by_model]
    return tuple(
        Example(
            domain,
            str(stance[i]),
            columns["premise"][i],
            columns["hypothesis"][i],
            tuple((model, str(labels[i])) for model, labels in predictions),
        )
        for domain, found in by_domain.items()
        for i in found
    )
