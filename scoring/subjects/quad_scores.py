"""Quads and masked statements as model inputs, four per row, and the scores made from their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from nextset.records.arrow_schema import arrow_schema
from nextset.records.question_quads import QuadScore
from nextset.scoring.outcome_shares import outcome_arrays
from nextset.scoring.scorer_protocol import SUBJECT_COLUMNS, Numbers, Question, Statement
from nextset.scoring.subjects.quad_bias import ASKED

__all__ = ["QUAD_COLUMNS", "STATEMENT_COLUMNS", "quad_table", "question_inputs", "statement_inputs"]

CONTEXTS = ("context_12", "context_21")
SPANS = tuple(f"subject{subject}_in_{order}" for order in ("12", "21") for subject in (1, 2))

QUAD_COLUMNS: tuple[str, ...] = ("id", *CONTEXTS, "question", "question_negated", *SPANS)
"""The columns of QuestionQuad that become inputs."""
STATEMENT_COLUMNS: tuple[str, ...] = (
    "id", *CONTEXTS, "statement", "statement_negated", "candidate1", "candidate2", "cluster1", "cluster2",
)  # fmt: skip
"""The columns of MaskedStatement that become inputs."""


def quad_table(
    rows: pa.Table, numbers: Numbers, *, model: str, revision: str, role: str, precision: str, mode: str
) -> pa.Table:
    """Return one QuadScore per row from the numbers of its four inputs, shape (4 · rows, columns)."""
    four = numbers.reshape(rows.num_rows, len(ASKED), numbers.shape[1])
    same = {"model": model, "revision": revision, "role": role, "precision": precision, "mode": mode}
    columns: dict[str, Any] = {
        "item_id": rows["id"].combine_chunks(),
        **{name: pa.repeat(value, rows.num_rows) for name, value in same.items()},
        "truncated": pa.array((four[:, :, 3] == 1).any(axis=1)),
        **outcome_arrays(numbers, rows.num_rows, len(SUBJECT_COLUMNS)),
    }
    for i, arrangement in enumerate(ASKED):
        columns[f"subject1_{arrangement}"] = pa.array(np.ascontiguousarray(four[:, i, 0]))
        columns[f"subject2_{arrangement}"] = pa.array(np.ascontiguousarray(four[:, i, 1]))
        columns[f"no_answer_{arrangement}"] = pa.array(np.ascontiguousarray(four[:, i, 2]), from_pandas=True)
    schema = arrow_schema(QuadScore)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def question_inputs(rows: pa.Table) -> list[Question]:
    """Return four questions per row of QuestionQuad, in the order of the columns of `QuadScore`.

    These are the question with context_12 and with context_21, then the negated one with both.
    """
    question_pairs = [rows[name].to_pylist() for name in ("question", "question_negated")]
    contexts = [rows[name].to_pylist() for name in CONTEXTS]
    bounds = [
        [pa.compute.struct_field(rows[name], end).to_pylist() for end in ("start", "end")] for name in SPANS
    ]
    places = [list(zip(*pair, strict=True)) for pair in bounds]
    orders = [
        [
            (context, (context[a[0] : a[1]], context[b[0] : b[1]]), (a, b))
            for context, a, b in zip(texts, places[2 * i], places[2 * i + 1], strict=True)
        ]
        for i, texts in enumerate(contexts)
    ]
    return [
        Question(context, question, subjects, spans)
        for first, second, *questions in zip(*orders, *question_pairs, strict=True)
        for question in questions
        for context, subjects, spans in (first, second)
    ]


def statement_inputs(rows: pa.Table) -> list[Statement]:
    """Return four statements per row of MaskedStatement, in the order of the columns of `QuadScore`.

    These are the statement with context_12 and with context_21, then the negated one with both.
    """
    columns = [rows[name].to_pylist() for name in STATEMENT_COLUMNS[1:]]
    return [
        Statement(context, statement, (name1, name2), (cluster1, cluster2))
        for first, second, plain, negated, name1, name2, cluster1, cluster2 in zip(*columns, strict=True)
        for statement in (plain, negated)
        for context in (first, second)
    ]
