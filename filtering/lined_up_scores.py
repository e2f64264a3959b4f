"""Scores of models in the order of the candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Bools

__all__ = ["Columns", "LinedUp", "lined_up"]


@dataclass(frozen=True)
class LinedUp:
    """Numbers of models in the order of the candidates."""

    numbers: Mapping[str, npt.NDArray[Any]]
    """By name, each of shape (models, candidates); 0 if the model was not asked."""
    asked: Bools
    """True if the model has a score, shape (models, candidates)."""


Columns = dict[str, npt.NDArray[Any]]
"""Numbers by name, each of shape (rows,)."""


def lined_up(
    ids: pa.ChunkedArray,
    scores: Iterable[pa.Table],
    models: Sequence[str],
    read: Callable[[pa.Table], Columns],
    columns: Sequence[str],
) -> LinedUp:
    """Return the result of ``read`` on each model's scores, in the order of ``ids``; 0 if without a score.

    ``columns`` are those that ``read`` needs.
    """
    met: dict[str, list[tuple[pa.ChunkedArray, Columns]]] = {model: [] for model in models}
    kinds = {name: values.dtype for name, values in read(_nothing(columns)).items()}
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
    return LinedUp(numbers, asked)


def _nothing(columns: Sequence[str]) -> pa.Table:
    text = ("item_id", "model")
    return pa.table({n: pa.array([], pa.string() if n in text else pa.float64()) for n in columns})
