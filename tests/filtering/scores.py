"""Small tables of candidates and scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nextset.filtering.item_answers import ItemAnswers, item_answers
from nextset.filtering.quad_answers import QuadAnswers, quad_answers
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS, NliScore
from nextset.records.question_quads import QuadScore
from nextset.scoring.wrong_answers import Missing

__all__ = [
    "CERTAIN",
    "SILENT",
    "answers",
    "column",
    "nli_scores",
    "quad_answers_of",
    "quad_scores",
    "wrong_or_right",
]

CERTAIN = {label: tuple(float(label == other) for other in LABELS) for label in LABELS}
"""Probabilities of a model that is certain of a label."""

SILENT = (0.0, 0.0, 0.0)
"""Probabilities of a model that refused every prompt of an item."""
_ANSWERED = {"abstained": 0.0, "refused": 0.0, "unreadable": 0.0, "cut_off": 0.0, "votes": False}

Said = tuple[float, ...]
"""Probabilities of the three labels, or of entailment alone for a model with two labels."""


def column(values: Sequence[Any]) -> pa.ChunkedArray:
    """A column of texts."""
    return pa.chunked_array([pa.array(values, pa.string())])


def nli_scores(model: str, said: Mapping[str, Said]) -> pa.Table:
    """`NliScore` rows of one model, by item."""
    same = {"model": model, "revision": "r", "role": "filter", "precision": "float32", "mode": "canonical"}
    rows = [
        {
            **same,
            **_ANSWERED,
            "item_id": id_,
            "truncated": False,
            "refused": float(p == SILENT),
            **dict(zip(LABELS, (*p, None, None), strict=False)),
        }
        for id_, p in said.items()
    ]
    return pa.Table.from_pylist(rows, schema=arrow_schema(NliScore))


def answers(
    said: Mapping[str, Sequence[Said | None]],
    right: Sequence[str] | None = None,
    missing: Missing = "not_wrong",
) -> ItemAnswers:
    """The answers of models to items i0, i1 and so on; None: the model was not asked."""
    n = len(next(iter(said.values())))
    ids = [f"i{i}" for i in range(n)]
    tables = [
        nli_scores(model, {i: p for i, p in zip(ids, given, strict=True) if p is not None})
        for model, given in said.items()
    ]
    labels = column(right or ["neutral"] * n)
    return item_answers(column(ids), labels, tables, tuple(said), missing=missing)


def wrong_or_right(given: Sequence[bool | None]) -> list[Said | None]:
    """Certain answers of one model to neutral items: wrong, right or not asked."""
    meant = {True: CERTAIN["entailment"], False: CERTAIN["neutral"], None: None}
    return [meant[g] for g in given]


def quad_scores(model: str, c: Mapping[str, tuple[float, bool]]) -> pa.Table:
    """`QuadScore` rows with a given C, and an answer that differs or does not; NaN: one is refused."""
    same = {"model": model, "revision": "r", "role": "filter", "precision": "float32", "mode": "canonical"}
    names = [name for name in arrow_schema(QuadScore).names if name.startswith("subject")]
    rows = []
    for id_, (value, differs) in c.items():
        # 2 C more for the first subject, in the mean of both orders: B(x1) = 2 C, B(x2) = 0, C = ½ B(x1)
        refused = 0.25 if math.isnan(value) else 0.0
        row: dict[str, Any] = {**same, **_ANSWERED, "item_id": id_, "refused": refused, "truncated": False}
        row |= dict.fromkeys(names, 0.25)
        value = 0.0 if refused else value
        row["subject1_12"] += 2 * value * (2 if differs else 1)
        row["subject1_21"] += 0 if differs else 2 * value
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=arrow_schema(QuadScore))


def quad_answers_of(
    c: Mapping[str, Sequence[tuple[float, bool]]], missing: Missing = "not_wrong"
) -> QuadAnswers:
    """The answers of models to quads i0, i1 and so on: C, and whether the order changes the answer."""
    ids = [f"i{i}" for i in range(len(next(iter(c.values()))))]
    tables = [quad_scores(model, dict(zip(ids, given, strict=True))) for model, given in c.items()]
    return quad_answers(column(ids), tables, tuple(c), missing=missing)
