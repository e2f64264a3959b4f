"""Before and after: accuracies, bias of quads, and the gap to the held-out models."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cluster_bootstrap import Clusters, template_clusters
from nextset.filtering.balance import parts_by
from nextset.filtering.held_out_gap import MEASURES, accuracies, biases, gap
from nextset.filtering.model_answers import complete_answers
from nextset.filtering.survival import ANY, OverlapRow, overlap, survival
from nextset.records.filter_tables import AccuracyRow, GapRow, SurvivalRow
from tests.filtering.scores import answers, column, quad_answers_of, wrong_or_right


def by_name(rows: list[GapRow]) -> dict[str, GapRow]:
    return {row.measure: row for row in rows}


def clusters(templates: list[str]) -> Clusters:
    stereotypes = column(["s"] * len(templates))
    return template_clusters(pa.table({"stereotype": stereotypes, "template_id": column(templates)}))


def apart(n: int) -> Clusters:
    """Items with a template each."""
    return clusters([f"t{i}" for i in range(n)])


def test_accuracies_by_hand() -> None:
    said = answers({"a": wrong_or_right([True, False, False, None]), "b": wrong_or_right([False] * 4)})
    keep = np.array([True, True, False, False])
    assert accuracies(said, keep, "filter") == [
        AccuracyRow("a", "filter", None, 1 / 2, 3, 2),
        AccuracyRow("b", "filter", 1.0, 1.0, 4, 2),
    ]
    assert accuracies(said, np.zeros(4, np.bool_), "filter")[0].after is None


def test_a_model_that_a_cascade_asks_later_is_not_compared() -> None:
    # any_wrong: what the first model misses is kept, and the second is asked about the rest alone
    wrong = ([True, False, False, False], [None, True, False, False])
    filters = answers({"a": wrong_or_right(wrong[0]), "b": wrong_or_right(wrong[1])})
    held_out = answers({"h": wrong_or_right([False] * 4)})
    keep = np.array([True, True, False, False])
    # of what is kept the second was asked about one, which it misses: 0 of 1 would say nothing of it
    assert [(r.before, r.after, r.n_after) for r in accuracies(filters, keep, "filter")] == [
        (0.75, 0.5, 2),
        (None, None, 1),
    ]
    values = {r.measure: r.value for r in gap(filters, held_out, keep, clusters(["s"] * 4))}
    assert (values["filter_before"], values["filter_after"], values["held_out_after"]) == (0.75, 0.5, 1.0)
    assert complete_answers(filters).models == ("a",)


def test_bias_of_quads_by_hand() -> None:
    said = quad_answers_of({"a": [(0.25, True), (-0.125, False), (0.0, False)]})
    (row,) = biases(said, np.array([True, False, False]), "held_out")
    assert (row.c_before, row.c_after) == (0.125, 0.25)
    assert (row.differs_before, row.differs_after) == (1 / 3, 1.0)


def test_the_gap_by_hand() -> None:
    # ten items; the filter's model misses four, which are kept; the held-out one misses one of these
    filters = answers({"a": wrong_or_right([True] * 4 + [False] * 6)})
    held_out = answers({"h": wrong_or_right([True] + [False] * 9)})
    keep = np.array([True] * 4 + [False] * 6)
    rows = by_name(gap(filters, held_out, keep, apart(10)))
    assert list(rows) == list(MEASURES)
    values = {name: row.value for name, row in rows.items()}
    assert values["filter_before"] == 0.6
    assert values["filter_after"] == 0.0
    assert values["held_out_before"] == 0.9
    assert values["held_out_after"] == 0.75
    assert values["gap_after"] == 0.75
    assert values["filter_shift"] == pytest.approx(-0.6)
    # the held-out model falls by 0.15, the filter's by 0.6
    assert values["gap_of_shifts"] == pytest.approx(0.45)
    # what is measured on the four kept items alone draws from them, which are too few for an interval
    assert (rows["filter_after"].low, rows["filter_after"].high) == (None, None)
    assert rows["filter_before"].low is not None
    assert {(row.measure, row.n) for row in rows.values() if row.measure.endswith("_after")} == {
        ("filter_after", 4), ("held_out_after", 4), ("gap_after", 4),
    }  # fmt: skip
    assert {(row.drawn, row.n) for row in rows.values() if not row.measure.endswith("_after")} == {
        ("templates", 10)
    }


def test_the_interval_of_none_and_of_all_is_wilsons() -> None:
    # six kept items, all missed: 0 of 6 has the upper end z² / (6 + z²) = 3.8415 / 9.8415
    filters = answers({"a": wrong_or_right([True] * 6 + [False] * 4)})
    held_out = answers({"h": wrong_or_right([False] * 10)})
    keep = np.array([True] * 6 + [False] * 4)
    rows = by_name(gap(filters, held_out, keep, apart(10)))
    assert rows["filter_after"].low == pytest.approx(0)
    assert rows["filter_after"].high == pytest.approx(3.8415 / 9.8415, abs=1e-5)
    # 10 of 10: the lower end is 10 / (10 + z²)
    assert rows["held_out_before"].low == pytest.approx(10 / 13.8415, abs=1e-5)
    assert rows["held_out_before"].high == pytest.approx(1)
    # a difference of two values that never vary does not vary
    assert (rows["gap_after"].value, rows["gap_after"].low, rows["gap_after"].high) == (1, 1, 1)


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    # 300 of 1,000 wrong: standard error √(0.3 · 0.7 / 1000) = 0.0145, so 0.7 ± 0.0284
    filters = answers({"a": wrong_or_right([i < 300 for i in range(1000)])})
    held_out = answers({"h": wrong_or_right([False] * 1000)})
    keep = np.ones(1000, np.bool_)
    row = by_name(gap(filters, held_out, keep, apart(1000)))["filter_before"]
    assert row.low == pytest.approx(0.6716, abs=0.004)
    assert row.high == pytest.approx(0.7284, abs=0.004)


def test_templates_are_drawn() -> None:
    # all items of a template are alike: drawing items would make the interval far too narrow
    templates = [f"t{i % 10}" for i in range(1000)]
    filters = answers({"a": wrong_or_right([i % 10 < 3 for i in range(1000)])})
    held_out = answers({"h": wrong_or_right([False] * 1000)})
    row = by_name(gap(filters, held_out, np.ones(1000, np.bool_), clusters(templates)))["filter_before"]
    assert (row.drawn, row.n) == ("templates", 10)
    # ten draws of a share of 0.7: √(0.21 / 10) = 0.145, and with 9 degrees of freedom ± 2.26 √(10/9) of it
    assert row.low is not None
    assert row.high is not None
    assert 0.5 <= row.high - row.low <= 0.75


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_intervals_hold_their_value_and_come_out_the_same(said: list[tuple[bool, bool, bool]]) -> None:
    filters = answers({"a": wrong_or_right([s[0] for s in said])})
    held_out = answers({"h": wrong_or_right([s[1] for s in said])})
    keep = np.array([s[2] for s in said])
    items = apart(len(said))
    rows = gap(filters, held_out, keep, items)
    assert gap(filters, held_out, keep, items) == rows
    for row in rows:
        assert (row.value is None) == (row.measure.endswith(("after", "shift", "shifts")) and not keep.any())
        if row.low is not None and row.high is not None and row.value is not None:
            assert row.low <= row.high


def test_survival_and_overlap_by_hand() -> None:
    keep = np.array([True, True, False, True])
    hard = np.array([[True, False, False, True], [True, True, False, False]])
    parts = parts_by("domain", column(["race", "gender", "gender", "race"]))
    assert survival(parts, keep, hard, np.ones_like(hard), ("a", "b")) == [
        SurvivalRow("domain", "gender", ANY, 2, 1),
        SurvivalRow("domain", "gender", "a", 2, 0),
        SurvivalRow("domain", "gender", "b", 2, 1),
        SurvivalRow("domain", "race", ANY, 2, 2),
        SurvivalRow("domain", "race", "a", 2, 2),
        SurvivalRow("domain", "race", "b", 2, 1),
    ]
    assert overlap(keep, hard, ("a", "b")) == [
        OverlapRow((), 1, 0),
        OverlapRow(("a",), 1, 1),
        OverlapRow(("a", "b"), 1, 1),
        OverlapRow(("b",), 1, 1),
    ]


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), max_size=50))
def test_the_combinations_add_up(said: list[list[bool]]) -> None:
    hard = np.array(said, np.bool_).reshape(-1, 3).T
    keep = np.asarray(hard.any(axis=0))
    rows = overlap(keep, hard, ("a", "b", "c"))
    assert sum(r.candidates for r in rows) == len(said)
    assert sum(r.kept for r in rows) == keep.sum()
    for m, model in enumerate("abc"):
        assert sum(r.candidates for r in rows if model in r.models) == hard[m].sum()
