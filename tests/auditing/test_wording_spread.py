"""Measures in one wording at a time: those of the wording's own scores, by wording."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import Artifact, Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.auditing.nli.item_counts import ItemSet
from nextset.auditing.own_measures.function_measure import Columns, FunctionMeasure
from nextset.auditing.wording_spread import item_wordings, question_wordings
from tests.auditing.quads.test_quad_tables import quads
from tests.auditing.quads.test_quad_tables import scores as quad_scores
from tests.auditing.test_version_change import items, scores


def scored(folder: Path, tables: dict[str, pa.Table]) -> Artifact:
    parts = [Part(name, lambda table=table: PartResult(table)) for name, table in tables.items()]  # type: ignore[misc]
    return build(folder / "score_wordings", Recipe("score_wordings", 1, {}), lambda: parts)


def test_items_are_measured_by_wording(tmp_path: Path) -> None:
    """Two items; with the first wording one is right, with the second both are."""
    table = items([("a", "pro", None), ("b", "anti", None)])
    found = scored(
        tmp_path,
        {
            "nli_1": scores({"a": "entailment", "b": "neutral"}, "llama"),
            "nli_2": scores({"a": "neutral", "b": "neutral"}, "llama"),
            "qa_1": scores({"a": "entailment", "b": "entailment"}, "llama"),
        },
    )
    rows = list(item_wordings(found, ItemSet("released", 2, lambda: [table]), "nli"))
    accuracy = [(r.wording, r.value, r.n) for r in rows if r.measure == "accuracy"]
    assert accuracy == [(1, 1 / 2, 2), (2, 1, 2)]
    assert {(r.form, r.items, r.model) for r in rows} == {("nli", "released", "llama")}
    assert {r.value for r in rows if r.measure == "counterfactual_pro"} == {None}
    (qa,) = [
        r
        for r in item_wordings(found, ItemSet("released", 2, lambda: [table]), "qa")
        if r.measure == "accuracy"
    ]
    assert (qa.form, qa.wording, qa.value) == ("qa", 1, 0)


def test_functions_are_measured_by_wording_as_nextset_s_own_measures_are(tmp_path: Path) -> None:
    table = items([("a", "pro", None), ("b", "anti", None)])
    labels = enumerate(("entailment", "neutral"), start=1)
    tables = {f"nli_{i}": scores({"a": label, "b": "neutral"}, "llama") for i, label in labels}

    def share_right(items: Columns, predictions: Columns) -> float:
        return float((items["label"] == predictions["label"]).mean())

    def mean_c(items: Columns, predictions: Columns) -> float:
        return float(predictions["c"].mean())

    right = FunctionMeasure(name="right", function=share_right, rows="bias", forms=("nli",))
    of_quads = FunctionMeasure(name="size", function=mean_c, forms=("question",))
    artifact = scored(tmp_path, {**tables, "question_1": quad_scores()})
    rows = list(item_wordings(artifact, ItemSet("released", 2, lambda: [table]), "nli", (right, of_quads)))
    mine = [r for r in rows if r.measure == "right"]
    assert [(r.wording, r.value, r.n) for r in mine] == [(1, 1 / 2, 2), (2, 1, 2)]
    assert [replace(r, measure="accuracy") for r in mine] == [r for r in rows if r.measure == "accuracy"]
    assert "size" not in {r.measure for r in rows}
    of_class = [
        (r.subject_class, r.value, r.n)
        for r in question_wordings(artifact, "generated", lambda: [quads()], "question", (right, of_quads))
        if r.measure == "size"
    ]
    assert [name for name, _, _ in of_class] == ["pets", "towns"]
    assert [value for _, value, _ in of_class] == pytest.approx([0, 0], abs=1e-12)  # as mu below


def test_questions_are_measured_by_wording_and_class(tmp_path: Path) -> None:
    """C of every quad is 0: its subjects differ by as much in all four arrangements."""
    found = scored(tmp_path, {"question_1": quad_scores(), "question_2": quad_scores()})
    rows = list(question_wordings(found, "generated", lambda: [quads()], "question"))
    assert {(r.wording, r.subject_class) for r in rows} == {(w, c) for w in (1, 2) for c in ("pets", "towns")}
    assert {r.n for r in rows if r.subject_class == "pets"} == {2}
    assert [r.value for r in rows if r.measure == "mu"] == pytest.approx([0] * 4, abs=1e-12)
    # of each subject the two orders differ by 0.02: the columns of `SCORES` rise by 0.01
    assert [r.value for r in rows if r.measure == "positional_error"] == pytest.approx([0.02] * 4)


def test_without_a_model_that_writes_there_are_none(tmp_path: Path) -> None:
    empty = scored(tmp_path, {"no_model_writes": scores({})})
    assert list(item_wordings(empty, ItemSet("released", 0, lambda: []), "nli")) == []
