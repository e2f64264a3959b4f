"""The predicted labels of each model, aligned with the ids of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.auditing.measures.item_measures import NAMES, Codes
from nextset.errors import ArtifactError, MissingStage, examples
from nextset.records.prompt_outcomes import OUTCOMES, shows_outcomes
from nextset.scoring.outcome_shares import outcome_matrix
from nextset.scoring.predicted_labels import UNANSWERED, Labels, predicted

__all__ = [
    "NO_LABEL",
    "ROLES",
    "AlignedAnswers",
    "LabelTable",
    "ModelLabels",
    "id_bytes",
    "labels_by_model",
    "without_score",
]

ROLES = ("filter", "held_out", "audit")
"""The roles of models, in the order of tables. A filter model is shown as a filter model in every table."""
UNKNOWN = -1
"""The code of an item that the model was not asked about."""

NO_LABEL = len(NAMES)
"""The code of an item that the model was asked about and did not answer."""

Ids = npt.NDArray[np.bytes_]
Mixtures = npt.NDArray[np.int32]
_CODED = (*NAMES, UNANSWERED)
_ANSWERED = (0.0,) * len(OUTCOMES)


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
    `nextset.auditing.measures.item_measures.NAMES`, or `NO_LABEL`."""
    two_way: bool
    """True if the model has two labels: entailment and not entailment."""

    @property
    def labels(self) -> Labels:
        """One label per item, in the items' order."""
        names: Labels = np.array(_CODED)[self.codes]
        return names


@dataclass
class _Asked:
    """The facts that scores give about one model."""

    revisions: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    two_way: bool = False
    outcomes: bool = False
    """True if the model did not answer a prompt with a choice."""
    shows_outcomes: bool = False
    """True if tables have the rates of such prompts (`nextset.records.prompt_outcomes.shows_outcomes`)."""
    missing: int = 0
    example: str = ""


@dataclass
class AlignedAnswers:
    """The answers of one model to some items."""

    codes: Codes
    """The label of each item, shape (items,); `UNKNOWN` if there is none, `NO_LABEL` if it was not
    answered."""
    mixtures: Mixtures | None = None
    """The shares of each item's prompts without a choice, as a place in `LabelTable.mixtures`; None if the
    model answered every prompt."""

    def taken(self, places: npt.NDArray[np.intp]) -> AlignedAnswers:
        """Return the answers at ``places``."""
        return AlignedAnswers(self.codes[places], None if self.mixtures is None else self.mixtures[places])

    def add(self, at: npt.NDArray[np.intp], codes: Codes, mixtures: Mixtures) -> None:
        """Set the answers at the places ``at`` that have none; of two rows for one place, the first
        counts."""
        # of two rows with the same place the last one assigned wins, so the first row is assigned last
        new = np.flatnonzero(self.codes[at] == UNKNOWN)[::-1]
        self.codes[at[new]] = codes[new]
        if self.mixtures is None and mixtures[new].any():
            self.mixtures = np.zeros(self.codes.size, np.int32)
        if self.mixtures is not None:
            self.mixtures[at[new]] = mixtures[new]


@dataclass
class LabelTable:
    """Scores turned into labels, piece by piece, and the facts about the models that gave them."""

    models: dict[str, _Asked] = field(default_factory=dict)
    """The facts about each model, in the order of their first scores."""
    mixtures: dict[tuple[float, ...], int] = field(default_factory=lambda: {_ANSWERED: 0})
    """The different shares of `OUTCOMES` that rows have, with their places: few, since shares are of few
    answers. So a row takes four bytes."""

    @property
    def outcome_shares(self) -> Floats:
        """The shares of `OUTCOMES` by their places, shape (mixtures, outcomes)."""
        return np.array(list(self.mixtures), np.float64)

    def labels(self, scores: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield each piece of ``scores`` as the columns item_id, model (its place in `models`), label and
        mixture (its place in `mixtures`)."""
        for piece in scores:
            named = pc.cast(piece["model"], pa.string()).combine_chunks().dictionary_encode()
            names = named.dictionary.to_pylist()
            for i, name in enumerate(names):
                state = self.models.setdefault(name, _Asked())
                rows = piece.filter(pc.equal(named.indices, i)) if len(names) > 1 else piece
                state.revisions.update(pc.unique(rows["revision"]).to_pylist())
                state.roles.update(pc.unique(rows["role"]).to_pylist())
                state.two_way = state.two_way or rows["neutral"].null_count > 0
                state.shows_outcomes = state.shows_outcomes or shows_outcomes(rows)
            known = list(self.models)
            places = np.array([known.index(name) for name in names], np.int16)
            model = places[np.asarray(named.indices)] if len(names) else np.empty(0, np.int16)
            mixture = self._mixtures_of(piece)
            for place in np.unique(model[mixture > 0]).tolist():
                self.models[known[place]].outcomes = True
            yield pa.table(
                {
                    "item_id": piece["item_id"],
                    "model": model,
                    "label": _codes(predicted(piece)),
                    "mixture": mixture,
                }
            )

    def _mixtures_of(self, piece: pa.Table) -> Mixtures:
        """Return the place of each row's shares of `OUTCOMES`, and add new shares."""
        mixture = np.zeros(piece.num_rows, np.int32)
        matrix = outcome_matrix(piece)
        rows = np.flatnonzero(matrix.any(axis=1))
        if rows.size:
            shares, places = np.unique(matrix[rows], axis=0, return_inverse=True)
            known = [self.mixtures.setdefault(tuple(row), len(self.mixtures)) for row in shares.tolist()]
            mixture[rows] = np.array(known, np.int32)[places.reshape(-1)]
        return mixture

    def aligned(self, ids: Ids, labels: Iterable[pa.Table]) -> list[AlignedAnswers]:
        """Return the answers of each of `models` to ``ids``.

        ``labels`` are pieces from the method `labels`. If a model labelled an item twice, for example for the
        filter and for the audit, the first label counts.
        """
        unique, places = np.unique(ids, return_inverse=True)
        by_model: list[AlignedAnswers] = []

        def add_models() -> None:
            for _ in range(len(self.models) - len(by_model)):
                by_model.append(AlignedAnswers(np.full(unique.size, UNKNOWN, np.int8)))

        for piece in labels:
            there = _find(piece["item_id"], unique)
            models = piece["model"].to_numpy()[there.rows]
            codes = piece["label"].to_numpy()[there.rows]
            mixtures = piece["mixture"].to_numpy()[there.rows]
            add_models()
            for model in np.unique(models).tolist():
                own = models == model
                by_model[model].add(there.places[own], codes[own], mixtures[own])
        add_models()
        return [answers.taken(places) for answers in by_model]

    def note_missing(self, ids: Ids, aligned: Iterable[AlignedAnswers]) -> None:
        """Remember how many of ``ids`` each model was not asked about."""
        for state, answers in zip(self.models.values(), aligned, strict=True):
            missing = np.flatnonzero(answers.codes == UNKNOWN)
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
    aligned = table.aligned(ids, table.labels(scores))
    table.note_missing(ids, aligned)
    table.check(items.num_rows)
    by_name = dict(zip(table.models, aligned, strict=True))
    return [
        ModelLabels(
            m, table.role(m), min(table.models[m].revisions), by_name[m].codes, table.models[m].two_way
        )
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
    for place, name in enumerate(_CODED):
        codes[labels == name] = place
    return codes
