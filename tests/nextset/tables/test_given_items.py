"""Values in tables that a caller gives: each is read as what it says, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nextset

LABELS = ["entailment", "neutral", "contradiction"]
N = 12
ITEMS = pd.DataFrame({
    "id": [f"i{k}" for k in range(N)],
    "label": [LABELS[k % 3] for k in range(N)],
    "stance_design": ["pro", "anti"] * 6,
    "domain": "d",
    "stereotype": "s",
    "template_id": [f"t{k // 2}" for k in range(N)],
    "premise": "p",
    "hypothesis": [f"h{k // 2}" for k in range(N)],
})  # fmt: skip
"""Four items of each label."""
SAID = ["neutral", *LABELS[1:], "entailment", *LABELS[1:], "entailment", *LABELS[1:], *LABELS]
"""The label of each item, but neutral for the first, which is an entailment: 11 of 12 are right."""
PREDICTED = pd.DataFrame({"id": ITEMS["id"], "label": SAID})
SCORES = pd.DataFrame(
    [[0.8 if name == label else 0.1 for name in LABELS] for label in SAID], columns=LABELS
).assign(item_id=ITEMS["id"], model="m")


def right_of(items: Any, predictions: pd.DataFrame) -> dict[str, tuple[float, int]]:
    """Return how many items each model gets right, and how many items count."""
    rows = nextset.measure(items, predictions, "accuracy").table().to_pylist()
    return {row["model"]: (round(row["value"] * row["n"], 9), row["n"]) for row in rows}


def test_a_model_with_two_labels_does_not_change_a_model_with_three() -> None:
    two_labels = PREDICTED.assign(
        label=["entailment" if label == "entailment" else "not_entailment" for label in SAID], model="two"
    )
    swapped = [LABELS[2] if label == LABELS[1] else LABELS[1] if label == LABELS[2] else label
               for label in SAID]  # fmt: skip
    three_labels = PREDICTED.assign(label=swapped, model="three")
    # three: only the 3 items that are called an entailment are right; two: all except the first item
    expected = {"three": (3, N), "two": (11, N)}
    assert right_of(ITEMS, pd.concat([three_labels, two_labels])) == expected
    assert right_of(ITEMS, three_labels) == {"three": (3, N)}
    with pytest.raises(nextset.InputError, match="have not_entailment and also neutral or contradiction"):
        right_of(ITEMS, PREDICTED.assign(label=["not_entailment", *SAID[1:]]))


def test_two_measures_with_one_name_are_refused() -> None:
    def constant(value: float) -> Any:
        def same(items: Any, predictions: Any) -> float:
            return value

        return same

    with pytest.raises(nextset.InputError, match="two measures are named 'same'"):
        nextset.measure(ITEMS, PREDICTED, [constant(0.25), constant(0.75)])


def test_flags_in_texts_are_read(tmp_path: Path) -> None:
    # the 4 items without a group, one of which is answered wrongly, do not count: 8 of 8 are right
    flagged = ITEMS.assign(names_group=["False"] * 4 + ["True"] * 8)
    flagged.to_csv(tmp_path / "items.csv", index=False)
    for items in (flagged, tmp_path / "items.csv", ITEMS.assign(names_group=[False] * 4 + [True] * 8)):
        assert right_of(items, PREDICTED) == {"predictions": (8, 8)}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("stance_design", 1, "the stance_design 1"),
        ("stance_design", "stereotype", "the stance_design 'stereotype'"),
        ("verdict", "Valid", "the verdict 'Valid'"),
        ("names_group", None, "neither true nor false"),
        ("names_group", "maybe", "neither true nor false"),
    ],
)
def test_values_of_items_that_are_not_known_are_refused(column: str, value: Any, message: str) -> None:
    known = {"stance_design": "pro", "verdict": None, "names_group": True}
    whole = isinstance(value, int) or value == "maybe"  # a column has one type
    others = [known[column]] * N
    items = ITEMS.assign(**{column: [value] * N if whole else [value, *others[1:]]})
    for call, answers in ((nextset.measure, PREDICTED), (nextset.filter, SCORES)):
        with pytest.raises(nextset.InputError, match=message) as error:
            call(items, answers)
        assert error.value.remedy


def test_predictions_without_a_label_and_columns_of_several_types_are_refused() -> None:
    with pytest.raises(nextset.InputError, match="the predicted label ''"):
        right_of(ITEMS, PREDICTED.assign(label=["", *SAID[1:]]))
    with pytest.raises(nextset.InputError, match="items: the rows differ in type"):
        right_of(ITEMS.assign(label=[0, *LABELS[1:] * 5, "neutral"]), PREDICTED)
