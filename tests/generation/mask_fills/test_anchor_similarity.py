"""Words that no anchor decides: planted sides are found again, and sides that are not there are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.mask_fills.anchor_similarity import (
    FEWEST,
    NEAREST,
    RIGHT,
    AnchorVectors,
    Calibration,
    calibrated,
)

Vectors = npt.NDArray[np.float32]


def unit(rows: npt.NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def drawn(seed: int, n: int, side: float, noise: float = 1.0) -> Vectors:
    """Vectors of ``n`` words, of which the first coordinate is the side."""
    rows = np.random.default_rng(seed).normal(0, noise / 4, (n, 16))
    rows[:, 0] += side
    return unit(rows)


def plain(anchors: Vectors, word: Vectors, without: int | None = None) -> float:
    """The mean of the largest cosines with ``anchors``, of which one may be left out."""
    cosines = sorted((float(a @ word) for i, a in enumerate(anchors) if i != without), reverse=True)
    return float(np.mean(cosines[:NEAREST])) if cosines else -1.0


def test_worked_similarities() -> None:
    like = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], np.float32)
    anchors = AnchorVectors(like, -like[:1])
    word = np.array([[1, 0]], np.float32)
    # cosines with like are 1, 0.8, 0.6 and 0, of which three count; with unlike there is only -1
    assert anchors.similarities(word) == pytest.approx(np.array([[0.8, -1.0]]))
    # without itself, the first one has 0.8, 0.6 and 0; the only one of unlike has none, which is -1
    own_like, own_unlike = anchors.own()
    assert own_like[0] == pytest.approx([1.4 / 3, -1.0])
    # and its cosines with like are -1, -0.8, -0.6 and 0
    assert own_unlike == pytest.approx(np.array([[-1.4 / 3, -1.0]]), abs=1e-6)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12), st.floats(0, 1.5))
def test_the_threshold_is_the_smallest_that_keeps_nearly_all_anchors_on_their_side(
    seed: int, n: int, m: int, side: float
) -> None:
    anchors = AnchorVectors(drawn(seed, n, side), drawn(seed + 1, m, -side))
    signed = [
        sign * (plain(anchors.like, v, i if sign > 0 else None) - plain(anchors.unlike, v, j))
        for sign, own in ((1, anchors.like), (-1, anchors.unlike))
        for i, v in enumerate(own)
        for j in [None if sign > 0 else i]
    ]
    calibration = calibrated([anchors])
    assert calibration.anchors == n + m
    beyond = {t: [d for d in signed if abs(d) >= t - 1e-6] for t in map(abs, signed)}
    good = [
        t
        for t, ds in beyond.items()
        if len(ds) >= FEWEST and sum(d > 0 for d in ds) / len(ds) >= RIGHT - 1e-9
    ]
    if not good:
        assert calibration == Calibration(None, n + m, 0)
    else:
        assert calibration.beyond == len(beyond[min(good)])
        nearer = [abs(d) for d in signed if abs(d) < min(good) - 1e-6]
        assert calibration.threshold == pytest.approx(max(nearer, default=0.0), abs=1e-5)


def test_planted_sides_are_found_again() -> None:
    masks = [AnchorVectors(drawn(s, 12, 1.0), drawn(s + 50, 12, -1.0)) for s in range(4)]
    calibration = calibrated(masks)
    assert calibration.threshold is not None

    def claims(words: Vectors) -> list[str]:
        return [str(claim) for claim in calibration.claims(masks[0], masks[0].similarities(words))]

    assert claims(drawn(900, 60, 1.0)).count("with") >= 30
    assert claims(drawn(901, 60, -1.0)).count("against") >= 30
    assert "against" not in claims(drawn(900, 60, 1.0))
    assert "with" not in claims(drawn(901, 60, -1.0))
    assert claims(drawn(902, 60, 0.0)).count("beside") >= 50


def test_a_model_that_does_not_tell_the_sides_apart_places_no_word() -> None:
    masks = [AnchorVectors(drawn(s, 15, 0.0), drawn(s + 50, 15, 0.0)) for s in range(4)]
    calibration = calibrated(masks)
    assert calibration == Calibration(None, 120, 0)
    assert calibration.claims(masks[0], masks[0].similarities(drawn(9, 5, 1.0))) == ["beside"] * 5


def test_masks_with_one_anchor_on_a_side_calibrate_nothing() -> None:
    lone = AnchorVectors(drawn(0, 30, 1.0), drawn(1, 1, -1.0))
    empty = AnchorVectors(drawn(0, 30, 1.0), np.zeros((0, 16), np.float32))
    assert calibrated([lone, empty]) == Calibration(None, 0, 0)
    sure = Calibration(0.0, 40, 40)
    for one_sided in (lone, empty):
        assert sure.claims(one_sided, one_sided.similarities(drawn(2, 3, 1.0))) == ["beside"] * 3
    assert calibrated([]) == Calibration(None, 0, 0)
