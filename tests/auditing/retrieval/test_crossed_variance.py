"""Variances of means over questions and titles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.retrieval.crossed_variance import CrossedClusters
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
    found, design = clusters([0] * 10, list(range(10))).interval(hits, influence(hits.tolist()))
    assert found == wilson(2, 10)
    assert design == 1


def test_people_with_several_passages_count_once() -> None:
    hits = np.repeat(np.array([True] * 2 + [False] * 8), 3)
    titles = np.repeat(np.arange(10), 3).tolist()
    found, design = clusters([0] * 30, titles).interval(hits, influence(hits.tolist()))
    assert design == pytest.approx(3)
    expected = wilson(2, 10)
    assert expected is not None
    assert (found.low, found.point, found.high) == pytest.approx((expected.low, 0.2, expected.high))


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 8), st.booleans()), min_size=1, max_size=60, unique=True
    )
)
def test_an_interval_holds_its_share_and_stays_within_0_and_1(rows: list[tuple[int, int, bool]]) -> None:
    questions, titles, hits = (list(values) for values in zip(*rows, strict=True))
    found, design = clusters(questions, titles).interval(np.array(hits), influence(hits))
    assert 0 <= found.low <= found.point <= found.high <= 1
    assert found.point == pytest.approx(np.mean(hits))
    assert design >= 1


@given(st.lists(st.booleans(), min_size=2, max_size=30))
def test_the_order_of_rows_does_not_matter(hits: list[bool]) -> None:
    n = len(hits)
    questions, titles = [i % 4 for i in range(n)], [i % 7 for i in range(n)]
    one = clusters(questions, titles).spread(influence(hits)[:, None])
    other = clusters(questions[::-1], titles[::-1]).spread(influence(hits)[::-1][:, None])
    assert one.variance[0] == pytest.approx(other.variance[0])
    assert one.freedom == pytest.approx(other.freedom)
