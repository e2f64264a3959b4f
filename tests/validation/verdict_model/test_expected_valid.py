"""The expected number of valid units, with values computed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.expected_valid import (
    expected_valid,
    expected_without_verdicts,
    half_width,
)
from tests.validation.report.example import REPORT


def verdicts(valid: int, invalid: int = 0, incoherent: int = 0) -> dict[str, Verdict]:
    counts: dict[Verdict, int] = {"valid": valid, "invalid": invalid, "incoherent": incoherent}
    said = [verdict for verdict, n in counts.items() for _ in range(n)]
    return {f"u{i}": verdict for i, verdict in enumerate(said)}


def test_by_the_share_by_hand() -> None:
    """30 of 50 of 250 units: a sample of 50 · 250 / 200 = 62.5 with the share 0.6."""
    found = expected_valid(250, verdicts(30, 15, 5), None)
    assert (found.ground, found.units, found.judged, found.valid) == ("share", 250, 50, 30)
    assert found.expected == pytest.approx(150)
    z, n, p = 1.959963984540054, 62.5, 0.6
    shrink = 1 + z**2 / n
    half = z * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5 / shrink
    centre = (p + z**2 / (2 * n)) / shrink
    assert found.low == pytest.approx(250 * (centre - half))
    assert found.high == pytest.approx(250 * (centre + half))
    # 119 to 178: with 50 of very many units it would be 0.4618 to 0.7239 of them
    assert found.low is not None
    assert found.high is not None
    assert (round(found.low), round(found.high)) == (119, 178)


def test_when_all_are_judged_there_is_nothing_to_expect() -> None:
    found = expected_valid(50, verdicts(30, 20), None)
    assert (found.low, found.expected, found.high) == (30, 30, 30)


@given(valid=st.integers(0, 40), invalid=st.integers(0, 40), rest=st.integers(0, 500))
def test_the_interval_is_within_what_is_possible(valid: int, invalid: int, rest: int) -> None:
    if valid + invalid == 0:
        return
    found = expected_valid(valid + invalid + rest, verdicts(valid, invalid), None)
    assert found.low is not None
    assert found.high is not None
    assert found.expected is not None
    assert valid <= found.low <= found.expected + 1e-9
    assert found.expected <= found.high + 1e-9
    assert found.high <= valid + rest


def test_samples_of_fifty_hold_what_is_there() -> None:
    """Of 400 samples of 50 from 300 units, of which 120 are valid, about 5 % miss it."""
    random = np.random.default_rng(0)
    missed = 0
    for _ in range(400):
        hits = int(random.hypergeometric(120, 180, 50))
        found = expected_valid(300, verdicts(hits, 50 - hits), None)
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 120 <= found.high
    assert 8 <= missed <= 32


def test_the_model_is_believed_if_it_is_better_and_knows_these_verdicts() -> None:
    report = REPORT.validator
    assert report is not None
    said = verdicts(104, 45, 34)
    found = expected_valid(214, said, report)
    assert (found.ground, found.low, found.high) == ("verdict model", 104 + 12.1, 104 + 22.7)
    assert found.expected == pytest.approx(121.4)
    assert expected_valid(214, said, replace(report, better=False)).ground == "share"
    assert expected_valid(214, verdicts(105, 45, 34), report).ground == "share"
    assert expected_valid(215, said, report).ground == "share"


def test_nothing_is_known_before_the_first_verdict() -> None:
    found = expected_without_verdicts(700)
    assert (found.ground, found.units) == ("nothing", 700)
    assert (found.low, found.expected, found.high) == (None, None, None)


@pytest.mark.parametrize(("n", "points"), [(20, 20.1), (50, 13.4), (100, 9.6), (400, 4.9)])
def test_what_a_random_sample_gives(n: int, points: float) -> None:
    """1.96 √(1/4n + 1.96²/4n²) / (1 + 1.96²/n): with 50 it is 1.96 · 0.0734 / 1.0768 = 0.1336."""
    assert half_width(n) == pytest.approx(points, abs=0.05)
