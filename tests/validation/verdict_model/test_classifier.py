"""The validator model on made-up features whose truth is known."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import WaitingForPeople
from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.calibration_scores import brier, calibration_error, losses
from nextset.validation.verdict_model.classifier import Setting, choose, expected, principal, shares
from nextset.validation.verdict_model.prediction_records import VERDICTS
from nextset.validation.verdict_model.remaining_valid import remaining_valid
from nextset.validation.verdict_model.verdict_prediction import Prediction, predict_rest


def made(
    seed: int, judged: int, rest: int, strength: float = 1.5
) -> tuple[list[str], npt.NDArray[np.float32], dict[str, Verdict], list[Verdict], npt.NDArray[np.float64]]:
    """Units with 8 features, of which two decide: p(verdict) is a softmax of them.

    Ids, features, the verdicts of the first ``judged``, all verdicts, and the probabilities that made them.
    """
    random = np.random.default_rng(seed)
    n = judged + rest
    x = random.normal(size=(n, 8))
    logits = strength * np.stack([x[:, 0], x[:, 1], -x[:, 0] - x[:, 1]], axis=1)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    truth: list[Verdict] = [VERDICTS[random.choice(3, p=row)] for row in p]
    ids = [f"u{i}" for i in range(n)]
    known = dict(zip(ids[:judged], truth, strict=False))
    return ids, x.astype(np.float32), known, truth, p


def predicted(seed: int, judged: int, rest: int, strength: float = 1.5) -> Prediction:
    ids, x, known, _, _ = made(seed, judged, rest, strength)
    return predict_rest(ids, x, known, model="synthetic")


def test_it_finds_what_decides() -> None:
    ids, x, known, _, p = made(0, 300, 500)
    found = predict_rest(ids, x, known, model="synthetic")
    assert found.report.better
    assert [row.unit_id for row in found.predicted] == ids[300:]
    ours = np.array([[row.p_valid, row.p_invalid, row.p_incoherent] for row in found.predicted])
    np.testing.assert_allclose(ours.sum(axis=1), 1)
    assert np.abs(ours - p[300:]).mean() < 0.06
    assert {row.judge for row in found.predicted} == {"machine"} == {found.report.judge}


def test_its_figures_are_of_units_that_it_did_not_see() -> None:
    ids, x, known, truth, p = made(1, 400, 2000)
    report = predict_rest(ids, x, known, model="synthetic").report
    true = np.array([VERDICTS.index(v) for v in truth])
    # what the best there is reaches, on the judged units themselves
    assert report.log_loss == pytest.approx(losses(p[:400], true[:400]).mean(), abs=0.06)
    assert report.brier == pytest.approx(brier(p[:400], true[:400]), abs=0.04)
    assert report.log_loss < report.log_loss_base
    assert report.brier < report.brier_base
    assert report.calibration_error < 0.1
    assert (report.judged, report.unjudged) == (400, 2000)
    assert report.valid + report.invalid + report.incoherent == 400


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), strength=st.sampled_from([1.0, 2.0, 4.0]))
@settings(max_examples=3)
def test_probabilities_are_calibrated(seed: int, strength: float) -> None:
    ids, x, known, truth, _ = made(seed, 250, 2000, strength)
    found = predict_rest(ids, x, known, model="synthetic")
    p = np.array([row.p_valid for row in found.predicted])
    valid = np.array([v == "valid" for v in truth[250:]])
    assert calibration_error(p, valid) < 0.09


@pytest.mark.slow
def test_the_interval_holds_what_remains() -> None:
    """Of 12 studies fewer than one misses it at 95 %."""
    missed = 0
    for seed in range(12):
        ids, x, known, truth, _ = made(seed, 120, 300)
        found = predict_rest(ids, x, known, model="synthetic").report
        assert found.remaining_low is not None
        assert found.remaining_high is not None
        missed += not found.remaining_low <= truth[120:].count("valid") <= found.remaining_high
    assert missed <= 2


@pytest.mark.slow
def test_chance_orders_nothing() -> None:
    random = np.random.default_rng(3)
    better = orders = 0
    for seed in range(10):
        ids, _, known, _, _ = made(seed, 80, 50)
        noise = random.normal(size=(130, 40)).astype(np.float32)
        found = predict_rest(ids, noise, known, model="noise")
        better += found.report.better
        orders += found.report.orders
        if not found.report.orders:
            assert found.predicted == ()
            assert found.report.hourly is None
        if not found.report.better:
            assert found.report.remaining is None
    assert better <= 2
    assert orders <= 2


@pytest.mark.slow
def test_the_same_judgments_give_the_same_numbers() -> None:
    assert predicted(5, 100, 100) == predicted(5, 100, 100)


def test_without_evidence_there_are_the_shares() -> None:
    """What says little must not blur the shares either: their sum is an estimate."""
    random = np.random.default_rng(6)
    x = random.normal(size=(600, 60))
    verdicts = np.array([0] * 300 + [1] * 240 + [2] * 60)
    setting = choose(x, verdicts, (0, 1, 2), 0)
    found = expected(x, verdicts, random.normal(size=(500, 60)), setting).mean(axis=0)
    np.testing.assert_allclose(found, [0.5, 0.4, 0.1], atol=0.02)


def test_nobody_is_left_to_predict() -> None:
    report = predicted(0, 200, 0).report
    assert (report.remaining_low, report.remaining, report.remaining_high) == (0, 0, 0)


@pytest.mark.slow
@given(
    counts=st.tuples(*[st.integers(0, 14)] * 3),
)
@settings(max_examples=30)
def test_too_few_judgments_are_refused(counts: tuple[int, int, int]) -> None:
    verdicts = list(itertools.chain.from_iterable([v] * n for v, n in zip(VERDICTS, counts, strict=True)))
    ids = [f"u{i}" for i in range(len(verdicts) + 5)]
    x = np.random.default_rng(0).normal(size=(len(ids), 4)).astype(np.float32)
    known = dict(zip(ids, verdicts, strict=False))
    if sum(n >= 10 for n in counts) >= 2:
        assert predict_rest(ids, x, known, model="m").report.judged == len(verdicts)
    else:
        with pytest.raises(WaitingForPeople, match=f"{counts[0]} valid, {counts[1]} invalid") as caught:
            predict_rest(ids, x, known, model="m")
        assert "10 units each" in caught.value.remedy


def test_a_verdict_that_is_not_learned_has_its_share() -> None:
    verdicts = np.array([0] * 10 + [1] * 10 + [2] * 3)
    x = np.random.default_rng(0).normal(size=(23, 2))
    found = expected(x, verdicts, x[:4], Setting((0, 1), 1.0, 1.0))
    # (3 + ½) of 23 + 3 · ½
    np.testing.assert_allclose(found[:, 2], 3.5 / 24.5)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_features_that_do_not_vary_are_borne() -> None:
    ids, _, known, _, _ = made(0, 60, 10)
    found = predict_rest(ids, np.ones((70, 3), np.float32), known, model="m")
    assert not found.report.better
    assert not found.report.orders


@pytest.mark.slow
def test_what_only_ranks_orders_and_estimates_nothing() -> None:
    """Few verdicts show which units come first before they show what the probabilities are worth."""
    found = [_ranked(seed) for seed in range(8)]
    only = [p for p in found if p.report.orders and not p.report.better]
    assert only
    for p in only:
        assert len(p.predicted) == p.report.unjudged == 60
        assert p.report.remaining is None
        assert p.report.hourly is not None


def _ranked(seed: int) -> Prediction:
    """Of 100 units with one faint feature among noise, the first 40 are judged."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(100, 4)).astype(np.float32)
    valid = random.random(100) < 1 / (1 + np.exp(-1.2 * x[:, 0]))
    ids = [f"u{i}" for i in range(100)]
    known: dict[str, Verdict] = {
        u: "valid" if v else "invalid" for u, v in zip(ids[:40], valid, strict=False)
    }
    return predict_rest(ids, x, known, model="m")


