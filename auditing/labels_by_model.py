"""The predicted labels of each model, aligned with a table of items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import ArtifactError, MissingStage, examples
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.predicted_labels import Labels, predicted

__all__ = ["ROLES", "ModelLabels", "labels_by_model", "without_score"]

ROLES = ("filter", "held_out", "audit")
"""The order in which models are shown. A model that filtered is a filter model in every table."""
_NAMES = (*LABELS, NOT_ENTAILMENT)
Codes = npt.NDArray[np.int8]
Ids = npt.NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """The predicted labels of one model."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit: the first of these in which it was asked."""
    revision: str
    """Digest of the model's weights."""
    codes: Codes
    """The label of each item, in the items' order, as its place among entailment, neutral, contradiction and
    not_entailment."""
    two_way: bool
    """Whether the model has two labels: entailment and not entailment."""

    @property
    def labels(self) -> Labels:
        """One label per item, in the items' order."""
        found: Labels = np.array(_NAMES)[self.codes]
        return found


def labels_by_model(items: pa.Table, scores: Iterable[pa.Table]) -> list[ModelLabels]:
    """Return the labels of every model in ``scores``, by role and name; scores of other items are ignored.

    ``scores`` are tables of some columns of `NliScore`: item_id, model, revision, role and the labels. If a
    model scored an item twice, such as for the filter and for the audit, the first row counts. Raises
    MissingStage if a model lacks an item's score, ArtifactError if two revisions of a model are mixed.
    """
    ids, places = np.unique(_bytes(items["id"]), return_inverse=True)
    found: dict[str, _Answers] = {}
    for piece in scores:
        for model in pc.unique(piece["model"]).to_pylist():
            answers = found.setdefault(model, _Answers(np.full(ids.size, _UNKNOWN, np.int8)))
            answers.add(piece.filter(pc.equal(piece["model"], model)), ids)
    by_model = [answers.of_model(model, ids, places) for model, answers in found.items()]
    return sorted(by_model, key=lambda a: (ROLES.index(a.role), a.model))


def without_score(items: pa.Table, scores: Iterable[pa.Table]) -> pa.Table:
    """Return the rows of ``items`` that no model scored."""
    ids, places = np.unique(_bytes(items["id"]), return_inverse=True)
    scored = np.zeros(ids.size, np.bool_)
    for piece in scores:
        scored[_find(piece["item_id"], ids).places] = True
    return items.filter(pa.array(~scored[places]))


_UNKNOWN = -1


@dataclass
class _Answers:
    """What is known of a model after some of its scores."""

    codes: Codes
    """A label for each of the sorted ids."""
    revisions: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    two_way: bool = False

    def add(self, scores: pa.Table, ids: Ids) -> None:
        """Take over labels of items that have none yet."""
        self.revisions.update(pc.unique(scores["revision"]).to_pylist())
        self.roles.update(pc.unique(scores["role"]).to_pylist())
        self.two_way = self.two_way or scores["neutral"].null_count > 0
        codes, found = _codes(predicted(scores)), _find(scores["item_id"], ids)
        new = self.codes[found.places] == _UNKNOWN
        # of two rows with one id the one that is assigned last stays, so the first goes last
        self.codes[found.places[new][::-1]] = codes[found.rows[new][::-1]]

    def of_model(self, model: str, ids: Ids, places: npt.NDArray[np.intp]) -> ModelLabels:
        """The model's labels; raises MissingStage or ArtifactError."""
        revisions = sorted(self.revisions)
        if len(revisions) > 1:
            raise ArtifactError(
                f"scores of two revisions of {model} are mixed: {examples(revisions)}",
                remedy="score again with one revision",
            )
        codes = self.codes[places]
        missing = np.flatnonzero(codes == _UNKNOWN)
        if missing.size:
            example = ids[places[missing[0]]].decode()
            raise MissingStage(
                f"{model} has no score for {missing.size} of {codes.size} items, such as {example}",
                remedy="run `nextset audit STUDY` again to score them",
            )
        return ModelLabels(model, min(self.roles, key=ROLES.index), revisions[0], codes, self.two_way)


@dataclass(frozen=True, slots=True)
class _Found:
    """Some rows, and the places of their ids among sorted ids; both have the same shape."""

    rows: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]


def _find(column: pa.ChunkedArray, ids: Ids) -> _Found:
    wanted = _bytes(column)
    places = np.searchsorted(ids, wanted)
    rows = np.flatnonzero(places < ids.size)
    rows = rows[ids[places[rows]] == wanted[rows]]
    return _Found(rows, places[rows])


def _bytes(ids: pa.ChunkedArray) -> Ids:
    chunks = [np.array(chunk.cast(pa.binary()).to_pylist(), np.bytes_) for chunk in ids.chunks]
    return np.concatenate([np.empty(0, np.bytes_), *chunks])


def _codes(labels: Labels) -> Codes:
    codes = np.zeros(labels.size, np.int8)
    for place, name in enumerate(_NAMES):
        codes[labels == name] = place
    return codes
