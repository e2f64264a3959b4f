"""Comparisons of models and sets: Holm's correction, paired draws, and p-values that agree with intervals."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.audit_records import ComparisonRow
from nextset.auditing.model_comparisons import Compared, compare_models, compare_sets, corrected
from nextset.bootstrap_intervals import DrawnMeasure
from nextset.cluster_bootstrap import DRAWS

ROW = ComparisonRow(
    kind="models", form="nli", subject_class="", measure="accuracy", first_model="a", second_model="b",
    first_items="x", second_items="x", first_value=0, second_value=0, difference=0, low=None, high=None,
    p=None, p_corrected=None, comparisons=0,
)  # fmt: skip


def compared(model: str, mean: float, measure: str = "accuracy", seed: int = 0, items: str = "x") -> Compared:
    noise = np.random.default_rng(seed).normal(0, 0.1, DRAWS)
    return Compared(
        form="nli", items=items, subject_class="", model=model, role="audit", measure=measure,
        drawn=DrawnMeasure(np.concatenate([[mean], mean + noise]), (50,)),
    )  # fmt: skip


def holm(values: list[float | None]) -> list[float | None]:
    return [row.p_corrected for row in corrected([replace(ROW, p=p) for p in values])]


def test_holm_by_hand() -> None:
    # sorted .01, .02, .04: .01 · 3 = .03; .02 · 2 = .04; .04 · 1 = .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    # .03 · 2 = .06, and .04 · 1 may not be less: .06
    assert holm([0.04, 0.03]) == pytest.approx([0.06, 0.06])
    assert holm([0.6, 0.7]) == [1, 1]
    # a difference without p counts as one that is not there: .04 · 2
    assert holm([0.04, None]) == [0.08, None]
    assert {row.comparisons for row in corrected([replace(ROW, p=0.5), ROW, replace(ROW, p=0.1)])} == {3}
    assert corrected([]) == []


@pytest.fixture(scope="module")
def multitest() -> Iterator[Any]:
    """The corrections of statsmodels, which collects garbage at each call: only what is new by then."""
    module = pytest.importorskip("statsmodels.stats.multitest")
    gc.freeze()
    yield module
    gc.unfreeze()


@pytest.mark.slow  # statsmodels takes its time to be imported
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(multitest: Any, values: list[float]) -> None:
    assert holm(list(values)) == pytest.approx(multitest.multipletests(values, method="holm")[1].tolist())
    among_others = multitest.multipletests([*values, 1, 1], method="holm")[1].tolist()
    assert holm([*values, None, None])[: len(values)] == pytest.approx(among_others[: len(values)])


def test_models_share_the_draws() -> None:
    """Both vary by the same noise: their difference is 0.2 in each draw, and has no spread."""
    (row,) = compare_models([compared("a", 0.5), compared("b", 0.7)])
    assert (row.first_model, row.second_model) == ("a", "b")
    assert (row.first_value, row.second_value) == (0.5, 0.7)
    assert (row.difference, row.low, row.high) == pytest.approx((0.2, 0.2, 0.2))
    assert row.p is not None
    assert row.p < 0.01
    (other,) = compare_models([compared("a", 0.5), compared("b", 0.7, seed=1)])
    assert other.high - other.low > 0.4  # type: ignore[operator]


def test_every_two_models_of_a_set_are_one_family() -> None:
    rows = compare_models(
        compared(model, 0.1 * i, measure, seed=i, items=items)
        for items in ("x", "y")
        for measure in ("pro", "anti")
        for i, model in enumerate("abc")
    )
    assert len(rows) == 2 * 2 * 3
    assert {row.comparisons for row in rows} == {6}
    assert {(r.first_model, r.second_model) for r in rows} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert all(row.first_items == row.second_items for row in rows)
    assert all(row.p_corrected >= row.p for row in rows)  # type: ignore[operator]


@given(st.floats(-0.6, 0.6), st.integers(0, 50))
def test_p_and_interval_agree(shift: float, seed: int) -> None:
    (row,) = compare_models([compared("a", 0.5, seed=seed), compared("b", 0.5 + shift, seed=seed + 1)])
    assert row.low is not None
    assert row.high is not None
    assert row.p is not None
    if row.p < 0.045 or row.p > 0.055:  # between, the ends are interpolated between draws
        assert (row.p < 0.05) == (row.low > 0 or row.high < 0)


def test_undefined_values_are_not_compared_and_few_clusters_have_no_p() -> None:
    nothing = replace(compared("b", 0.5), drawn=DrawnMeasure(np.full(1 + DRAWS, np.nan), (50,)))
    assert compare_models([compared("a", 0.5), nothing]) == []
    few = DrawnMeasure(compared("b", 0.7).drawn.values, (3,))
    (row,) = compare_models([compared("a", 0.5), replace(compared("b", 0.7), drawn=few)])
    assert row.difference == pytest.approx(0.2)
    assert (row.low, row.p, row.p_corrected, row.comparisons) == (None, None, None, 1)


def test_sets_are_compared_by_measure_and_the_values_stay_as_they_are() -> None:
    first, second = compared("a", 0.5, items="plain"), compared("a", 0.3, items="released")
    before = first.drawn.values.copy(), second.drawn.values.copy()
    (row,) = compare_sets([(first, second)])
    assert (row.kind, row.first_items, row.second_items) == ("sets", "plain", "released")
    assert row.difference == pytest.approx(-0.2)
    assert np.array_equal(first.drawn.values, before[0])
    assert np.array_equal(second.drawn.values, before[1])


def test_what_chance_raises_in_both_models_is_not_a_difference() -> None:
    """0.5 and 0.6, where chance adds 0.1 or 0.12 to the second and 0.02 to the first: 0.02 or 0 are left."""
    noise = np.random.default_rng(0).normal(0, 0.01, DRAWS)
    first = DrawnMeasure(np.full(1 + DRAWS, 0.5), (50,), raised=np.array([0.02, 0.02]))
    second = DrawnMeasure(np.concatenate([[0.6], 0.6 + noise]), (50,), raised=np.array([0.1, 0.12]))
    (row,) = compare_models(
        replace(compared(name, 0), measure="mu", drawn=drawn) for name, drawn in (("a", first), ("b", second))
    )
    assert row.difference == pytest.approx(0.1)
    assert row.p == pytest.approx(1)
    # t(0.975; 49) = 2.0096 standard errors of 0.01 beyond both
    assert row.low == pytest.approx(0 - 0.0201, abs=0.001)
    assert row.high == pytest.approx(0.02 + 0.0201, abs=0.001)
