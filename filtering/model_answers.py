"""What models answered, as numbers lined up with the candidates: a row a model, a column a candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.errors import ArtifactError
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.near_ties import margins
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.subjects.quad_bias import answers_differ, comparative

__all__ = [
    "ITEM_COLUMNS",
    "QUAD_COLUMNS",
    "Answers",
    "Bools",
    "ItemAnswers",
    "QuadAnswers",
    "complete_answers",
    "item_answers",
    "quad_answers",
]

Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

ITEM_COLUMNS = ("item_id", "model", *LABELS)
"""What `item_answers` needs of a table of scores."""
QUAD_COLUMNS = (
    *("item_id", "model"),
    *(f"subject{s}_{o}{n}" for s in (1, 2) for o in ("12", "21") for n in ("", "_negated")),
)
"""What `quad_answers` needs of a table of scores."""


@dataclass(frozen=True)
class ItemAnswers:
    """What models say of NLI items."""

    models: tuple[str, ...]
    """The models."""
    right: Codes
    """The right label of each item."""
    labels: Codes
    """The most probable label, its place in `LABELS`; the place behind them is not_entailment."""
    margins: Floats
    """Between the two most probable labels; for a model with two labels, |2p − 1|."""
    two_labels: Bools
    """Whether a model tells entailment from the rest and no more, shape (models,)."""
    asked: Bools
    """Whether the model was asked: a cascade stops asking when an item is decided."""

    @property
    def wrong(self) -> Bools:
        """Whether a model that was asked is wrong; one with two labels can only be wrong about entailment."""
        about_entailment = (self.labels == 0) != (self.right == 0)
        wrong = np.where(self.two_labels[:, None], about_entailment, self.labels != self.right)
        return np.asarray(wrong & self.asked)

    def only(self, places: Sequence[int]) -> ItemAnswers:
        """The answers of the models at ``places``."""
        rows = list(places)
        numbers = (self.labels[rows], self.margins[rows], self.two_labels[rows], self.asked[rows])
        return ItemAnswers(tuple(self.models[m] for m in rows), self.right, *numbers)


@dataclass(frozen=True)
class QuadAnswers:
    """What models say of quads or statements."""

    models: tuple[str, ...]
    """The models."""
    c: Floats
    """C of the first subject against the second (UnQover, equation 6)."""
    differs: Bools
    """Whether the answer depends on which subject comes first."""
    asked: Bools
    """Whether the model was asked."""

    def only(self, places: Sequence[int]) -> QuadAnswers:
        """The answers of the models at ``places``."""
        rows = list(places)
        models = tuple(self.models[m] for m in rows)
        return QuadAnswers(models, self.c[rows], self.differs[rows], self.asked[rows])


Answers = ItemAnswers | QuadAnswers


def complete_answers(answers: Answers) -> Answers:
    """The answers of the models that were asked about every candidate.

    What a cascade asks a later model about are the items that earlier ones left open: a share of these, or
    what several models have in common there, says nothing of the model.
    """
    return answers.only(np.flatnonzero(answers.asked.all(axis=1)).tolist())


def item_answers(
    ids: pa.ChunkedArray, right: pa.ChunkedArray, scores: Iterable[pa.Table], models: Sequence[str]
) -> ItemAnswers:
    """The answers of ``models`` to the items with ``ids`` and the labels ``right``.

    ``scores`` are rows of `nextset.records.nli_items.NliScore` in pieces, of any items. Raises ArtifactError
    if a probability is not a number.
    """
    found = _lined_up(ids, scores, models, _labels)
    places = pc.index_in(right, pa.array(LABELS))
    return ItemAnswers(
        tuple(models),
        np.asarray(places).astype(np.int8),
        found.numbers["labels"],
        found.numbers["margins"],
        np.asarray(found.numbers["two"].any(axis=1)),
        found.asked,
    )


def quad_answers(ids: pa.ChunkedArray, scores: Iterable[pa.Table], models: Sequence[str]) -> QuadAnswers:
    """The answers of ``models`` to the quads or statements with ``ids``; ``scores`` are `QuadScore` rows."""
    found = _lined_up(ids, scores, models, _bias)
    return QuadAnswers(tuple(models), found.numbers["c"], found.numbers["differs"], found.asked)


@dataclass(frozen=True)
class _LinedUp:
    numbers: Mapping[str, npt.NDArray[Any]]
    asked: Bools


Columns = dict[str, npt.NDArray[Any]]


def _lined_up(
    ids: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    read: Callable[[pa.Table], Columns],
) -> _LinedUp:
    """What ``read`` makes of each model's scores, in the order of ``ids``; 0 where there is no score."""
    met: dict[str, list[tuple[pa.ChunkedArray, Columns]]] = {model: [] for model in models}
    kinds = {name: values.dtype for name, values in read(_nothing()).items()}
    for piece in scores:
        for model in set(pc.unique(piece["model"]).to_pylist()) & met.keys():
            rows = piece.filter(pc.equal(piece["model"], model))
            met[model].append((rows["item_id"], read(rows)))
    numbers = {name: np.zeros((len(models), len(ids)), kind) for name, kind in kinds.items()}
    asked = np.zeros((len(models), len(ids)), np.bool_)
    for m, pieces in enumerate(met.values()):
        chunks = [chunk for scored, _ in pieces for chunk in scored.chunks]
        where = pc.index_in(ids, pa.chunked_array(chunks, pa.string()))
        asked[m] = np.asarray(pc.is_valid(where))
        places = np.asarray(pc.fill_null(where, 0))[asked[m]]
        for name, kind in kinds.items():
            values = np.concatenate([np.zeros(0, kind), *(columns[name] for _, columns in pieces)])
            numbers[name][m, asked[m]] = values[places]
        pieces.clear()
    return _LinedUp(numbers, asked)


def _nothing() -> pa.Table:
    names = dict.fromkeys([*ITEM_COLUMNS, *QUAD_COLUMNS])
    text = ("item_id", "model")
    return pa.table({n: pa.array([], pa.string() if n in text else pa.float64()) for n in names})


def _labels(scores: pa.Table) -> Columns:
    said = predicted(scores)
    labels = np.zeros(said.size, np.int8)
    for place, name in enumerate((*LABELS, NOT_ENTAILMENT)):
        labels[said == name] = place
    two = np.asarray(pc.is_null(scores["neutral"]))
    return {"labels": labels, "margins": margins(scores), "two": two}


def _bias(scores: pa.Table) -> Columns:
    c = comparative(scores).c
    if not np.isfinite(c).all():
        row = scores.slice(int(np.flatnonzero(~np.isfinite(c))[0]), 1)
        raise ArtifactError(
            f"the score of {row['item_id'][0].as_py()} by {row['model'][0].as_py()} is not a number",
            remedy="score again with this model in float32",
        )
    return {"c": c, "differs": answers_differ(scores)}
