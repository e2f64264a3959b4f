"""The tables of each form: rows become inputs, and the numbers of scorers become a table of scores."""

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
    """The model that computed a table of scores, with the settings that it was asked with."""

    model: str
    """The model's published name."""
    revision: str
    """Digest of the model's weights."""
    role: str
    """filter, held_out or audit."""
    precision: str
    """float32 or the name of a different dtype."""
    mode: str
    """canonical or fast."""


class FormRows(Protocol):
    """The functions and columns that differ by form."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read from a table of rows."""
        ...

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of the numbers that scorers return for an input."""
        ...

    @property
    def per_row(self) -> int:
        """The number of inputs per row."""
        ...

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the inputs of all rows, row by row, with `per_row` inputs for each."""
        ...

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return the scores of all rows from the numbers of their inputs."""
        ...

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows of `table` so near a decision that their inputs must be scored one by one."""
        ...

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the decisions of each row of `table`."""
        ...


class NliRows:
    """NLI items: one pair per row."""

    columns: tuple[str, ...] = ("id", "premise", "hypothesis", "label")
    numbers = NLI_COLUMNS
    per_row = 1

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the pairs."""
        return list(map(Pair, rows["premise"].to_pylist(), rows["hypothesis"].to_pylist()))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `NliScore` rows."""
        columns: dict[str, pa.Array] = {
            "item_id": rows["id"].combine_chunks(),
            **{name: pa.repeat(value, rows.num_rows) for name, value in vars(by).items()},
            **{name: pa.array(numbers[:, i], from_pandas=True) for i, name in enumerate(NLI_COLUMNS[:3])},
            "truncated": pa.array(numbers[:, 3] == 1),
        }
        schema = arrow_schema(NliScore)
        return pa.table([columns[name] for name in schema.names], schema=schema)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose labels nearly tie, or that are near a threshold or near a rounding."""
        return near_nli_tie(scores, boundaries, CLOSE[precision])

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the labels."""
        return list(predicted(scores).tolist())


class YesNoRows(NliRows):
    """NLI items as yes/no questions: one question per row; the scores are `NliScore` rows."""

    columns: tuple[str, ...] = ("id", "premise", "question")

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions."""
        return list(map(YesNoQuestion, rows["premise"].to_pylist(), rows["question"].to_pylist()))


@dataclass(frozen=True)
class QuadRows:
    """Questions or masked statements: four inputs per row."""

    form: Literal["question", "statement"]
    columns: tuple[str, ...]
    numbers = SUBJECT_COLUMNS
    per_row = 4

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return both orders with the question, then both orders with its negation."""
        return list(quad_inputs(rows, self.form))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `nextset.records.question_quads.QuadScore` rows."""
        return quad_table(rows, numbers, **vars(by))

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows with a near tie in an answer, the sign of C, or |C| and a threshold."""
        return near_quad_tie(scores, boundaries.c_levels, CLOSE_SUBJECTS)

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the four answers and the sign of C."""
        return list(map(tuple, quad_decisions(scores).tolist()))


class AnswerRows:
    """Questions about a text: one question per row."""

    columns = QUESTION_COLUMNS
    numbers = ANSWER_COLUMNS
    per_row = 1

    def inputs(self, rows: pa.Table) -> list[Any]:
        """Return the questions."""
        return list(text_questions(rows))

    def table(self, rows: pa.Table, numbers: Numbers, by: ScoredBy) -> pa.Table:
        """Return `nextset.records.reader_answers.ReaderAnswer` rows."""
        return answer_table(rows, numbers, model=by.model, revision=by.revision)

    def near_tie(self, scores: pa.Table, boundaries: Boundaries, precision: str) -> npt.NDArray[np.bool_]:
        """Return True for rows whose two best answers nearly tie."""
        return near_answer_tie(scores["margin"].to_numpy())

    def decisions(self, scores: pa.Table) -> list[Any]:
        """Return the places of the answers."""
        return list(zip(scores["start"].to_pylist(), scores["end"].to_pylist(), strict=True))


FORMS: dict[Form, FormRows] = {
    "nli": NliRows(),
    "qa": YesNoRows(),
    "question": QuadRows("question", QUAD_COLUMNS),
    "statement": QuadRows("statement", STATEMENT_COLUMNS),
    "answer": AnswerRows(),
}


def form_rows(form: Form) -> FormRows:
    """Return the functions and columns of ``form``."""
    return FORMS[form]
