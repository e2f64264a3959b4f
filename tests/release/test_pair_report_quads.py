from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet
from nextset.generation.questions.study_packs import load_questions
from nextset.release.counterfactuals.quad_orders import QuadOrders, agreeing_words
from nextset.study.generation_settings import QuestionSettings

GERMAN = {
    "pack.yaml": 'format: 1\nlanguage: de\ndirection: ltr\njoin: " "\nchecked_by: []\n'
    "classes: {nationality: {subjects: [countries], pairs: all}}\n",
    "subjects/countries.yaml": "format: 1\nsubjects:\n"
    "  Turkey: {forms: {m: Türke}, gender: m}\n"
    "  Spain: {forms: {f: Spanierin}, gender: f}\n"
    "  Poland: {forms: {m: Pole}, gender: m}\n",
    "attributes/acts.yaml": "format: 1\nattributes:\n"
    '  litter: {kind: person, source: plain negative act, forms: {"": warf Müll weg, neg: hob Müll auf}}\n',
    "templates/nationality.yaml": "format: 1\nclass: nationality\ntemplates:\n  street:\n    takes: person\n"
    '    context: "[subj1.g?m=Ein|f=Eine] [subj1] sah [subj2.g?m=einen|f=eine] [subj2]."\n'
    '    question: "Wer [p_act]?"\n    negated: "Wer [p_act:neg]?"\n',
}


def english(name: str, form: Any) -> QuestionSet:
    settings_ = QuestionSettings(packs=("builtin:en",), classes=(name,), forms=(form,))
    (found,) = load_questions(settings_, "en", Path, Path("study.yaml")).sets
    return found


RELIGION = english("religion", "statement")
ROWS = quad_table(RELIGION, full_cells(RELIGION, range(3))).to_pylist()
SCHEMA = pa.Table.from_pylist(ROWS[:1]).schema


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["question", "statement"])
@pytest.mark.parametrize("name", ["gender", "nationality", "ethnicity", "religion"])
def test_the_rows_of_the_english_pack_are_whole(name: str, form: str) -> None:
    questions = english(name, form)
    check = QuadOrders(agreeing_words([questions]))
    pairs = min(questions.n_pairs, 8)
    report = check.check(quad_table(questions, full_cells(questions, range(pairs))))
    assert report.findings == ()
    assert report.summary.complete == report.summary.minimal == pairs * questions.per_pair
    whole = check.report(subsampled=False)
    assert whole.findings == ()
    # each template with each attribute is a set of pairs more
    assert whole.summary.sets == pairs * questions.per_pair + questions.per_pair


def test_words_that_agree_with_a_subject_move_with_it(tmp_path: Path) -> None:
    for name, text in GERMAN.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings_ = QuestionSettings(packs=("de",), forms=("question",))
    (questions,) = load_questions(settings_, "de", lambda name: tmp_path, tmp_path / "study.yaml").sets
    rows = quad_table(questions, full_cells(questions, range(3)))
    assert agreeing_words([questions]) == {"ein", "eine", "einen"}
    assert QuadOrders(agreeing_words([questions])).check(rows).findings == ()
    # "Ein Türke sah eine Spanierin." and "Eine Spanierin sah einen Türken."
    assert [f.tokens for f in QuadOrders().check(rows).findings] == [("Ein", "eine"), ("Eine", "einen")]


@settings(deadline=None)
@given(st.integers(0, len(ROWS) - 1), st.sampled_from(["context_12", "context_21"]), st.data())
def test_a_planted_token_is_found(at: int, context: str, data: st.DataObject) -> None:
    row = ROWS[at]
    order = context[-2:]
    text = row[context]
    spans = sorted((s["start"], s["end"]) for s in (row[f"subject{n}_in_{order}"] for n in "12"))
    place = data.draw(st.sampled_from([len(text), spans[1][1]]))
    planted = {**row, context: f"{text[:place]} quokka {text[place:]}"}
    (finding,) = QuadOrders().check(table([planted])).findings
    assert finding.kind == "not_minimal"
    assert finding.item_id == row["id"]
    assert "quokka" in (finding.tokens if order == "12" else finding.other_tokens)
    assert len(finding.tokens) + len(finding.other_tokens) == 1


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        ({"statement_negated": ""}, "there is no negated statement"),
        ({"statement": "He did."}, "a statement does not have exactly one mask"),
        ({"statement_negated": ROWS[0]["statement"]}, "the statement and its negation have the same text"),
        ({"candidate2": "other"}, "candidate2 is not the subject in context_12"),
        (
            {"subject1_in_21": ROWS[0]["subject2_in_21"], "subject2_in_21": ROWS[0]["subject1_in_21"]},
            "context_21 does not have its subjects in their order",
        ),
        (
            {"subject2_in_12": {"start": 5, "end": 5000}},
            "context_12 does not have its subjects in their order",
        ),
    ],
)
def test_a_row_that_is_not_whole_is_found(values: dict[str, Any], detail: str) -> None:
    report = QuadOrders().check(table([{**ROWS[0], **values}, ROWS[1]]))
    assert detail in [f.detail for f in report.findings]
    assert {f.item_id for f in report.findings} == {ROWS[0]["id"]}
    assert (report.summary.sets, report.summary.incomplete) == (2, 1)


def test_a_missing_pair_of_subjects_is_found() -> None:
    check = QuadOrders()
    for batch in (ROWS[1:100], ROWS[100:]):
        check.check(table(batch))
    (finding,) = check.report(subsampled=False).findings
    first = ROWS[0]
    assert (finding.kind, finding.item_id) == ("missing", None)
    assert finding.detail == (
        f"en, religion, template '{first['template_id']}', attribute '{first['attribute']}': "
        "2 of 3 pairs of subjects"
    )
    assert check.report(subsampled=False).summary.incomplete == 1
    assert check.report(subsampled=True).summary.incomplete == 0
