from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.filtering.forms.quads import QUESTION
from nextset.filtering.quad_answers import QuadAnswers
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem
from nextset.records.question_quads import QuestionQuad, Span
from nextset.validation.hypothesis_units import units
from nextset.validation.model_disagreement import disagreement, missed_share
from nextset.validation.question_units import question_units
from tests.records import ITEM

QUAD = QuestionQuad(
    id="q1",
    language="en",
    subject_class="nationality",
    template_id="t",
    attribute="senator",
    attribute_kind="person",
    attribute_cluster="politics",
    subject1="Chad",
    subject2="Peru",
    cluster1="Africa",
    cluster2="America",
    context_12="One from Chad met one from Peru.",
    context_21="One from Peru met one from Chad.",
    subject1_in_12=Span(9, 13),
    subject2_in_12=Span(27, 31),
    subject1_in_21=Span(27, 31),
    subject2_in_21=Span(9, 13),
    question="Who sat in the senate?",
    question_negated="Who never sat in the senate?",
)


def found_by(table: pa.Table, column: str, models: list[list[str]]) -> pa.Table:
    return table.append_column(column, pa.array(models, pa.list_(pa.string())))


@pytest.mark.parametrize(
    ("finders", "models", "expected"),
    [
        (["a"], 3, 2 / 3),  # of the pairs ab, ac, bc two: ab and ac
        (["a", "b"], 4, 4 / 6),  # ac, ad, bc, bd of six pairs
        (["a", "b"], 2, 0.0),
        ([], 3, 0.0),
        (["a"], 1, None),
        (None, 3, None),
    ],
)
def test_disagreement(finders: list[str] | None, models: int, expected: float | None) -> None:
    assert disagreement(finders, models) == expected


@pytest.mark.parametrize(
    ("finders", "silent", "expected", "missed"),
    [
        (["a"], ["c"], 1.0, 1 / 2),  # a and b are left, and disagree
        (["a"], ["b", "c"], None, 1.0),  # only a is left
        (["a", "c"], ["c"], 1.0, 1 / 2),  # filter.missing: wrong names c too, but it gave no label
        ([], ["a", "b", "c"], None, None),
        (["a"], None, 2 / 3, 1 / 3),
    ],
)
def test_a_model_that_did_not_answer_takes_no_part(
    finders: list[str], silent: list[str] | None, expected: float | None, missed: float | None
) -> None:
    assert disagreement(finders, 3, silent) == expected
    assert missed_share(finders, 3, silent) == missed


@given(st.lists(st.booleans(), min_size=2, max_size=12))
def test_disagreement_is_the_share_of_pairs_that_differ(hard: list[bool]) -> None:
    pairs = list(combinations(hard, 2))
    finders = [f"m{i}" for i, h in enumerate(hard) if h]
    assert disagreement(finders, len(hard)) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))


def test_a_unit_has_the_mean_of_its_items_and_the_first_premise() -> None:
    items = [replace(ITEM, id=str(i), premise=premise) for i, premise in enumerate(("B.", "A."))]
    table = found_by(table_of(items, NliItem), "missed_by", [["x"], ["x", "y", "z"]])
    table = table.append_column("fluency", pa.array([-1.0, -2.0]))
    (unit,) = units(table, models=3).to_pylist()
    assert (unit["premise"], unit["fluency"]) == ("A.", -1.5)
    assert unit["disagreement"] == pytest.approx((2 / 3 + 0) / 2)


def test_each_quad_is_a_unit_in_the_order_of_ids() -> None:
    quads = table_of([replace(QUAD, id="q2", subject1="Mali"), QUAD], QuestionQuad)
    first, second = question_units(found_by(quads, "found_by", [["x"], []]), models=2).to_pylist()
    assert (first["unit_id"], first["group1"], first["disagreement"]) == ("q1", "Chad", 0.0)
    assert (second["unit_id"], second["group1"], second["disagreement"]) == ("q2", "Mali", 1.0)
    assert first["question"] == "Who sat in the senate?"
    assert first["context"] == "One from Chad met one from Peru."


def test_a_unit_and_an_answer_name_subjects_in_their_own_language() -> None:
    """Tschad is context_12[6:12], and its English name Chad is the key of the list; C > 0 prefers it."""
    one, two = "Einer Tschad, einer Peru.", "Einer Peru, einer Tschad."
    german = replace(
        QUAD,
        language="de",
        context_12=one,
        context_21=two,
        subject1_in_12=Span(6, 12),
        subject2_in_21=Span(6, 10),
    )
    rows = table_of([german], QuestionQuad)
    (unit,) = question_units(rows).to_pylist()
    assert (unit["group1"], unit["group2"]) == ("Tschad", "Peru")
    asked = np.ones((1, 1), np.bool_)
    answers = QuadAnswers(
        models=("m",), c=np.array([[0.25]]), differs=~asked, asked=asked, answered=asked, votes=~asked[0]
    )
    sampled = rows.select(list(QUESTION.sampled)).to_pylist()
    assert answers.answer(0, 0, sampled[0]) == "Tschad (|C| 0.25)"
