"""Wrong values in tables that a caller gives: each is an error that names the row, never a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
import pytest
from datasets import ClassLabel, Dataset

import nextset
from nextset.auditing.quads.quad_columns import SCORES as SCORES_OF_QUADS

EMPTY: Any = None
ITEMS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "premise": ["A man sleeps.", "A dog runs."],
        "hypothesis": ["A man sleeps.", "A cat runs."],
        "label": ["entailment", "neutral"],
    }
)
SCORES = pd.DataFrame(
    {
        "item_id": ["a", "b"],
        "model": "m",
        "entailment": [0.1, 0.1],
        "neutral": [0.8, 0.8],
        "contradiction": [0.1, 0.1],
    }
)
LABELLED = ITEMS[["id", "label"]]


@pytest.mark.parametrize(
    ("items", "predictions", "says"),
    [
        (
            LABELLED,
            SCORES.rename(columns={"model": "Model"}),
            "column 'Model' of the predictions looks like model",
        ),
        (LABELLED, SCORES.rename(columns={"item_id": "ID"}), "column 'ID' of the predictions looks like id"),
        (LABELLED, SCORES.rename(columns={"neutral": "Neutral"}), "column 'Neutral' .* looks like neutral"),
        (LABELLED, LABELLED.rename(columns={"label": "lable"}), "column 'lable' .* looks like label"),
        (
            LABELLED.assign(Template_ID="t"),
            SCORES,
            "column 'Template_ID' of the items looks like template_id",
        ),
        (LABELLED.assign(stancedesign="pro"), SCORES, "column 'stancedesign' of the items looks like stance"),
    ],
)
def test_a_column_in_another_spelling_is_not_ignored(
    items: pd.DataFrame, predictions: pd.DataFrame, says: str
) -> None:
    with pytest.raises(nextset.InputError, match=says) as e:
        nextset.measure(items, predictions, "accuracy")
    assert e.value.remedy.startswith("rename it to")
    nextset.measure(LABELLED.assign(note="n", idx=1, stance="x"), SCORES.assign(Label="neutral"), "accuracy")


def test_rows_without_a_label_are_to_be_left_out() -> None:
    with pytest.raises(nextset.InputError) as e:
        nextset.measure(LABELLED.assign(label=["entailment", EMPTY]), SCORES)
    assert e.value.remedy.endswith("leave out rows without a label")
    with pytest.raises(nextset.InputError, match="predicted label None in row 1") as e:
        nextset.measure(LABELLED, LABELLED.assign(label=["entailment", EMPTY]))
    assert e.value.remedy.endswith("leave out items without a prediction")
    with pytest.raises(nextset.InputError) as e:
        nextset.measure(LABELLED.assign(stance_design=["pro", EMPTY]), SCORES)
    assert e.value.remedy.endswith("leave out rows without a stance_design")


def test_scores_are_merged_with_their_items() -> None:
    scores = nextset.score(ITEMS, models=even, form="nli").to_pandas()
    merged = ITEMS.merge(scores, left_on="id", right_on="item_id")
    assert nextset.measure(ITEMS, merged, "accuracy").to_pandas()["value"].tolist() == [0.5]


def even(pairs: Any) -> Any:
    return np.full((len(pairs), 3), 1 / 3)


def classed(column: str, names: list[str], codes: list[int]) -> Any:
    """Return ``ITEMS`` as a dataset with ``column`` as a ClassLabel; −1 is its sign for no class."""
    table = Dataset.from_pandas(ITEMS.drop(columns=[c for c in [column] if c in ITEMS]))
    return table.add_column(column, codes).cast_column(column, ClassLabel(names=names))


def twice(table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([table, table])


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (ITEMS.assign(label=["entailment", "Neutral"]), r"label of the items in row 1 .* 'Neutral'"),
        (ITEMS.assign(label=[0, 1]), r"label of the items in row 0 .* 0, which"),
        (ITEMS.assign(label=["entailment", EMPTY]), "row 1 .* None"),
        (twice(ITEMS), "2 rows with id a"),
        (ITEMS.assign(id=["a", EMPTY]), "column id of the items is empty in row 1"),
        (ITEMS.assign(id=["a", " "]), "column id of the items is empty in row 1"),
        (ITEMS.assign(label=["entailment", "-"]), "row 1 .* '-'"),
        (classed("label", ["entailment", "neutral"], [0, -1]), "row 1 .* '-1'"),
        (classed("stance_design", ["pro", "anti"], [0, -1]), r"stance_design '-1' \(first in row 1"),
        (classed("verdict", ["valid"], [0, -1]), r"verdict '-1' \(first in row 1"),
        (classed("domain", ["gender"], [0, -1]), r"no domain in row 1 \(from 0\): '-1'"),
        (ITEMS.assign(domain=["gender", EMPTY]), "no domain in row 1"),
        (ITEMS.assign(stereotype=["s", "-"]), "no stereotype in row 1"),
        (ITEMS.assign(stereotype=[1, -1]), "no stereotype in row 1"),
    ],
)
def test_wrong_items_are_neither_filtered_nor_measured_nor_audited(
    items: pd.DataFrame, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(nextset.InputError, match=says):
        nextset.filter(items, SCORES, "all_wrong")
    with pytest.raises(nextset.InputError, match=says):
        nextset.measure(items, SCORES, "accuracy")
    with pytest.raises(nextset.InputError, match=says):
        nextset.audit_dataset(items, models=["builtin:nli-electra"])


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        (SCORES.assign(neutral=80.0), r"column neutral .* has 80.0 in row 0"),
        (SCORES.assign(neutral=[0.8, np.nan]), "probability of the .* is empty or NaN in row 1"),
        (SCORES.assign(entailment=None), "probability of the .* is empty or NaN in row 0"),
        (SCORES.assign(neutral="much"), "column neutral .* anything but numbers"),
        (twice(SCORES), "2 rows with item_id a, model m"),
        (SCORES.assign(model=None), "column model of the .* is empty in row 0"),
        (SCORES.assign(model=["m", ""]), "column model of the .* is empty in row 1"),
        (SCORES.assign(neutral=[0.8, 0.7]), r"in row 1 \(from 0\) sum to 0.9"),
        (SCORES.assign(neutral=[0.8, 0.9], contradiction=0.0), r"in row 0 \(from 0\) sum to 0.9"),
        (SCORES.assign(neutral=0.9001, contradiction=-0.0001), r"contradiction .* has -0.0001 in row 0"),
        (SCORES.assign(item_id=["a", "c"]), "ids of the .* that the items do not have: 1, such as c"),
        (pd.concat([SCORES, SCORES.tail(1).assign(item_id="c")]), "items do not have: 1, such as c"),
    ],
)
def test_wrong_scores_are_neither_filtered_nor_measured(scores: pd.DataFrame, says: str) -> None:
    with pytest.raises(nextset.InputError, match=says):
        nextset.filter(ITEMS, scores, "all_wrong")
    with pytest.raises(nextset.InputError, match=says):
        nextset.measure(ITEMS, scores, "accuracy")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"subject2_21": EMPTY}, "7 of a quad's 8 scores, but not subject2_21"),
        ({"subject2_21": [0.1, np.nan]}, "score subject2_21 of the .* is empty or NaN in row 1"),
        ({"subject2_21": [0.1, 1.5]}, "subject2_21 of the .* has 1.5 in row 1"),
    ],
)
def test_wrong_scores_of_quads_are_named_as_such(changes: dict[str, Any], says: str) -> None:
    scores = pd.DataFrame({"item_id": ["a", "b"], "model": "m", **dict.fromkeys(SCORES_OF_QUADS, 0.5)})
    lacking = [name for name, value in changes.items() if value is EMPTY]
    scores = scores.drop(columns=lacking).assign(**{n: v for n, v in changes.items() if n not in lacking})
    with pytest.raises(nextset.InputError, match=says) as raised:
        nextset.measure(ITEMS, scores)
    assert "score" in raised.value.remedy or "from 0 to 1" in raised.value.remedy


def test_probabilities_in_half_precision_are_read() -> None:
    half = np.array([[0.1, 0.8, 0.1], [1 / 3, 1 / 3, 1 / 3]], np.float16).astype(float)
    scores = SCORES.assign(**dict(zip(["entailment", "neutral", "contradiction"], half.T, strict=True)))
    assert nextset.measure(ITEMS, scores, "accuracy").to_pandas()["value"].tolist() == [0.0]


def test_items_can_have_numbers_as_ids() -> None:
    items, scores = ITEMS.assign(id=[1, 2]), SCORES.assign(item_id=["1", "2"])
    assert nextset.measure(items, scores, "accuracy").to_pandas()["value"].tolist() == [0.5]
    assert nextset.filter(items, scores, "all_wrong").to_pandas()["id"].tolist() == ["1"]


@pytest.mark.parametrize(
    ("missing", "kept", "missed"),
    [("not_wrong", ["a"], [["m"]]), ("wrong", ["a", "b"], [["m"], ["m"]]), ("drop", ["a"], [["m"]])],
)
def test_an_item_that_a_model_refused_follows_the_policy(
    missing: Literal["not_wrong", "wrong", "drop"], kept: list[str], missed: list[list[str]]
) -> None:
    """The model is wrong about a, and refused b; raw zeros of b must not read as the label entailment."""
    refused = SCORES.assign(
        neutral=[0.8, 0.0], entailment=[0.1, 0.0], contradiction=[0.1, 0.0], refused=[0.0, 1.0]
    )
    found = nextset.filter(ITEMS, refused, "all_wrong", missing=missing)
    table = found.to_pandas("kept")
    assert table["id"].tolist() == kept
    assert [list(models) for models in table["missed_by"]] == missed
    if missing == "wrong":
        assert [list(models) for models in table["unanswered_by"]] == [[], ["m"]]
    else:
        assert "unanswered_by" not in table.columns
    reasons = found.to_pandas("rejected")["reason"].tolist()
    assert reasons == {"wrong": [], "drop": ["a model did not answer it"]}.get(missing, reasons)
    with pytest.raises(nextset.InputError, match="missing='maybe' is not one of not_wrong, wrong, drop"):
        nextset.filter(ITEMS, refused, missing=cast("Any", "maybe"))


def test_items_without_a_prediction_are_named_with_a_remedy_for_tables() -> None:
    with pytest.raises(nextset.MissingStage, match="no score for 1 of 2 items") as raised:
        nextset.measure(ITEMS, LABELLED.head(1), "accuracy")
    assert "STUDY" not in raised.value.remedy
    with pytest.raises(nextset.MissingStage, match="no score for item b") as raised:
        nextset.filter(ITEMS, SCORES.head(1))
    assert "STUDY" not in raised.value.remedy


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (ITEMS.assign(premise=["A man sleeps.", EMPTY]), "column premise of the items is empty in row 1"),
        (ITEMS.assign(premise=[1, 2]), "column premise of the items has the type int64"),
        (twice(ITEMS), "2 rows with id a"),
    ],
)
def test_wrong_items_are_not_scored(items: pd.DataFrame, says: str) -> None:
    with pytest.raises(nextset.InputError, match=says):
        nextset.score(items, models=even)


def test_models_with_the_same_name_are_refused() -> None:
    with pytest.raises(nextset.InputError, match="two models have the name '<lambda>'"):
        nextset.score(ITEMS, models=[lambda pairs: even(pairs), lambda pairs: 1 - even(pairs)])


def test_parts_need_their_column() -> None:
    with pytest.raises(nextset.InputError, match="column domain of the items, which is missing"):
        nextset.measure(ITEMS, SCORES, "accuracy", by="domain")


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        (SCORES.assign(id=["b", "a"]), "the columns id and item_id, which differ"),
        (SCORES.assign(role="judge"), "the predictions have the role 'judge'"),
        (SCORES.assign(role=EMPTY), "the predictions have the role None"),
        (SCORES.assign(role=["filter", "audit"]), "predictions of m differ in role: audit, filter"),
        (SCORES.assign(revision=["1", "2"]), "predictions of m differ in revision: 1, 2"),
        (LABELLED.assign(label=["neutral", -1]).astype({"label": str}), "label '-1' in row 1"),
        (SCORES.head(0), "there are no predictions"),
        (pd.concat([SCORES, SCORES[["neutral"]]], axis=1), "predictions: Duplicate column names"),
    ],
)
def test_predictions_that_cannot_be_told_apart_are_not_measured(scores: pd.DataFrame, says: str) -> None:
    with pytest.raises(nextset.NextsetError, match=says):
        nextset.measure(LABELLED, scores)


def test_the_same_ids_under_both_names_are_measured() -> None:
    both = nextset.measure(LABELLED, SCORES.assign(id=SCORES["item_id"])).to_pandas()
    assert both.equals(nextset.measure(LABELLED, SCORES).to_pandas())


def test_no_items_are_not_measured() -> None:
    with pytest.raises(nextset.NextsetError, match="there are no items"):
        nextset.measure(LABELLED.head(0), SCORES)