def test_shares_by_hand() -> None:
    np.testing.assert_allclose(shares(np.array([0, 0, 0, 1])), [3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5])


def test_principal_components_keep_their_order_and_scale() -> None:
    random = np.random.default_rng(0)
    x = principal(random.normal(size=(40, 300)).astype(np.float32))
    assert x.shape == (40, 128)
    spread = x.std(axis=0)
    assert spread[0] == pytest.approx(1)
    assert (np.diff(spread) <= 1e-9).all()


def test_quality_by_hand() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.5, 0.5, 0.0]])
    verdicts = np.array([0, 1])
    # (0.3² + 0.2² + 0.1² + 0.5² + 0.5²) / 2
    assert brier(p, verdicts) == pytest.approx((0.09 + 0.04 + 0.01 + 0.25 + 0.25) / 2)
    np.testing.assert_allclose(losses(p, verdicts), [-np.log(0.7), -np.log(0.5)])
    # two bins: {0.1, 0.2} of which one happened, {0.6, 0.9} of which both did
    expected_error = (2 * abs(0.15 - 0.5) + 2 * abs(0.75 - 1.0)) / 4
    happened = np.array([True, False, True, True])
    assert calibration_error(np.array([0.1, 0.2, 0.6, 0.9]), happened, bins=2) == pytest.approx(
        expected_error
    )


