from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.errors import StudyError
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.question_quads import MaskedStatement, QuadScore, QuestionQuad, Span
from nextset.scoring.forms.scored_form import SCORED_FORMS
from nextset.scoring.scorer_protocol import Question, Statement
from nextset.scoring.subjects.quad_bias import quad_decisions
from nextset.scoring.subjects.quad_scores import (
    QUAD_COLUMNS,
    STATEMENT_COLUMNS,
    quad_table,
    question_inputs,
    statement_inputs,
)
from nextset.study.scoring_settings import ScoringSettings, StatementSettings

COMMON: dict[str, Any] = {
    "id": "1", "language": "en", "subject_class": "gender", "template_id": "t", "attribute": "surgeon",
    "attribute_kind": "occupation", "attribute_cluster": "", "subject1": "Maria", "subject2": "John",
    "cluster1": "female", "cluster2": "male",
    "context_12": "Maria met John.", "context_21": "John met Maria.",
    "subject1_in_12": Span(0, 5), "subject2_in_12": Span(10, 14),
    "subject1_in_21": Span(9, 14), "subject2_in_21": Span(0, 4),
}  # fmt: skip
QUAD = QuestionQuad(**COMMON, question="Who was kind?", question_negated="Who was unkind?")
STATEMENT = MaskedStatement(
    **COMMON, statement="{{MASK}} was kind.", statement_negated="{{MASK}} was unkind.",
    candidate1="Maria", candidate2="John",
)  # fmt: skip
BY = {"model": "m", "revision": "r", "role": "filter", "precision": "float32", "mode": "canonical"}


def test_a_quad_becomes_four_questions() -> None:
    rows = table_of([QUAD, QUAD], QuestionQuad).select(list(QUAD_COLUMNS))
    found = question_inputs(rows)
    asked = [
        (Question(context, question, ("Maria", "John"), spans))
        for question in ("Who was kind?", "Who was unkind?")
        for context, spans in (
            ("Maria met John.", ((0, 5), (10, 14))), ("John met Maria.", ((9, 14), (0, 4))),
        )
    ]  # fmt: skip
    assert found == [*asked, *asked]


def test_a_masked_statement_becomes_four_statements() -> None:
    rows = table_of([STATEMENT], MaskedStatement).select(list(STATEMENT_COLUMNS))
    assert statement_inputs(rows) == [
        Statement(context, statement, ("Maria", "John"), ("female", "male"))
        for statement in ("{{MASK}} was kind.", "{{MASK}} was unkind.")
        for context in ("Maria met John.", "John met Maria.")
    ]


def test_numbers_become_scores() -> None:
    rows = table_of([QUAD, QUAD], QuestionQuad)
    numbers = np.array(
        [
            [0.1, 0.2, 0.3, 0], [0.4, 0.5, 0.6, 0], [0.7, 0.6, 0.1, 1], [0.2, 0.1, 0.0, 0],
            [0.5, 0.2, np.nan, 0], [0.4, 0.4, np.nan, 0], [0.1, 0.6, np.nan, 0], [0.2, 0.3, np.nan, 0],
        ]
    )  # fmt: skip
    table = quad_table(rows, numbers, **BY)
    assert table.schema == arrow_schema(QuadScore)
    first, second = table.to_pylist()
    assert first == {
        "item_id": "1", **BY, "truncated": True,
        "subject1_12": 0.1, "subject2_12": 0.2, "no_answer_12": 0.3,
        "subject1_21": 0.4, "subject2_21": 0.5, "no_answer_21": 0.6,
        "subject1_12_negated": 0.7, "subject2_12_negated": 0.6, "no_answer_12_negated": 0.1,
        "subject1_21_negated": 0.2, "subject2_21_negated": 0.1, "no_answer_21_negated": 0.0,
        "abstained": 0.0, "refused": 0.0, "unreadable": 0.0, "cut_off": 0.0, "votes": False,
    }  # fmt: skip
    assert second["no_answer_12"] is None
    assert not second["truncated"]
    # C of the first: B1 = .25 − .45, B2 = .35 − .35, C = −.1; of the second: B1 = .45 − .15, B2 = .3 − .45
    assert quad_decisions(table).tolist() == [[-1, -1, 1, 1, -1], [1, 0, -1, -1, 1]]


def test_no_rows() -> None:
    for record, form in ((QuestionQuad, "question"), (MaskedStatement, "statement")):
        rows = table_of([], record)
        assert SCORED_FORMS[form].inputs(rows) == []
        assert quad_table(rows, np.empty((0, 4)), **BY).schema == arrow_schema(QuadScore)
    assert pa.concat_tables([quad_table(rows, np.empty((0, 4)), **BY)] * 2).num_rows == 0


def test_settings_for_english_alone_are_refused_elsewhere() -> None:
    widened = ScoringSettings(spans="widened")
    SCORED_FORMS["question"].check_languages(["en", "en-GB"], widened)
    SCORED_FORMS["question"].check_languages(["de", "en"], ScoringSettings())
    SCORED_FORMS["statement"].check_languages(["de"], widened)
    with pytest.raises(StudyError, match="works only for English, but there are questions in de, es-MX"):
        SCORED_FORMS["question"].check_languages(["es-MX", "en", "de"], widened)
    with pytest.raises(StudyError, match=r"pronouns of scoring\.statements are English"):
        SCORED_FORMS["statement"].check_languages(
            ["de"], ScoringSettings(statements=StatementSettings(by="both"))
        )
    own = StatementSettings(by="both", pronouns={"female": "sie", "male": "er"})
    SCORED_FORMS["statement"].check_languages(["de"], ScoringSettings(statements=own))
