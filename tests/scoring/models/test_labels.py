from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.scoring.models.labels import NOT_ENTAILMENT, LabelMap, label_map

CASES = st.sampled_from([str.upper, str.lower, str.title])
DASHES = st.sampled_from(["_", "-", " ", ""])


@given(order=st.permutations(LABELS), case=CASES)
def test_three_labels_are_found_by_name_in_any_order_and_case(order, case) -> None:  # type: ignore[no-untyped-def]
    found = label_map("m", dict(enumerate(map(case, order))))
    assert [order[i] for i in (found.entailment, found.neutral, found.contradiction)] == list(LABELS)
    assert found.names == tuple(order)
    assert not found.two_way


@given(first=st.booleans(), dash=DASHES, word=st.sampled_from(["not", "non"]), case=CASES)
def test_two_labels_are_found_by_name(first, dash, word, case) -> None:  # type: ignore[no-untyped-def]
    names = ["entailment", case(f"{word}{dash}entailment")]
    found = label_map("m", dict(enumerate(names if first else names[::-1])))
    assert found == LabelMap(0 if first else 1, None, None)
    assert found.two_way
    assert found.names == (("entailment", NOT_ENTAILMENT) if first else (NOT_ENTAILMENT, "entailment"))


def test_other_spellings_of_published_models() -> None:
    assert label_map("m", {0: "contradictory", 1: "Neutral", 2: "entail"}) == LabelMap(2, 1, 0)


@pytest.mark.parametrize("order", list(permutations(LABELS)))
@pytest.mark.parametrize("names", [("LABEL_0", "LABEL_1", "LABEL_2"), ("0", "1", "2")])
def test_numbered_labels_need_a_map_and_take_it(names: tuple[str, ...], order: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="m has the labels") as e:
        label_map("m", dict(enumerate(names)))
    assert 'in study.yaml: models: {"m": {labels: [LABEL, LABEL, LABEL]}}' in e.value.remedy
    assert label_map("m", dict(enumerate(names)), order).names == order


def test_two_numbered_labels_need_a_map_and_take_it() -> None:
    numbered = {0: "LABEL_0", 1: "LABEL_1"}
    with pytest.raises(ModelError):
        label_map("m", numbered)
    assert label_map("m", numbered, (NOT_ENTAILMENT, "entailment")) == LabelMap(1, None, None)


@pytest.mark.parametrize("order", list(permutations(LABELS)))
def test_a_declared_map_may_repeat_what_the_config_says_and_nothing_else(order: tuple[str, ...]) -> None:
    named = dict(enumerate(LABELS))
    if order == LABELS:
        assert label_map("m", named, order) == label_map("m", named)
    else:
        with pytest.raises(ModelError, match="but its config calls output"):
            label_map("m", named, order)


@pytest.mark.parametrize(
    ("outputs", "declared", "message"),
    [
        (3, ("entailment", NOT_ENTAILMENT), "has 3 outputs"),
        (2, LABELS, "has 2 outputs"),
        (4, LABELS, "has 4 outputs"),
        (3, ("entailment", "entailment", "neutral"), "neither"),
        (3, ("entailment", NOT_ENTAILMENT, NOT_ENTAILMENT), "neither"),
        (2, ("entailment", "contradiction"), "neither"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(outputs: int, declared: tuple[str, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        label_map("m", {i: f"LABEL_{i}" for i in range(outputs)}, declared)


@pytest.mark.parametrize(
    "names",
    [
        ("positive", "negative"),
        ("entailment", "neutral", "contradiction", "hidden"),
        ("entailment", "Entailment", "neutral", "contradiction"),
        ("entailment", "contradiction"),
        ("LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3"),
        ("entailment", "LABEL_1", "LABEL_2"),
    ],
)
def test_other_names_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="builtin:x has the labels") as e:
        label_map("builtin:x", dict(enumerate(names)))
    assert "NLI model" in e.value.remedy
