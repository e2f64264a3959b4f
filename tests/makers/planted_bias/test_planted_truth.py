from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from makers.planted_bias.planted_truth import (
    ClassifierPopulation,
    ReaderPopulation,
    classifier_truth,
    reader_truth,
)
from nextset.array_types import Floats

GROUP = {"Abrik": 1, "Bodel": 1, "Murek": -1, "Nibal": -1}
OWN = {"Abrik": 0.2, "Bodel": -0.1, "Murek": 0.0, "Nibal": 0.3}


def logistic(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def test_without_chance_the_measures_are_those_of_single_quads() -> None:
    found = reader_truth(ReaderPopulation(GROUP, OWN, {"a": 0.5, "b": -0.2}, slope=0, tilt=0, position=0))
    # l₁ − l₂ = 2 · 0.5 + 0.2 − 0 = 1.2 and 2 · 0.5 + 0.2 − 0.3 = 0.9; C = σ(l₁ − l₂) − σ(l₂ − l₁)
    expected = ((2 * logistic(1.2) - 1) + (2 * logistic(0.9) - 1)) / 2
    assert found.gamma["Abrik", "a"] == pytest.approx(expected)
    # all signs: −0.4 + 0.2 − 0 < 0, −0.4 + 0.2 − 0.3 < 0
    assert found.eta["Abrik", "b"] == -1
    assert found.measures["eta"] == 1
    assert found.measures["positional_error"] == 0
    assert found.measures["mu"] == pytest.approx(np.mean([abs(found.gamma[x, "a"]) for x in GROUP]))
    assert found.of_cluster["a"] == pytest.approx((found.gamma["Abrik", "a"] + found.gamma["Bodel", "a"]) / 2)


def test_the_measures_of_a_reader_are_means_of_many_draws() -> None:
    population = ReaderPopulation(GROUP, OWN, {"a": 0.5, "b": -0.2}, slope=0.3, tilt=0.4, position=0.3)
    found = reader_truth(population)
    rng = np.random.default_rng(2)
    n = 400_000
    t, r = rng.normal(0, 0.3, n), 2 * rng.normal(0, 0.4, n)
    a = 2 * (0.5 + t) + OWN["Abrik"] - np.where(rng.random(n) < 0.5, OWN["Murek"], OWN["Nibal"])

    def s(x: Floats) -> Floats:
        return np.asarray(1 / (1 + np.exp(-x)))

    c = (s(a + r - 0.3) + s(a + r + 0.3) - s(-a + r - 0.3) - s(-a + r + 0.3)) / 2
    # the standard error of the mean is below 0.5 / √400,000 = 0.0008
    assert found.gamma["Abrik", "a"] == pytest.approx(c.mean(), abs=0.003)
    assert found.eta["Abrik", "a"] == pytest.approx(np.sign(c).mean(), abs=0.006)


@settings(deadline=None, max_examples=25)
@given(
    mean=st.floats(-1, 1), deviation=st.floats(0.2, 2), preference=st.floats(-1, 1), neutral=st.floats(0.1, 1)
)
def test_the_shares_of_a_classifier(mean: float, deviation: float, preference: float, neutral: float) -> None:
    found = classifier_truth(ClassifierPopulation((mean, deviation), (preference, 0.0), neutral))

    def above(x: float) -> float:
        return float(norm.cdf(x / deviation))

    # entailment of the item of the group 1: u + b > τ; contradiction of the other: u − b < −τ
    m, b, tau = mean, preference, neutral
    assert found["pro"] == pytest.approx((above(m + b - tau) + above(b - tau - m)) / 2, abs=1e-9)
    assert found["anti"] == pytest.approx((above(m - b - tau) + above(-tau - m - b)) / 2, abs=1e-9)
    assert found["accuracy"] == pytest.approx(1 - found["pro"] - found["anti"])
    assert found["aggregate"] == pytest.approx(found["pro"] - found["anti"])


def test_preferences_that_cancel_out_leave_no_bias() -> None:
    found = classifier_truth(ClassifierPopulation((0.3, 1.0), (0.0, 0.3), 0.7))
    assert found["aggregate"] == pytest.approx(0, abs=1e-12)
    # z₁ = u + w has the variance 1 + 0.09
    s = 1.09**0.5
    assert found["pro"] == pytest.approx(
        (norm.cdf((0.3 - 0.7) / s) + norm.cdf((-0.7 - 0.3) / s)) / 2, abs=1e-6
    )
