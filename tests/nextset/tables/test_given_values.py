"""Values in tables that a caller gives: each is read as what it says, or refused."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
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


def test_two_functions_with_one_name_are_refused() -> None:
    def constant(value: float) -> Any:
        def same(items: Any, predictions: Any) -> float:
            return value

        return same

    with pytest.raises(nextset.InputError, match="two measures are named 'same'"):
        nextset.measure(ITEMS, PREDICTED, [constant(0.25), constant(0.75)])

    def scorer(row: Sequence[float], pairs: Sequence[Any]) -> Any:
        return np.tile(row, (len(pairs), 1))

    first, second = (functools.partial(scorer, row) for row in ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7]))
    with pytest.raises(nextset.InputError, match="two models are named 'partial'"):
        nextset.score(ITEMS, models=[first, second])
    second.__name__ = "other"  # type: ignore[attr-defined]
    scores = nextset.score(ITEMS, models=[first, second])
    assert scores.to_pandas().groupby("model")["entailment"].first().to_dict() == {
        "partial": 0.7, "other": 0.1
    }  # fmt: skip
    one_by_one = pd.concat([nextset.score(ITEMS, models=scorer).to_pandas() for scorer in
                            (functools.partial(scorer, [0.7, 0.2, 0.1]),
                             functools.partial(scorer, [0.1, 0.2, 0.7]))])  # fmt: skip
    for call in (nextset.filter, nextset.measure):
        with pytest.raises(nextset.InputError, match="two different answers for the item i0 by partial"):
            call(ITEMS, one_by_one)


@pytest.mark.parametrize("places", [slice(None), slice(None, None, -1)])
def test_of_equal_answers_one_counts_and_different_answers_are_refused(places: slice) -> None:
    assert right_of(ITEMS, pd.concat([PREDICTED, PREDICTED])) == {"predictions": (11, N)}
    other = [PREDICTED, PREDICTED.assign(label="neutral")][places]
    with pytest.raises(nextset.InputError, match="the predictions have two different answers"):
        right_of(ITEMS, pd.concat(other))
    turned = SCORES.assign(entailment=SCORES["contradiction"], contradiction=SCORES["entailment"])
    with pytest.raises(nextset.InputError, match="the scores have two different answers"):
        nextset.filter(ITEMS, pd.concat([SCORES, turned][places]))
    missing = SCORES.assign(neutral=None, contradiction=None)
    with pytest.raises(nextset.InputError, match="the scores have two different answers"):
        nextset.filter(ITEMS, pd.concat([SCORES, missing][places]))


def test_ids_can_be_numbers() -> None:
    numbered = ITEMS.assign(id=range(N))
    assert right_of(numbered, PREDICTED.assign(id=range(N))) == {"predictions": (11, N)}
    kept = nextset.filter(numbered, SCORES.assign(item_id=range(N)), "all_wrong")
    assert kept["kept"]["id"].to_pylist() == ["0"]


def test_flags_in_texts_are_read(tmp_path: Path) -> None:
    # the 4 items without a group, one of which is answered wrongly, do not count: 8 of 8 are right
    flagged = ITEMS.assign(names_group=["False"] * 4 + ["True"] * 8)
    flagged.to_csv(tmp_path / "items.csv", index=False)
    for items in (flagged, tmp_path / "items.csv", ITEMS.assign(names_group=[False] * 4 + [True] * 8)):
        assert right_of(items, PREDICTED) == {"predictions": (8, 8)}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("label", 0, "the label 0"),
        ("label", "Entailment", "the label 'Entailment'"),
        ("label", None, "the label None"),
        ("stance_design", 1, "the stance_design 1"),
        ("stance_design", "stereotype", "the stance_design 'stereotype'"),
        ("verdict", "Valid", "the verdict 'Valid'"),
        ("names_group", None, "neither true nor false"),
        ("names_group", "maybe", "neither true nor false"),
        ("id", None, "1 rows without an id"),
    ],
)
def test_values_of_items_that_are_not_known_are_refused(column: str, value: Any, message: str) -> None:
    known = {"label": "neutral", "stance_design": "pro", "verdict": None, "names_group": True}
    whole = isinstance(value, int) or value == "maybe"  # a column has one type
    others = ITEMS["id"].tolist() if column == "id" else [known[column]] * N
    items = ITEMS.assign(**{column: [value] * N if whole else [value, *others[1:]]})
    for call, answers in ((nextset.measure, PREDICTED), (nextset.filter, SCORES)):
        with pytest.raises(nextset.InputError, match=message) as error:
            call(items, answers)
        assert error.value.remedy


@pytest.mark.parametrize("function", [np.log, lambda p: 100 * p])
def test_logits_and_percentages_are_refused(function: Any) -> None:
    scores = SCORES.assign(**{name: function(SCORES[name]) for name in LABELS})
    for call in (nextset.filter, nextset.measure):
        with pytest.raises(nextset.InputError, match="not in \\[0, 1\\]"):
            call(ITEMS, scores)


def test_predictions_without_a_label_a_model_or_a_single_id_are_refused() -> None:
    missing: Any = None
    wrong = [
        (PREDICTED.assign(label=["", *SAID[1:]]), "the predicted label ''"),
        (PREDICTED.assign(model=[missing, *["m"] * (N - 1)]), "1 rows without a model"),
        (PREDICTED.assign(item_id=PREDICTED["id"].tolist()[::-1]), "the columns id and item_id"),
    ]
    for predictions, message in wrong:
        with pytest.raises(nextset.InputError, match=message):
            right_of(ITEMS, predictions)
    with pytest.raises(nextset.InputError, match="items: the rows differ in type"):
        right_of(ITEMS.assign(label=[0, *LABELS[1:] * 5, "neutral"]), PREDICTED)
    with pytest.raises(nextset.InputError, match="without a value in the column premise"):
        nextset.score(ITEMS.assign(premise=[missing, *["p"] * (N - 1)]), models=lambda pairs: [[1, 0, 0]])
