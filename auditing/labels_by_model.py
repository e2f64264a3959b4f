"""The predicted labels of each model, aligned with a table of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from nextset.errors import ArtifactError, MissingStage
from nextset.scoring.predicted_labels import Labels, predicted

__all__ = ["ROLES", "ModelLabels", "labels_by_model"]

ROLES = ("filter", "held_out", "audit")
"""The order in which models are shown. A model that filtered is a filter model in every table."""


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """The predicted labels of one model."""

    model: str
    """The model as the study names it."""
    role: str
    """filter, held_out or audit: the first of these in which it was asked."""
    revision: str
    """Digest of the model's weights."""
    labels: Labels
    """One label per item, in the items' order."""
    two_way: bool
    """Whether the model has two labels: entailment and not entailment."""


def labels_by_model(items: pa.Table, scores: pa.Table) -> list[ModelLabels]:
    """Return the labels of every model in ``scores``, by role and name; scores of other items are ignored.

    If a model scored an item twice, such as for the filter and for the audit, the first row counts. Raises
    MissingStage if a model lacks an item's score, ArtifactError if two revisions of a model are mixed.
    """
    ids = np.array(items["id"].to_pylist(), dtype=np.str_)
    names = np.array(scores["model"].to_pylist(), dtype=np.str_)
    found = [_of_model(str(name), scores.filter(pa.array(names == name)), ids) for name in np.unique(names)]
    return sorted(found, key=lambda a: (ROLES.index(a.role), a.model))


def _of_model(model: str, scores: pa.Table, ids: Labels) -> ModelLabels:
    revisions = sorted(set(scores["revision"].to_pylist()))
    if len(revisions) > 1:
        raise ArtifactError(
            f"scores of two revisions of {model} are mixed: {', '.join(revisions)}",
            remedy="score again with one revision",
        )
    row: dict[str, int] = {}
    for i, item in enumerate(scores["item_id"].to_pylist()):
        row.setdefault(item, i)
    missing = [item for item in ids.tolist() if item not in row]
    if missing:
        raise MissingStage(
            f"{model} has no score for {len(missing)} of {len(ids)} items, such as {missing[0]}",
            remedy="run `nextset audit STUDY` again to score them",
        )
    role = min(set(scores["role"].to_pylist()), key=ROLES.index)
    rows = np.array([row[item] for item in ids.tolist()], dtype=np.intp)
    two_way = scores["neutral"].null_count > 0
    return ModelLabels(model, role, revisions[0], predicted(scores)[rows], two_way)
