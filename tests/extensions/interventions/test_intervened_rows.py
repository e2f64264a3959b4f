"""A sentence is added where the intervention says, the spans still name the subjects, and ids stay."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.interventions.intervened_rows import (
    INTERVENTION,
    IntervenedRows,
    applies,
    with_intervention,
)
from nextset.extensions.interventions.intervention import PLACES, Intervention, Place
from nextset.records.arrow_schema import table_of
from nextset.records.question_quads import MaskedStatement, QuestionQuad, Span
from nextset.scoring.row_chunks import InMemoryRows

COMMON = {
    "language": "en", "subject_class": "gender", "template_id": "t", "attribute": "late",
    "attribute_kind": "act", "attribute_cluster": "crime", "subject1": "Ana", "subject2": "Ben",
    "cluster1": "female", "cluster2": "male", "context_12": "Ana met Ben.", "context_21": "Ben met Ana.",
    "subject1_in_12": Span(0, 3), "subject2_in_12": Span(8, 11),
    "subject1_in_21": Span(8, 11), "subject2_in_21": Span(0, 3),
}  # fmt: skip
QUAD = QuestionQuad(id="q", **COMMON, question="Who was late?", question_negated="Who was early?")  # type: ignore[arg-type]
STATEMENT = MaskedStatement(
    id="s", **COMMON, statement="{{MASK}} was late.", statement_negated="{{MASK}} was early.",  # type: ignore[arg-type]
    candidate1="Ana", candidate2="Ben",
)  # fmt: skip


def told(place: Place = "before_context", text: str = "Be fair.", **changed: object) -> Intervention:
    values: dict[str, object] = {
        "id": "i", "language": "en", "kind": "ethical", "name": "fair", "text": text, "place": place,
        "join": " ", "classes": ("gender",), "attribute_clusters": (), "domains": ("gender",),
        "source": "", "held_out": False,
    }  # fmt: skip
    return Intervention(**{**values, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "context", "question"),
    [
        ("before_context", "Be fair. Ana met Ben.", "Who was late?"),
        ("after_context", "Ana met Ben. Be fair.", "Who was late?"),
        ("before_question", "Ana met Ben.", "Be fair. Who was late?"),
    ],
)
def test_where_a_question_is_told(place: Place, context: str, question: str) -> None:
    (row,) = with_intervention(told(place), table_of([QUAD], QuestionQuad), "question").to_pylist()
    assert (row["id"], row["context_12"], row["question"]) == ("q", context, question)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("before_context", "Be fair. Ana met Ben. {{MASK}} was late."),
        ("after_context", "Ana met Ben. Be fair. {{MASK}} was late."),
        ("before_question", "Ana met Ben. Be fair. {{MASK}} was late."),
    ],
)
def test_where_a_masked_statement_is_told(place: Place, text: str) -> None:
    (row,) = with_intervention(told(place), table_of([STATEMENT], MaskedStatement), "statement").to_pylist()
    assert f"{row['context_12']} {row['statement']}" == text


@pytest.mark.parametrize(
    ("place", "premise"),
    [("before_context", "Be fair. A dog sleeps."), ("before_question", "A dog sleeps. Be fair.")],
)
def test_where_a_premise_is_told(place: Place, premise: str) -> None:
    rows = pa.table({"id": ["n"], "premise": ["A dog sleeps."], "hypothesis": ["A dog is awake."]})
    (row,) = with_intervention(told(place), rows, "nli").to_pylist()
    assert row == {"id": "n", "premise": premise, "hypothesis": "A dog is awake."}


@given(
    st.sampled_from(PLACES),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    st.sampled_from([" ", ""]),
)
def test_spans_name_the_subjects_whatever_is_added(place: Place, text: str, join: str) -> None:
    (row,) = with_intervention(
        told(place, text, join=join), table_of([QUAD], QuestionQuad), "question"
    ).to_pylist()
    for order in ("12", "21"):
        for subject, name in ((1, "Ana"), (2, "Ben")):
            span = row[f"subject{subject}_in_{order}"]
            assert row[f"context_{order}"][span["start"] : span["end"]] == name


@pytest.mark.parametrize(
    ("changed", "form", "found"),
    [
        ({}, "question", True),
        ({"attribute_clusters": ("crime", "other")}, "question", True),
        ({"attribute_clusters": ("other",)}, "question", False),
        ({"classes": ("religion",)}, "question", False),
        ({"language": "de"}, "question", False),
    ],
)
def test_to_which_quads_it_is_added(changed: dict[str, object], form: str, found: bool) -> None:
    rows = table_of([QUAD], QuestionQuad)
    assert applies(told(**changed), rows, "question").to_pylist() == [found]  # type: ignore[arg-type]


def test_a_sentence_about_a_cluster_is_added_to_no_premise() -> None:
    rows = pa.table({"language": ["en", "en"], "domain": ["gender", "race"]})
    assert applies(told(), rows, "nli").to_pylist() == [True, False]
    assert applies(told(attribute_clusters=("crime",)), rows, "nli").to_pylist() == [False, False]


def test_rows_are_read_with_the_id_of_what_was_added() -> None:
    rows = InMemoryRows(table_of([QUAD], QuestionQuad))
    columns = ("id", "context_12", INTERVENTION)
    one, other = told(), told(classes=("religion",), id="j")
    assert IntervenedRows(rows, "question", (one,)).read(columns).to_pylist() == [
        {"id": "q", "context_12": "Be fair. Ana met Ben.", INTERVENTION: "i"}
    ]
    assert IntervenedRows(rows, "question", (one, other), without=True).read(columns).to_pylist() == [
        {"id": "q", "context_12": "Ana met Ben.", INTERVENTION: ""}
    ]
    assert IntervenedRows(rows, "question", (other,)).read(columns).num_rows == 0
