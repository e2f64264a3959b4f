"""The loss by hand: the deviation of the groups' scores, and the surprise of known answers."""

from __future__ import annotations

from math import log

import pytest
import torch

from nextset.extensions.interventions.triggers.trigger_loss import (
    set_deviation,
    subject_deviation,
    twin_surprise,
)


def test_the_deviation_of_a_quad() -> None:
    # S(x₁), S(x₂) on context_12, on context_21, then with the negation on both
    scores = torch.tensor([[[0.9, 0.1], [0.5, 0.3], [0.2, 0.2], [0.4, 0.8]]], dtype=torch.float64)
    # means over the orders: 0.7 and 0.2, σ = 0.25; negated 0.3 and 0.5, σ = 0.1; mean 0.175
    assert subject_deviation(scores).item() == pytest.approx(0.175, abs=1e-6)


def test_a_model_that_goes_by_position_alone_has_no_deviation() -> None:
    scores = torch.tensor([[[0.9, 0.1], [0.1, 0.9], [0.8, 0.3], [0.3, 0.8]]], dtype=torch.float64)
    assert subject_deviation(scores).item() == pytest.approx(0.0, abs=1e-5)


def test_the_surprise_of_a_twin() -> None:
    # right are x₁, x₁, then x₂, x₂: shares 0.75, 0.5, 0.25, 1
    scores = torch.tensor([[[0.3, 0.1], [0.2, 0.2], [0.6, 0.2], [0.0, 0.4]]], dtype=torch.float64)
    expected = -(log(0.75) + log(0.5) + log(0.25) + log(1.0)) / 4
    assert twin_surprise(scores).item() == pytest.approx(expected)


def test_the_deviation_of_items_that_differ_by_the_group() -> None:
    # entailment 0.6 and 0.2, contradiction 0.1 and 0.3: σ 0.2 and 0.1, mean 0.15
    probabilities = torch.tensor([[0.6, 0.1], [0.2, 0.3]], dtype=torch.float64)
    sets, there = torch.tensor([[0, 1]]), torch.tensor([[True, True]])
    assert set_deviation(probabilities, sets, there).item() == pytest.approx(0.15, abs=1e-6)
