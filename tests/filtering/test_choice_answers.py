"""Choice items in the filter: wrong and biased choices, flips, and the rules that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nextset
from nextset.errors import InputError
from nextset.filtering.choice_answers import ChoiceAnswers, choice_answers
from nextset.filtering.rules.rule_base import decided, rule_of
from nextset.filtering.table_filter import filter_table
from nextset.records.choice_items import biased_options
from nextset.scoring.wrong_answers import Missing
from nextset.study.filter_rule_settings import FilterRule
from tests.choice_rows import choice_items, choice_scores

ITEMS = choice_items(templates=2, words=1)
ROWS = ITEMS.to_pylist()
NAMES = ("a", "b", "c")


def set_column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


def scores_of(model: str, chosen: list[int | None], flips: float | None = 0.0) -> pa.Table:
    """Certain choices of a model in the order of the items; None is refused."""
    table = choice_scores(ITEMS, model)
    for place, name in enumerate(("option1", "option2", "option3")):
        table = set_column(table, name, [float(place == c) for c in chosen])
    table = set_column(table, "flips", [flips] * len(chosen))
    return set_column(table, "refused", [float(c is None) for c in chosen])


def said(by_model: dict[str, list[int | None]], missing: Missing = "not_wrong") -> ChoiceAnswers:
    tables = [scores_of(model, chosen) for model, chosen in by_model.items()]
    return choice_answers(ITEMS, tables, tuple(by_model), missing=missing)


def kept(rule: Any, answers: ChoiceAnswers) -> list[bool]:
    keep: list[bool] = decided(rule_of(FilterRule.model_validate(rule)), answers).keep.tolist()
    return keep


choices = st.lists(st.none() | st.integers(0, 2), min_size=len(ROWS), max_size=len(ROWS))


def counts(by_model: dict[str, list[int | None]], missing: Missing) -> list[dict[str, int]]:
    """The numbers of models, item by item, counted one by one from the records."""
    found = []
    for i, row in enumerate(ROWS):
        given = [chosen[i] for chosen in by_model.values()]
        biased = biased_options(3, row["polarity"], row["target"], row["unknown"])
        silent = sum(c is None for c in given) * (missing == "wrong")
        wrong = [c for c in given if c is not None and c != row["label"]]
        found.append(
            {
                "wrong": len(wrong) + silent,
                "biased": sum(c in biased for c in given if c is not None) + silent,
                "same": max(wrong.count(place) for place in range(3)) + silent,
                "different": len({c for c in given if c is not None}) + silent,
            }
        )
    return found


@settings(deadline=None, max_examples=40)
@given(drawn=st.lists(choices, min_size=3, max_size=3), missing=st.sampled_from(["not_wrong", "wrong"]))
def test_each_rule_keeps_what_a_count_by_hand_keeps(drawn: list[list[int | None]], missing: Missing) -> None:
    by_model = dict(zip(NAMES, drawn, strict=True))
    answers, found = said(by_model, missing), counts(by_model, missing)
    ambiguous = [row["condition"] == "ambiguous" for row in ROWS]
    expected: dict[Any, list[bool]] = {
        "any_wrong": [f["wrong"] >= 1 for f in found],
        "majority_wrong": [f["wrong"] >= 2 for f in found],
        "all_wrong": [f["wrong"] == 3 for f in found],
        "disagreement": [f["different"] >= 2 or (missing == "wrong" and None in c)
                         for f, c in zip(found, zip(*drawn, strict=True), strict=True)],
    }  # fmt: skip
    for name, keep in expected.items():
        assert kept(name, answers) == keep, name
    assert kept({"at_least_wrong": 2}, answers) == expected["majority_wrong"]
    assert kept({"same_wrong": 2}, answers) == [f["same"] >= 2 for f in found]
    assert kept({"biased_choices": 2}, answers) == [
        a and f["biased"] >= 2 for a, f in zip(ambiguous, found, strict=True)
    ]
    assert kept({"wrong_disambiguated": 1}, answers) == [
        not a and f["wrong"] >= 1 for a, f in zip(ambiguous, found, strict=True)
    ]
    either = {"any_of": [{"biased_choices": 1}, {"wrong_disambiguated": 1}]}
    assert kept(either, answers) == [
        f["biased"] >= 1 if a else f["wrong"] >= 1 for a, f in zip(ambiguous, found, strict=True)
    ]


@settings(deadline=None, max_examples=25)
@given(drawn=st.lists(choices, min_size=2, max_size=2), whole=st.booleans())
def test_kept_and_rejected_are_the_candidates_and_sets_stay_whole(
    drawn: list[list[int | None]], whole: bool
) -> None:
    scores = pa.concat_tables([scores_of(m, c) for m, c in zip(NAMES, drawn, strict=False)])
    filtered = filter_table(ITEMS, scores, {"biased_choices": 1}, form="choice", whole=whole)
    ids = filtered.kept["id"].to_pylist() + filtered.rejected["id"].to_pylist()
    assert sorted(ids) == sorted(ITEMS["id"].to_pylist())
    by_set = set(filtered.kept["set_id"].to_pylist()) & set(filtered.rejected["set_id"].to_pylist())
    assert not (whole and by_set)
    own = filtered.kept.filter(pc.equal(filtered.kept["kept_because"], "own"))
    assert set(own["condition"].to_pylist()) <= {"ambiguous"}


def test_reasons_say_why_an_item_is_rejected() -> None:
    answers = said({"a": [row["label"] for row in ROWS], "b": [row["label"] for row in ROWS]})
    decision = decided(rule_of(FilterRule.model_validate("any_wrong")), answers)
    by_condition = {
        row["condition"]: decision.reasons[why] for row, why in zip(ROWS, decision.why, strict=True)
    }
    assert by_condition == {
        "ambiguous": "every model says that it cannot be known",
        "disambiguated": "every model chooses the right option",
    }
    biased = decided(rule_of(FilterRule.model_validate({"biased_choices": 2})), answers)
    assert {biased.reasons[why] for why in biased.why} == {
        "its context is not ambiguous", "fewer than 2 models choose a biased option"
    }  # fmt: skip


def test_flips_are_the_share_of_the_orders() -> None:
    everything = list(range(len(ROWS)))
    right: list[int | None] = [row["label"] for row in ROWS]
    third = choice_answers(ITEMS, [scores_of("a", right, 1 / 3)], ("a",))
    assert kept({"choice_flips": 1 / 3}, third) == [True] * len(everything)
    assert kept({"choice_flips": 0.5}, third) == [False] * len(everything)
    once = choice_answers(ITEMS, [scores_of("a", right, None)], ("a",))
    decision = decided(rule_of(FilterRule.model_validate({"choice_flips": 0.1})), once)
    assert not decision.keep.any()
    assert decision.reasons[decision.why[0]] == "every model read its options in one order only"


def test_an_item_without_a_known_target_measures_no_bias() -> None:
    items = set_column(ITEMS, "target", [None] * len(ROWS))
    answers = choice_answers(items, [choice_scores(items, "a", 3)], ("a",))
    assert not answers.biased.any()
    decision = decided(rule_of(FilterRule.model_validate({"biased_choices": 1})), answers)
    assert "none of its options is known to name the target" in {decision.reasons[w] for w in decision.why}


def test_margins_and_probabilities_are_those_of_the_scores() -> None:
    scores = choice_scores(ITEMS, "a", 7)
    answers = choice_answers(ITEMS, [scores], ("a",), probabilities=True)
    shares = np.column_stack([scores[f"option{i}"].to_numpy() for i in (1, 2, 3)])
    assert np.array_equal(answers.probabilities[0, :, :3], shares)
    assert np.isnan(answers.probabilities[0, :, 3:]).all()
    ordered = np.sort(shares, axis=1)
    near = ordered[:, 2] - ordered[:, 1] < 0.2
    assert kept({"margin_below": 0.2}, answers) == near.tolist()
    assert answers.answer(0, 0, ROWS[0]) == ROWS[0]["options"][int(shares[0].argmax())]["text"]
    both = answers.joined_to(
        choice_answers(ITEMS, [choice_scores(ITEMS, "b", 8)], ("b",), probabilities=True)
    )
    assert both.models == ("a", "b")
    assert np.array_equal(both.only([0]).chosen, answers.chosen)


def test_tables_in_memory_are_filtered_by_their_columns() -> None:
    scores = pa.concat_tables([choice_scores(ITEMS, "a", 1), choice_scores(ITEMS, "b", 2)])
    needed = [name for name in scores.column_names if name not in ("option4", "option5", "option6", "flips")]
    tables = nextset.filter(ITEMS, scores.select(needed), {"biased_choices": 1})
    assert len(tables["kept"]) + len(tables["rejected"]) == len(ROWS)
    assert "missed_by" in tables["kept"].column_names
    wrong = set_column(ITEMS, "label", [3, *(row["label"] for row in ROWS[1:])])
    with pytest.raises(InputError, match="the label of the items in row 0"):
        nextset.filter(wrong, scores, "any_wrong")
    with pytest.raises(InputError, match="lack the columns polarity, unknown"):
        nextset.filter(ITEMS.drop_columns(["polarity", "unknown"]), scores, "any_wrong")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"lowest_neutral": 0.1}, "lowest_neutral is for NLI items, but the candidates are choice items"),
        ({"aflite": {"target": 9, "train": 5, "slice": 2}}, "aflite is for NLI items, but the candidates"),
        ({"c_at_least": 0.1}, "c_at_least is for questions and statements"),
        ({"biased_choices": 9}, "9 models are more than the 1 filter model"),
        ({"choice_flips": 1.5}, "choice_flips"),
    ],
)
def test_a_rule_that_does_not_fit_choices_is_an_error(rule: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        filter_table(ITEMS, choice_scores(ITEMS, "a"), rule, form="choice")
    if "is for" in says:
        assert "biased_choices" in caught.value.remedy
