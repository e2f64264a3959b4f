"""A few released items and what each model said of them; the models' names, roles and revisions."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from nextset.auditing.labels_by_model import answers
from nextset.auditing.population import population, stances

__all__ = ["AuditedModel", "Example", "examples", "models"]


@dataclass(frozen=True, slots=True)
class AuditedModel:
    """A model that answered."""

    model: str
    """The model as the study names it."""
    role: str
    """filter, held_out or audit."""
    revision: str
    """Digest of the model's weights."""


@dataclass(frozen=True, slots=True)
class Example:
    """A released item with the models' answers."""

    domain: str
    """The domain."""
    stance: str
    """pro or anti."""
    premise: str
    """The premise."""
    hypothesis: str
    """The hypothesis."""
    said: tuple[tuple[str, str], ...]
    """Each model and its predicted label, in the order of the tables."""


def models(items: pa.Table, scores: pa.Table) -> tuple[AuditedModel, ...]:
    """The models that answered ``items``, ordered by role and name. Raises as `answers` does."""
    return tuple(AuditedModel(a.model, a.role, a.revision) for a in answers(items, scores))


def examples(dataset: pa.Table, scores: pa.Table, per_domain: int = 3) -> tuple[Example, ...]:
    """The first items of each domain by id, among those that measure bias: the same in every run.

    Raises as `answers` does.
    """
    said, stance = answers(dataset, scores), stances(dataset)
    columns = {name: dataset[name].to_pylist() for name in ("id", "domain", "premise", "hypothesis")}
    rows = sorted(population(dataset).bias.tolist(), key=lambda i: (columns["domain"][i], columns["id"][i]))
    taken: dict[str, list[int]] = {}
    for i in rows:
        here = taken.setdefault(columns["domain"][i], [])
        if len(here) < per_domain:
            here.append(i)
    return tuple(
        Example(
            domain,
            str(stance[i]),
            columns["premise"][i],
            columns["hypothesis"][i],
            tuple((a.model, str(a.labels[i])) for a in said),
        )
        for domain, found in taken.items()
        for i in found
    )
