"""For each form: how rows become inputs, and how numbers become a table of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import NliScore
from nextset.scoring.answers.answer_rows import (
    QUESTION_COLUMNS,
    answer_table,
    near_answer_tie,
    text_questions,
)
from nextset.scoring.near_ties import CLOSE, CLOSE_SUBJECTS, near_nli_tie
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.scorer_protocol import (
    ANSWER_COLUMNS,
    NLI_COLUMNS,
    SUBJECT_COLUMNS,
    Form,
    Numbers,
    Pair,
    YesNoQuestion,
)
from nextset.scoring.subjects.quad_bias import near_quad_tie, quad_decisions
from nextset.scoring.subjects.quad_scores import QUAD_COLUMNS, STATEMENT_COLUMNS, quad_inputs, quad_table
from nextset.study.filter_rule_settings import Boundaries

__all__ = ["FormRows", "ScoredBy", "form_rows"]


@dataclass(frozen=True)
class ScoredBy:
    """The model behind a table of scores, and how it was asked."""

    model: str
    """The model's published name."""
    revision: str
    """Digest of its weights."""
    role: str
    """filter, held_out or audit."""
    precision: str
    """float32 or another dtype's name."""
    mode: str
    """canonical or fast."""


class FormRows(Protocol):
    """The functions and columns that differ by form."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table of rows that are read."""
        ...

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of the numbers that scorers give for an input."""
        ...

    @property
    def per_row(self) -> int:
        """Inputs per row."""
        ...

    def inputs(self, rows: pa.Table) -> list[Any]:
        """The inputs of all rows: `per_row` of each, row after row."""
        ...

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """The scores of all rows from the numbers of their inputs."""
        ...

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Which rows of `table` are so near a decision that their inputs must be scored again, alone."""
        ...

    def decisions(self, scores: pa.Table) -> list[Any]:
        """The decisions of each row of `table`."""
        ...


class NliRows:
    """NLI items: one pair per row."""

    columns: tuple[str, ...] = ("id", "premise", "hypothesis", "label")
    numbers = NLI_COLUMNS
    per_row = 1

    def inputs(self, rows: pa.Table) -> list[Any]:
        """The pairs."""
        return list(map(Pair, rows["premise"].to_pylist(), rows["hypothesis"].to_pylist()))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """`NliScore` rows."""
        columns: dict[str, pa.Array] = {
            "item_id": rows["id"].combine_chunks(),
            **{name: pa.repeat(value, rows.num_rows) for name, value in vars(by).items()},
            **{name: pa.array(numbers[:, i], from_pandas=True) for i, name in enumerate(NLI_COLUMNS[:3])},
            "truncated": pa.array(numbers[:, 3] == 1),
        }
        schema = arrow_schema(NliScore)
        return pa.table([columns[name] for name in schema.names], schema=schema)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Two labels nearly tie, or a threshold or a rounding of the probability of neutral is near."""
        return near_nli_tie(scores, boundaries, CLOSE[precision])

    def decisions(self, scores: pa.Table) -> list[Any]:
        """The labels."""
        return list(predicted(scores).tolist())


class YesNoRows(NliRows):
    """NLI items as yes/no questions: one per row; the scores are `NliScore` rows."""

    columns: tuple[str, ...] = ("id", "premise", "question")

    def inputs(self, rows: pa.Table) -> list[Any]:
        """The questions."""
        return list(map(YesNoQuestion, rows["premise"].to_pylist(), rows["question"].to_pylist()))


@dataclass(frozen=True)
class QuadRows:
    """Questions or masked statements: four inputs per row."""

    form: Literal["question", "statement"]
    columns: tuple[str, ...]
    numbers = SUBJECT_COLUMNS
    per_row = 4

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Both orders with the question, then both with its negation."""
        return list(quad_inputs(rows, self.form))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """`nextset.records.question_quads.QuadScore` rows."""
        return quad_table(rows, numbers, **vars(by))

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """An answer, the sign of C, or |C| and a threshold nearly tie."""
        return near_quad_tie(scores, boundaries.c_levels, CLOSE_SUBJECTS)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """The four answers and the sign of C."""
        return list(map(tuple, quad_decisions(scores).tolist()))


class AnswerRows:
    """Questions about a text: one per row."""

    columns = QUESTION_COLUMNS
    numbers = ANSWER_COLUMNS
    per_row = 1

    def inputs(self, rows: pa.Table) -> list[Any]:
        """The questions."""
        return list(text_questions(rows))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """`nextset.records.reader_answers.ReaderAnswer` rows."""
        return answer_table(rows, numbers, model=by.model, revision=by.revision)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Two answers nearly tie."""
        return near_answer_tie(scores["margin"].to_numpy())

    def decisions(self, scores: pa.Table) -> list[Any]:
        """The places of the answers."""
        return list(zip(scores["start"].to_pylist(), scores["end"].to_pylist(), strict=True))


FORMS: dict[Form, FormRows] = {
    "nli": NliRows(),
    "qa": YesNoRows(),
    "question": QuadRows("question", QUAD_COLUMNS),
    "statement": QuadRows("statement", STATEMENT_COLUMNS),
    "answer": AnswerRows(),
}


def form_rows(form: Form) -> FormRows:
    """The functions and columns of ``form``."""
    return FORMS[form]