def test_brier_and_log_loss_as_scikit_learn_has_them() -> None:
    from sklearn.metrics import brier_score_loss, log_loss

    _, _, _, truth, p = made(2, 50, 0)
    verdicts = np.array([VERDICTS.index(v) for v in truth])
    assert brier(p, verdicts) == pytest.approx(
        brier_score_loss(verdicts, p, labels=[0, 1, 2], scale_by_half=False)
    )
    assert losses(p, verdicts).mean() == pytest.approx(log_loss(verdicts, p, labels=[0, 1, 2]))


def test_the_temperature_is_scikit_learns() -> None:
    """CalibratedClassifierCV over the same parts gives the same probabilities, where the shares are equal."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.linear_model import LogisticRegression

    from nextset.validation.verdict_model.classifier import _folds

    random = np.random.default_rng(4)
    _, x32, _, truth, _ = made(4, 300, 0)
    classes = np.array([VERDICTS.index(v) for v in truth])
    rows = np.concatenate([np.flatnonzero(classes == c)[:75] for c in range(3)])
    x = np.hstack([x32[rows].astype(np.float64), random.normal(size=(225, 40))])
    verdicts = classes[rows]
    setting = choose(x, verdicts, (0, 1, 2), 0)
    part = _folds(verdicts, 0)
    splits = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(5)]
    theirs = CalibratedClassifierCV(
        LogisticRegression(C=setting.strength, max_iter=10_000),
        method="temperature",
        cv=splits,
        ensemble=False,
    ).fit(x, verdicts)
    np.testing.assert_allclose(
        expected(x, verdicts, x[:20], setting), theirs.predict_proba(x[:20]), atol=2e-3
    )


def test_what_remains_by_hand() -> None:
    found = remaining_valid(
        np.array([0.9, 0.5, 0.1, 0.5]), np.array([0.8, 0.4, 0.6]), np.array([1.0, 0.0, 1.0])
    )
    # held-out units are 0.2, -0.4 and 0.4 above their probability: mean 1/15, variance 13/75
    point = 2.0 + 4 / 15
    off = 1.96 * (13 / 75 * 4 * (4 / 3 + 1)) ** 0.5
    assert found.point == pytest.approx(point)
    assert found.low == pytest.approx(max(0, point - off))
    assert found.high == pytest.approx(min(4, point + off))


@given(
    rest=st.lists(st.floats(0, 1), max_size=30),
    judged=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=30),
)
def test_what_remains_is_within_what_there_is(rest: list[float], judged: list[tuple[float, bool]]) -> None:
    found = remaining_valid(
        np.array(rest), np.array([p for p, _ in judged]), np.array([float(v) for _, v in judged])
    )
    assert 0 <= found.low <= found.point <= found.high <= len(rest)
