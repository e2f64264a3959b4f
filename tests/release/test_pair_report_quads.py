"""Quads and masked statements that are as their language packs make them, and planted faults."""

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
from nextset.release.counterfactuals.quad_orders import QuadOrders
from nextset.release.dataset_card.released_columns import columns_of
from nextset.release.forms.released_form import RELEASED
from nextset.study.generation_settings import QuestionSettings
from nextset.word_lists import FOLDER

PACKS = sorted(path.parent.name for path in FOLDER.glob("*/pack.yaml"))
GERMAN = {
    "pack.yaml": 'format: 1\nlanguage: de\ndirection: ltr\njoin: " "\nchecked_by: []\n'
    "classes: {nationality: {subjects: [countries], pairs: all}}\n",
    "subjects/countries.yaml": "format: 1\nsubjects:\n"
    "  Turkey: {forms: {from: 'aus der {Türkei}', dem: Türke, dem.acc: Türken}, gender: m}\n"
    "  Spain: {forms: {from: 'aus {Spanien}', dem: Spanierin, dem.acc: Spanierin}, gender: f}\n"
    "  Poland: {forms: {from: 'aus {Polen}', dem: Pole, dem.acc: Polen}, gender: m}\n",
    "attributes/acts.yaml": "format: 1\nattributes:\n"
    '  litter: {kind: person, source: plain negative act, forms: {"": warf Müll weg, neg: hob Müll auf}}\n',
    "templates/nationality.yaml": "format: 1\nclass: nationality\ntemplates:\n"
    "  parcel:\n    takes: person\n    context: 'Ein Paket kam [subj1:from], ein anderes [subj2:from].'\n"
    "    question: 'Wer [p_act]?'\n    negated: 'Wer [p_act:neg]?'\n"
    "statements:\n"
    "  street:\n    takes: person\n"
    '    context: "[subj1.g?m=Ein|f=Eine] [subj1:dem] sah [subj2.g?m=einen|f=eine] [subj2:dem.acc]."\n'
    "    statement: '[mask:dem.acc] sah man: Wer [p_act]?'\n"
    "    negated: '[mask:dem.acc] sah man: Wer [p_act:neg]?'\n",
}


def sets_of(pack: str, form: Any, *classes: str) -> tuple[QuestionSet, ...]:
    settings_ = QuestionSettings(packs=(pack,), classes=classes, forms=(form,))
    return load_questions(settings_, "en", Path, Path("study.yaml")).sets


def german(folder: Path, form: Any) -> QuestionSet:
    for name, text in GERMAN.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (questions,) = sets_of(str(folder), form)
    return questions


(RELIGION,) = sets_of("builtin:en", "statement", "religion")
ROWS = quad_table(RELIGION, full_cells(RELIGION, range(3))).to_pylist()
SCHEMA = pa.Table.from_pylist(ROWS[:1]).schema


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["question", "statement"])
@pytest.mark.parametrize("pack", PACKS)
def test_the_rows_of_every_pack_are_right(pack: str, form: str) -> None:
    for questions in sets_of(f"builtin:{pack}", form):
        check = QuadOrders([questions])
        pairs = min(questions.n_pairs, 8)
        report = check.check(quad_table(questions, full_cells(questions, range(pairs))))
        assert report.findings == ()
        assert report.summary.complete == report.summary.minimal == pairs * questions.per_pair
        whole = check.report(subsampled=False)
        assert whole.findings == ()
        # each template with each attribute is a set of pairs more
        assert whole.summary.sets == pairs * questions.per_pair + questions.per_pair


