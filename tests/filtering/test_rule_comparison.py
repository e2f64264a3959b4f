"""Rules compared, each model held out once: by hand, and as the filter's report has it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.cluster_bootstrap import Clusters, template_clusters
from nextset.filtering.held_out_gap import gap
from nextset.filtering.item_sets import with_their_pairs
from nextset.filtering.rule_comparison import compare, compared_rules, written_rule
from nextset.filtering.rules.rule_base import rule_of
from nextset.records.nli_items import LABELS
from nextset.study.filter_rule_settings import FilterRule
from tests.filtering.scores import CERTAIN, answers, column, wrong_or_right


def rule(written: object) -> FilterRule:
    return FilterRule.model_validate(written)


def clusters(stereotypes: list[str]) -> Clusters:
    return template_clusters(
        pa.table({"stereotype": column(stereotypes), "template_id": column(stereotypes)})
    )


def test_three_models_by_hand() -> None:
    # a misses items 0 to 3, b 2 to 5, c 3 to 6, of ten: accuracies 0.6 each
    missed = {"a": range(4), "b": range(2, 6), "c": range(3, 7)}
    said = answers({m: wrong_or_right([i in some for i in range(10)]) for m, some in missed.items()})
    rules, cases = compare(rule("any_wrong"), said, None, clusters(["s"] * 10))
    found = {(c.rule, c.held_out): c for c in cases}
    # without a, b and c choose: both miss 3, 4 and 5; of these a misses item 3 alone, so it gets 2 of 3 right
    case = found["majority_wrong", "a"]
    assert (case.kept, case.candidates) == (3, 10)
    assert case.drop == pytest.approx(0.6 - 2 / 3)
    assert case.chooser_drop == pytest.approx(0.6)
    # without b, a and c both miss item 3, and so does b
    assert found["majority_wrong", "b"].drop == pytest.approx(0.6)
    # without c, a and b both miss items 2 and 3, and c misses one of these
    assert found["majority_wrong", "c"].drop == pytest.approx(0.6 - 1 / 2)
    (row,) = [r for r in rules if r.rule == "majority_wrong"]
    assert row.drop == pytest.approx((0.6 - 2 / 3 + 0.6 + 0.6 - 1 / 2) / 3)
    assert row.kept == pytest.approx((3 + 1 + 2) / 30)
    assert (row.hardest, row.hardest_drop) == ("a", case.drop)
    assert [r.rule for r in rules if r.own] == ["any_wrong"]
    # two models choose: three that agree are too many, and no note hides it
    (three,) = [r for r in rules if r.rule == "{same_wrong: 3}"]
    assert three.note == "3 models with the same wrong answer are more than the 2 filter models"
    assert three.drop is None


def test_what_does_not_fit_is_noted_and_the_rest_compared() -> None:
    said = answers({"a": [CERTAIN["neutral"]] * 2, "b": [CERTAIN["neutral"]] * 2}, ["neutral", "entailment"])
    own = rule({"aflite": {"target": 9, "train": 5, "slice": 2}})
    rules, cases = compare(own, said, None, clusters(["s", "s"]))
    notes = {r.rule: r.note for r in rules}
    assert notes["any_wrong"] is None
    assert notes["disagreement"] == "disagreement needs at least two filter models"
    assert "not neutral by design: 1 of 2" in str(notes["{lowest_neutral: 0.1}"])
    assert "aflite needs a model's features, not its scores" in str(notes[written_rule(own)])
    assert {c.rule for c in cases} == {"any_wrong", "majority_wrong", "all_wrong"}
    nothing = answers({"a": wrong_or_right([False] * 3), "b": wrong_or_right([True, False, False])})
    rules, _ = compare(rule("any_wrong"), nothing, None, clusters(["s"] * 3))
    assert rules[0].note == "the rule keeps nothing in at least one case"


def test_the_studys_own_rule_is_written_on_a_line_and_once() -> None:
    assert len(compared_rules(rule("any_wrong"))) == len(compared_rules(rule("all_wrong")))
    own = rule({"any_of": ["majority_wrong", {"all_of": ["any_wrong", {"margin_below": 0.2}]}]})
    assert compared_rules(own)[-1] == own
    assert written_rule(own) == "{any_of: [majority_wrong, {all_of: [any_wrong, {margin_below: 0.2}]}]}"


labels = st.sampled_from([CERTAIN[label] for label in LABELS])


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 9), *[labels] * 3), min_size=2, max_size=40))
def test_each_case_is_the_report_of_a_study_with_that_split(items: list[tuple[int, ...]]) -> None:
    """Its drop and interval are those of the held-out shift, with the others as filter models."""
    said = answers({m: [item[i + 1] for item in items] for i, m in enumerate("abc")})  # type: ignore[misc]
    sets = np.array([item[0] % 4 for item in items])
    drawn = clusters([f"s{item[0]}" for item in items])
    _, cases = compare(rule("any_wrong"), said, sets, drawn)
    for case in cases:
        if case.rule not in ("any_wrong", "majority_wrong", "all_wrong"):
            continue
        held_out = "abc".index(case.held_out)
        choosers = said.only([m for m in range(3) if m != held_out])
        keep = with_their_pairs(rule_of(rule(case.rule)).decide(choosers).keep, sets)
        rows = {r.measure: r for r in gap(choosers, said.only([held_out]), keep, drawn)}
        assert case.kept == keep.sum()
        if not case.kept:
            assert (case.drop, case.low, case.chooser_drop) == (None, None, None)
            continue
        shift = rows["held_out_shift"]
        assert case.drop == pytest.approx(-shift.value)  # type: ignore[operator]
        assert case.chooser_drop == pytest.approx(-rows["filter_shift"].value)  # type: ignore[operator]
        if shift.low is None or shift.high is None:
            assert case.low is None
        else:
            assert case.low == pytest.approx(-shift.high)
            assert case.high == pytest.approx(-shift.low)
        assert (case.drawn, case.n) == (shift.drawn, shift.n)
