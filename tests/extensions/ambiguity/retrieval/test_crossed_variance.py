"""Variances of means over questions and titles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.extensions.ambiguity.retrieval.crossed_variance import FEW_TITLES, CrossedClusters
from nextset.interval import wilson


def clusters(questions: list[int], titles: list[int]) -> CrossedClusters:
    return CrossedClusters(np.array(questions, np.int64), np.array(titles, np.int64))


def influence(hits: list[bool]) -> npt.NDArray[np.float64]:
    values = np.array(hits, np.float64)
    found: npt.NDArray[np.float64] = (values - values.mean()) / len(values)
    return found


def test_titles_of_one_question_only_give_the_variance_between_questions() -> None:
    # shares 1, 0, 1, 0 of two passages each: variance of the mean of four is ¼ · 4 / 3 / 4
    hits = [True, True, False, False, True, True, False, False]
    found = clusters([0, 0, 1, 1, 2, 2, 3, 3], list(range(8))).spread(influence(hits)[:, None])
    assert found.variance[0] == pytest.approx(0.25 / 3)
    # Satterthwaite: (1/12 + 1/28)² / ((1/12)² / 3 + (1/28)² / 7)
    assert found.freedom == pytest.approx((1 / 12 + 1 / 28) ** 2 / ((1 / 12) ** 2 / 3 + (1 / 28) ** 2 / 7))


def test_one_question_has_wilsons_interval() -> None:
    hits = np.array([True] * 2 + [False] * 8)
    found = clusters([0] * 10, list(range(10))).interval(hits, influence(hits.tolist()))
    assert found.interval == wilson(2, 10)
    assert found.design_effect == 1


def test_people_with_several_passages_count_once() -> None:
    hits = np.repeat(np.array([True] * 2 + [False] * 8), 3)
    titles = np.repeat(np.arange(10), 3).tolist()
    found = clusters([0] * 30, titles).interval(hits, influence(hits.tolist()))
    assert found.design_effect == pytest.approx(3)
    expected = wilson(2, 10)
    assert expected is not None
    assert found.interval is not None
    ends = (found.interval.low, found.interval.point, found.interval.high)
    assert ends == pytest.approx((expected.low, 0.2, expected.high))


def test_the_design_effect_holds_no_quantile_of_t() -> None:
    hits = np.array([True, True, False, False, True, True, False, False])
    crossed = clusters([0, 0, 1, 1, 2, 2, 3, 3], list(range(8)))
    found = crossed.interval(hits, influence(hits.tolist()))
    spread = crossed.spread(influence(hits.tolist())[:, None])
    assert found.design_effect == pytest.approx(spread.variance[0] / (0.25 / 8))
    n = 8 / found.design_effect / spread.widened**2
    assert found.interval == wilson(n / 2, n)


def test_fewer_than_five_effective_titles_have_no_interval() -> None:
    hits = np.array([True, False] * 10)
    even = clusters([i // 5 for i in range(20)], [i % 5 for i in range(20)])
    assert even.effective_titles == pytest.approx(5)
    assert even.interval(hits, influence(hits.tolist())).interval is not None
    # eight titles, of which one is two thirds of all rows: 1 / (0.65² + 7 · 0.05²) = 2.27
    few = clusters([i // 5 for i in range(20)], [0] * 13 + list(range(1, 8)))
    assert few.effective_titles == pytest.approx(1 / (0.65**2 + 7 * 0.05**2))
    assert few.interval(hits, influence(hits.tolist())).interval is None


def test_a_weighted_share_is_wilsons_of_effective_titles() -> None:
    # one question with two passages, and one with eight, each question half of the weight; all of a group
    weights = np.array([1 / 4] * 2 + [1 / 16] * 8)
    crossed = CrossedClusters(np.array([0] * 2 + [1] * 8), np.arange(10), weights)
    assert crossed.effective_titles == pytest.approx(1 / (2 / 16 + 8 / 256))
    found = crossed.interval(np.ones(10, np.bool_), np.zeros(10))
    assert found.share == 1
    assert found.interval is not None
    assert found.interval.low < 1  # no interval without width


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 8), st.booleans()), min_size=1, max_size=60, unique=True
    )
)
def test_an_interval_holds_its_share_and_stays_within_0_and_1(rows: list[tuple[int, int, bool]]) -> None:
    questions, titles, hits = (list(values) for values in zip(*rows, strict=True))
    crossed = clusters(questions, titles)
    found = crossed.interval(np.array(hits), influence(hits))
    assert found.share == pytest.approx(np.mean(hits))
    assert found.design_effect >= 1 - 1e-9
    assert (found.interval is None) == (crossed.effective_titles < FEW_TITLES - 1e-9)
    if found.interval is not None:
        assert 0 <= found.interval.low <= found.share <= found.interval.high <= 1


@given(st.lists(st.booleans(), min_size=2, max_size=30))
def test_the_order_of_rows_does_not_matter(hits: list[bool]) -> None:
    n = len(hits)
    questions, titles = [i % 4 for i in range(n)], [i % 7 for i in range(n)]
    one = clusters(questions, titles).spread(influence(hits)[:, None])
    other = clusters(questions[::-1], titles[::-1]).spread(influence(hits)[::-1][:, None])
    assert one.variance[0] == pytest.approx(other.variance[0])
    assert one.freedom == pytest.approx(other.freedom)