@pytest.mark.parametrize("form", ["question", "statement"])
def test_right_texts_may_differ_in_more_than_the_subjects(tmp_path: Path, form: str) -> None:
    questions = german(tmp_path, form)
    rows = quad_table(questions, full_cells(questions, range(3)))
    assert QuadOrders([questions]).check(rows).findings == ()
    first = rows.to_pylist()[0]
    if form == "question":
        assert first["context_12"] == "Ein Paket kam aus der Türkei, ein anderes aus Spanien."
        assert first["context_21"] == "Ein Paket kam aus Spanien, ein anderes aus der Türkei."
        wrong = {**first, "context_21": "Ein Paket kam aus Spanien, ein anderes aus dem Türkei."}
        expected = (("dem",), ("der",))
    else:
        assert first["context_12"] == "Ein Türke sah eine Spanierin."
        assert first["context_21"] == "Eine Spanierin sah einen Türken."
        # the mask takes another case than the first of the context
        assert (first["candidate1"], first["candidate2"]) == ("Türken", "Spanierin")
        wrong = {**first, "candidate1": "Türke"}
        expected = (("Türke",), ("Türken",))
    (finding,) = QuadOrders([questions]).check(pa.Table.from_pylist([wrong], schema=rows.schema)).findings
    assert (finding.kind, finding.item_id) == ("not_minimal", first["id"])
    assert (finding.tokens, finding.other_tokens) == expected


@settings(deadline=None)
@given(st.integers(0, len(ROWS) - 1), st.sampled_from(["context_12", "context_21"]), st.data())
def test_a_planted_token_is_found(at: int, context: str, data: st.DataObject) -> None:
    row = ROWS[at]
    order, text = context[-2:], row[context]
    spans = sorted((s["start"], s["end"]) for s in (row[f"subject{n}_in_{order}"] for n in "12"))
    place = data.draw(st.sampled_from([len(text), spans[1][1]]))
    planted = {**row, context: f"{text[:place]} quokka {text[place:]}"}
    (finding,) = QuadOrders([RELIGION]).check(table([planted])).findings
    assert (finding.kind, finding.item_id) == ("not_minimal", row["id"])
    assert (finding.tokens, finding.other_tokens) == (("quokka",), ())
    assert finding.detail == f"{context} differs from the text that the language pack makes"


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        ({"statement_negated": ""}, "there is no negated statement"),
        ({"statement": "He did."}, "a statement does not have exactly one mask"),
        ({"statement_negated": ROWS[0]["statement"]}, "the statement and its negation have the same text"),
        ({"candidate2": "other"}, "candidate2 differs from the text that the language pack makes"),
        ({"template_id": "x"}, "the language pack has no template 'x'"),
        ({"attribute": "x"}, "the language pack has no attribute 'x' for the template"),
        ({"subject2": "x"}, "the language pack has no subject 'x'"),
        ({"subject_class": "x"}, "no language pack of the study has the class 'x'"),
        (
            {"subject1_in_12": {"start": 0, "end": 1}},
            "subject1_in_12 does not mark the subject in context_12",
        ),
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
    report = QuadOrders([RELIGION]).check(table([{**ROWS[0], **values}, ROWS[1]]))
    assert detail in [f.detail for f in report.findings]
    assert {f.item_id for f in report.findings} == {ROWS[0]["id"]}
    found = report.summary
    assert (found.sets, max(found.incomplete, found.not_minimal)) == (2, 1)


def test_a_missing_pair_of_subjects_is_found() -> None:
    check = QuadOrders([RELIGION])
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


@pytest.mark.parametrize(
    ("form", "first", "second"), [("question", "Türkei", "Spanien"), ("statement", "Türke", "Spanierin")]
)
def test_released_rows_have_the_word_of_the_language_beside_the_english_name(
    tmp_path: Path, form: Any, first: str, second: str
) -> None:
    """Each subject is taken from the context that names it first: its case may differ in the other one."""
    questions = german(tmp_path, form)
    rows = quad_table(questions, full_cells(questions, range(2)))
    released = RELEASED[form].with_own_columns(rows)
    assert released.select(rows.column_names).equals(rows)
    texts = {(r["subject1"], r["subject1_text"]) for r in released.to_pylist()}
    texts |= {(r["subject2"], r["subject2_text"]) for r in released.to_pylist()}
    assert {("Turkey", first), ("Spain", second)} <= texts
    assert columns_of(released, RELEASED[form].config)[-1].name == "subject2_text"
