"""The predicted labels of each model, aligned with the ids of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.auditing.measures.item_measures import NAMES, Codes
from nextset.errors import ArtifactError, MissingStage, examples
from nextset.scoring.predicted_labels import Labels, predicted

__all__ = ["ROLES", "LabelTable", "ModelLabels", "id_bytes", "labels_by_model", "without_score"]

ROLES = ("filter", "held_out", "audit")
"""The roles of models, in the order of tables. A filter model is shown as a filter model in every table."""
UNKNOWN = -1
"""The code of an item that the model was not asked about."""

Ids = npt.NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """The predicted labels of one model."""

    model: str
    """The model's published name."""
    role: str
    """filter, held_out or audit: the first of these roles that the model was asked in."""
    revision: str
    """Digest of the model's weights."""
    codes: Codes
    """The label of each item, in the items' order: its place in
    `nextset.auditing.measures.item_measures.NAMES`."""
    two_way: bool
    """True if the model has two labels: entailment and not entailment."""

    @property
    def labels(self) -> Labels:
        """One label per item, in the items' order."""
        names: Labels = np.array(NAMES)[self.codes]
        return names


@dataclass
class _Asked:
    """The facts that scores give about one model."""

    revisions: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    two_way: bool = False
    missing: int = 0
    example: str = ""


@dataclass
class LabelTable:
    """Scores turned into labels, piece by piece, and the facts about the models that gave them."""

    models: dict[str, _Asked] = field(default_factory=dict)
    """The facts about each model, in the order of their first scores."""

    def labels(self, scores: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield each piece of ``scores`` as the columns item_id, model (its place in `models`) and label."""
        for piece in scores:
            named = pc.cast(piece["model"], pa.string()).combine_chunks().dictionary_encode()
            names = named.dictionary.to_pylist()
            for i, name in enumerate(names):
                state = self.models.setdefault(name, _Asked())
                rows = piece.filter(pc.equal(named.indices, i)) if len(names) > 1 else piece
                state.revisions.update(pc.unique(rows["revision"]).to_pylist())
                state.roles.update(pc.unique(rows["role"]).to_pylist())
                state.two_way = state.two_way or rows["neutral"].null_count > 0
            known = list(self.models)
            places = np.array([known.index(name) for name in names], np.int16)
            model = places[np.asarray(named.indices)] if len(names) else np.empty(0, np.int16)
            yield pa.table({"item_id": piece["item_id"], "model": model, "label": _codes(predicted(piece))})

    def aligned(self, ids: Ids, labels: Iterable[pa.Table]) -> list[Codes]:
        """Return the label of each of ``ids`` by each of `models`, shape (ids,); `UNKNOWN` if there is none.

        ``labels`` are pieces from the method `labels`. If a model labelled an item twice, for example for the
        filter and for the audit, the first label counts.
        """
        unique, places = np.unique(ids, return_inverse=True)
        by_model: list[Codes] = []
        for piece in labels:
            there = _find(piece["item_id"], unique)
            models = piece["model"].to_numpy()[there.rows]
            codes = piece["label"].to_numpy()[there.rows]
            by_model += [
                np.full(unique.size, UNKNOWN, np.int8) for _ in range(len(self.models) - len(by_model))
            ]
            for model in np.unique(models).tolist():
                at, own_codes = there.places[models == model], codes[models == model]
                new = by_model[model][at] == UNKNOWN
                # of two rows with the same id the last one assigned wins, so the first row is assigned last
                by_model[model][at[new][::-1]] = own_codes[new][::-1]
        by_model += [np.full(unique.size, UNKNOWN, np.int8) for _ in range(len(self.models) - len(by_model))]
        return [codes[places] for codes in by_model]

    def note_missing(self, ids: Ids, aligned: Iterable[Codes]) -> None:
        """Remember how many of ``ids`` each model was not asked about."""
        for state, codes in zip(self.models.values(), aligned, strict=True):
            missing = np.flatnonzero(codes == UNKNOWN)
            if missing.size and not state.missing:
                state.example = ids[missing[0]].decode()
            state.missing += missing.size

    def check(self, items: int) -> None:
        """Raise MissingStage if a model lacks an item's score, ArtifactError if two revisions are mixed."""
        for model, state in self.models.items():
            revisions = sorted(state.revisions)
            if len(revisions) > 1:
                raise ArtifactError(
                    f"scores of two revisions of {model} are mixed: {examples(revisions)}",
                    remedy="score again with one revision",
                )
            if state.missing:
                raise MissingStage(
                    f"{model} has no score for {state.missing:,} of {items:,} items, such as {state.example}",
                    remedy="run `nextset audit STUDY` again to score them",
                )

    def role(self, model: str) -> str:
        """Return the first role of ``model``, in the order of `ROLES`."""
        return min(self.models[model].roles, key=ROLES.index)

    def order(self) -> list[str]:
        """Return the models' names by role and name."""
        return sorted(self.models, key=lambda model: (ROLES.index(self.role(model)), model))


def labels_by_model(items: pa.Table, scores: Iterable[pa.Table]) -> list[ModelLabels]:
    """Return the labels of every model in ``scores``, by role and name; scores of other items are ignored.

    ``scores`` are tables of some columns of `NliScore`: item_id, model, revision, role and the labels. If a
    model scored an item twice, for example for the filter and for the audit, the first row counts. Raises
    MissingStage if a model lacks an item's score, ArtifactError if two revisions of a model are mixed.
    """
    table, ids = LabelTable(), id_bytes(items["id"])
    codes = table.aligned(ids, table.labels(scores))
    table.note_missing(ids, codes)
    table.check(items.num_rows)
    by_name = dict(zip(table.models, codes, strict=True))
    return [
        ModelLabels(m, table.role(m), min(table.models[m].revisions), by_name[m], table.models[m].two_way)
        for m in table.order()
    ]


def without_score(items: pa.Table, scores: Iterable[pa.Table]) -> pa.Table:
    """Return the rows of ``items`` that no model scored."""
    ids, places = np.unique(id_bytes(items["id"]), return_inverse=True)
    scored = np.zeros(ids.size, np.bool_)
    for piece in scores:
        scored[_find(piece["item_id"], ids).places] = True
    return items.filter(pa.array(~scored[places]))


def id_bytes(ids: pa.ChunkedArray) -> Ids:
    """Return a column of ids as an array of bytes."""
    chunks = [np.array(chunk.cast(pa.binary()).to_pylist(), np.bytes_) for chunk in ids.chunks]
    return np.concatenate([np.empty(0, np.bytes_), *chunks])


@dataclass(frozen=True, slots=True)
class _Found:
    """Some rows, and the places of their ids among sorted ids; both have the same shape."""

    rows: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]


def _find(column: pa.ChunkedArray, ids: Ids) -> _Found:
    wanted = id_bytes(column)
    places = np.searchsorted(ids, wanted)
    rows = np.flatnonzero(places < ids.size)
    rows = rows[ids[places[rows]] == wanted[rows]]
    return _Found(rows, places[rows])


def _codes(labels: Labels) -> Codes:
    codes = np.zeros(labels.size, np.int8)
    for place, name in enumerate(NAMES):
        codes[labels == name] = place
    return codes
