"""Valid items an hour: by hand, and on verdicts that follow a rule with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from makers.queue_simulation import percentiles, simulate_queue
from nextset.errors import WaitingForPeople
from nextset.interval import wilson
from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.prediction_records import Predicted
from nextset.validation.verdict_model.unit_features import unit_features
from nextset.validation.verdict_model.valid_per_hour import ASSUMED, first_half, mean_seconds, seconds_by_unit
from nextset.validation.verdict_model.verdict_prediction import predict_rest
from tests.validation.plan.sample_plans import Played, facts, settings
from tests.validation.verdict_model.sample_verdicts import sample_texts, sample_units, sample_verdicts
from tests.validation.verdict_model.test_unit_features import word_classes


def test_the_first_half_by_hand() -> None:
    """4 of the 5 likeliest of 10 are valid, 1 of the others: at 36 s 100 units an hour."""
    p = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0])
    valid = np.array([1, 1, 1, 0, 1, 0, 0, 1, 0, 0], np.float64)
    found = first_half(p, valid, 36.0)
    first = wilson(4, 5)
    assert first is not None
    assert (found.likely_first.point, found.shuffled.point) == pytest.approx((80, 50))
    assert (found.likely_first.low, found.likely_first.high) == pytest.approx(
        (100 * first.low, 100 * first.high)
    )
    # (4/5 - 1/5) * 5/10, an hour of 100 units
    assert found.gain.point == pytest.approx(30)
    assert found.gain.low < 30 < found.gain.high


def test_the_time_of_a_unit_is_the_mean_of_its_judgments() -> None:
    study = Played(facts(3), settings())
    study.answer("A", "u0", session="", seconds=1.0)
    study.answer("B", "u0", session="", seconds=2.0)
    study.answer("C", "u1", session="", outcome="declined")
    for i, seconds in enumerate((10.0, 900.0, 50.0)):
        study.entries[i] = replace(study.entries[i], seconds=seconds)
    found = seconds_by_unit(study.counted())
    # 900 s count as 300; a declined unit has no verdict
    assert found == {"u0": 155.0}
    assert mean_seconds({"u0": 155.0, "u1": 45.0}) == 100.0
    assert mean_seconds({}) == ASSUMED


def test_a_queue_by_hand() -> None:
    """Six units of which a, b, c are valid and take 10 s, the others 30 s; the predictions are right."""
    verdicts: dict[str, Verdict] = {u: "valid" if u in "abc" else "invalid" for u in "abcdef"}
    seconds = {u: 10.0 if u in "abc" else 30.0 for u in "abcdef"}
    asked: list[int] = []

    def predict(so_far: Mapping[str, Verdict]) -> Sequence[Predicted]:
        asked.append(len(so_far))
        return [
            Predicted(unit_id=u, p_valid=float(u in "abc"), p_invalid=float(u not in "abc"), p_incoherent=0.0)
            for u in verdicts
            if u not in so_far
        ]

    found = simulate_queue(verdicts, seconds, predict, batch=2, budget=4, seeds=range(20))
    assert asked == [2] * 20
    assert found.trained == 1.0
    for seed, (ordered, shuffled) in enumerate(zip(found.likely_first, found.shuffled, strict=True)):
        queue = ["abcdef"[k] for k in np.random.default_rng(seed).permutation(6)]
        first = sum(u in "abc" for u in queue[:2])
        valid = first + min(2, 3 - first)  # the next two are valid while there are any
        assert ordered == pytest.approx(3600 * valid / (10 * valid + 30 * (4 - valid)))
        hits = sum(u in "abc" for u in queue[:4])
        assert shuffled == pytest.approx(3600 * hits / (10 * hits + 30 * (4 - hits)))


def test_without_predictions_the_order_stays_shuffled() -> None:
    verdicts: dict[str, Verdict] = {f"u{i}": "valid" if i % 2 else "invalid" for i in range(10)}
    seconds = dict.fromkeys(verdicts, 30.0)

    def nothing(so_far: Mapping[str, Verdict]) -> Sequence[Predicted]:
        if len(so_far) < 4:
            raise WaitingForPeople("too few", remedy="wait")
        return ()

    found = simulate_queue(verdicts, seconds, nothing, batch=2, budget=8, seeds=range(5))
    assert found.trained == 0.0
    np.testing.assert_array_equal(found.likely_first, found.shuffled)


def test_percentiles_by_hand() -> None:
    assert percentiles(np.arange(41, dtype=np.float64)) == (1.0, 20.0, 39.0)


@pytest.mark.slow
def test_an_hour_gives_more_valid_units_if_the_model_orders_them() -> None:
    units = sample_units(200)
    ids, texts = units["unit_id"].to_pylist(), sample_texts(200)
    about = unit_features(units, word_classes)
    verdicts, seconds = sample_verdicts(units), dict.fromkeys(ids, 30.0)

    def predict(so_far: Mapping[str, Verdict]) -> Sequence[Predicted]:
        return predict_rest(ids, texts, so_far, model="noise", about=about).predicted

    found = simulate_queue(verdicts, seconds, predict, batch=60, budget=100, seeds=range(3))
    assert found.trained == 1.0
    assert percentiles(found.likely_first)[1] > 1.15 * percentiles(found.shuffled)[1]
