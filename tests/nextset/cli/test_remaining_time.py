"""The time left: simulated stages, each asked again and again how long it still takes."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.cli.remaining_time import RemainingTime

Reports = list[tuple[float, float]]
"""The time and the finished parts of each report."""


def wrong(reports: Reports, total: float, share: float = 0.1, after: float = 0.0) -> float:
    """The share of a thousand moments at which the time left is wrong by more than a factor of two.

    Moments count once ``share`` of the work is done, after the time ``after``, and until 3 % of the time are
    left, when one part of the work decides.
    """
    remaining, end, done = RemainingTime(), reports[-1][0], 0.0
    remaining.note(0, 0, total)
    moments: Iterable[tuple[float, float | None]] = ((end * i / 1000, None) for i in range(1, 1000))
    misses = asked = 0
    for now, more in sorted([*reports, *moments], key=lambda moment: moment[0]):
        if more is not None:
            remaining.note(now, more, total)
            done = more
            continue
        left = end - now
        if done / total >= share and now > after and left > 0.03 * end:
            pace = remaining.pace(now)
            assert pace is not None
            asked += 1
            misses += not left / 2 <= pace.left <= 2 * left
    assert asked > 20
    return misses / asked


def test_the_time_left_by_hand() -> None:
    remaining = RemainingTime()
    assert remaining.pace(3) is None
    remaining.note(0, 2, 12)
    assert remaining.pace(3) is None  # an earlier run made these parts
    remaining.note(10, 3, 12)
    remaining.note(20, 4, 12)
    pace = remaining.pace(25)
    assert pace is not None
    # 10 s each; the fifth needs 5 s more, and 7 more follow
    assert pace.per_second == pytest.approx(0.1)
    assert pace.left == pytest.approx(5 + 7 * 10)
    pace = remaining.pace(50)
    assert pace is not None
    # the fifth is 20 s late, so 20 s more; then at best 3 parts in 50 s, for 7 more
    assert pace.left == pytest.approx(20 + 7 * 50 / 3)


@given(st.floats(0.001, 1000), st.integers(10, 300))
def test_an_even_rate_is_foreseen(seconds: float, parts: int) -> None:
    assert wrong([(seconds * i, i) for i in range(1, parts + 1)], parts) == 0


@given(st.integers(8, 60), st.integers(2, 32), st.floats(1, 100))
def test_bursts_of_requests_sent_together(bursts: int, at_once: int, seconds: float) -> None:
    reports = [
        (seconds * (b + 1) + 0.001 * seconds * i, b * at_once + i + 1.0)
        for b in range(bursts)
        for i in range(at_once)
    ]
    assert wrong(reports, bursts * at_once, share=max(0.1, 2.5 / bursts)) < 0.02


@pytest.mark.parametrize("at_once", [1, 4, 16])
def test_requests_of_different_length(at_once: int) -> None:
    for seed in range(20):
        drawn, free, ends = random.Random(seed), [0.0] * at_once, []
        for _ in range(400):
            ends.append(heapq.heappop(free) + drawn.uniform(5, 15))
            heapq.heappush(free, ends[-1])
        assert wrong([(end, i + 1) for i, end in enumerate(sorted(ends))], 400) < 0.02


@given(st.floats(0.1, 0.9), st.floats(0.001, 0.1))
def test_stored_answers_come_first(stored: float, instant: float) -> None:
    # a thousand prompts; a second for each that is asked, and the stored ones take an instant in all
    known = int(1000 * stored)
    reports: Reports = [(instant * i / known, i) for i in range(1, known + 1)]
    reports += [(instant + i, known + i) for i in range(1, 1001 - known)]
    assert wrong(reports, 1000, after=3) < 0.02


@given(st.floats(2, 30))
def test_a_slower_model_after_faster_ones(slower: float) -> None:
    # two models take 50 s each in 100 steps; the third is slower. While it is unknown, nothing can say so;
    # it is known once it has taken half as long as the others
    reports: Reports = [(0.5 * i, 0.01 * i) for i in range(1, 201)]
    reports += [(100 + 0.5 * slower * i, 2 + 0.01 * i) for i in range(1, 101)]
    assert wrong(reports, 3, after=100 + 60) == 0


def test_a_part_that_is_late_is_never_almost_done() -> None:
    # two parts in 10 s, and the third, which says nothing, takes 330 s: earlier "about 0 s left" from 15 s on
    remaining = RemainingTime()
    for now, done in ((0, 0), (5, 1), (10, 2)):
        remaining.note(now, done, 3)
    paces = [remaining.pace(now) for now in (30, 90, 170)]
    assert [pace.left for pace in paces if pace] == [15, 75, 155]
