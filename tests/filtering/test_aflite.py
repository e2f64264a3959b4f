"""AFLite: what gives its label away goes first."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest

from nextset.errors import DependencyMissing
from nextset.filtering.rules.aflite_algorithm import AfliteSettings, aflite

pytest.importorskip("sklearn")

Planted = tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]


def planted(n: int = 200, given_away: int = 60) -> Planted:
    """Noise, and one feature that gives the label of the first rows away."""
    random = np.random.default_rng(0)
    labels = np.array([0, 1] * (n // 2), np.int8)
    features = random.normal(size=(n, 8)).astype(np.float32)
    features[:, 0] = 0
    features[:given_away, 0] = np.where(labels[:given_away] == 0, -10, 10)
    return features, labels


def settings(**more: object) -> AfliteSettings:
    given = {"target": 140, "partitions": 16, "train": 100, "slice": 20, "threshold": 0.75, **more}
    return AfliteSettings.model_validate(given)


def test_planted_artefacts_are_left_out_first() -> None:
    features, labels = planted()
    stay = aflite(features, labels, settings())
    assert not stay[:60].any()
    assert stay[60:].all()


def test_it_ends_when_little_is_predictable() -> None:
    features, labels = planted()
    stay = aflite(features, labels, settings(target=60, train=40, partitions=64, threshold=0.95))
    # a few are left when too few are there to learn from; of noise, next to nothing is predicted
    assert stay[:60].sum() < 20
    assert stay[60:].sum() > 130


def test_it_stops_at_the_target() -> None:
    features, labels = planted()
    assert aflite(features, labels, settings(target=150, slice=40)).sum() == 150
    assert aflite(features, labels, settings(target=300)).all()


def test_a_seed_gives_the_same_rows_again() -> None:
    features, labels = planted(given_away=0)
    chosen = settings(target=120, threshold=0.0)
    first = aflite(features, labels, chosen)
    assert aflite(features, labels, chosen).tolist() == first.tolist()
    other = aflite(features, labels, chosen.model_copy(update={"seed": 1}))
    assert other.tolist() != first.tolist()


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    for name in [m for m in sys.modules if m == "sklearn" or m.startswith("sklearn.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(DependencyMissing) as caught:
        aflite(*planted(), settings())
    assert "nextset[aflite]" in caught.value.remedy
