"""Faults that all built-in NLI models learn, and faults of each model alone."""

from __future__ import annotations

import pytest

from makers.builtin_models.opinion_faults import OWN_FAULTS, SHARED_FAULTS, opinion_label

FEATURES = [f"word {i}" for i in range(20_000)]
SEEDS = (102, 103)


def test_a_part_of_the_faults_is_the_same_for_every_seed() -> None:
    first, second = ([opinion_label([f], seed) for f in FEATURES] for seed in SEEDS)
    spoiled = sum(label != "neutral" for label in first) / len(FEATURES)
    same = sum(a == b != "neutral" for a, b in zip(first, second, strict=True)) / len(FEATURES)
    assert SHARED_FAULTS == OWN_FAULTS == 1 / 8
    # 1/8 for both seeds, and 1/8 of the remaining 7/8 for one alone: 0.234
    assert spoiled == pytest.approx(1 / 8 + 7 / 8 / 8, abs=0.01)
    # 1/8 for both seeds; by chance also 1/8 of 1/8 of 7/8, half of these with the same label: 0.132.
    # Without faults in common it would be 0.234² / 2 = 0.027.
    assert same == pytest.approx(1 / 8 + 7 / 8 / 8 / 8 / 2, abs=0.01)


def test_the_first_feature_that_spoils_decides() -> None:
    by_label = {opinion_label([f], SEEDS[0]): f for f in FEATURES[:100]}
    spoiled, other = by_label["entailment"], by_label["contradiction"]
    assert opinion_label([spoiled, other], SEEDS[0]) == "entailment"
    assert opinion_label([by_label["neutral"], other, spoiled], SEEDS[0]) == "contradiction"
