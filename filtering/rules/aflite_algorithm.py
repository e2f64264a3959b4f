"""AFLite (Le Bras et al. 2020, Adversarial Filters of Dataset Biases, algorithm 1)."""

from __future__ import annotations

import importlib.util

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from nextset.array_types import Bools
from nextset.errors import DependencyMissing
from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue

__all__ = ["AfliteSettings", "aflite", "need_sklearn"]

Features = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int8]


class AfliteSettings(HandWritten):
    """filter.rule.aflite: reject items that linear probes on frozen features predict too well (Le Bras et al.
    2020)."""

    target: int = Field(ge=2, strict=True)
    """n: the number of items to keep, including test items that take part."""
    partitions: int = Field(default=64, ge=1, strict=True)
    """m: the number of random partitions, each with a probe, per round."""
    train: int = Field(ge=1, strict=True)
    """t: the number of items that each probe is trained on; less than the target."""
    slice: int = Field(ge=1, strict=True)
    """k: the most items that are rejected per round."""
    threshold: float = Field(default=0.75, ge=0, le=1, strict=True)
    """τ: an item is rejected only if at least this share of the probes predicts its label correctly."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the partitions."""

    @model_validator(mode="after")
    def _fits(self) -> AfliteSettings:
        if self.train >= self.target:
            least = f"train must be less than the target of {self.target}; it is {self.train}"
            raise WrongValue(least, f"write train: {self.target // 2}")
        if self.slice > self.target:
            most = f"slice must not be more than the target of {self.target}; it is {self.slice}"
            raise WrongValue(most, f"write slice: {self.target}")
        return self


def need_sklearn() -> None:
    """Raise DependencyMissing if scikit-learn, which provides the linear probes, is not installed."""
    if importlib.util.find_spec("sklearn") is None:
        raise DependencyMissing(
            "the rule aflite needs scikit-learn, which is not installed",
            remedy="pip install 'nextset[aflite]'",
        )


def aflite(features: Features, labels: Labels, settings: AfliteSettings) -> Bools:
    """Return True for each row to keep: its label is not too predictable for linear probes on ``features``.

    In each round, each of ``partitions`` probes is trained on ``train`` random rows and predicts the others.
    A row's predictability is the share of its predictions that are right. Up to ``slice`` rows with the
    highest predictability, none below ``threshold``, are removed. The rounds end at ``target`` rows, or when
    fewer than ``slice`` were removed. Of rows with equal predictability, the first is removed first. The
    paper's last round may go below the target; this one stops at the target. Shape (rows,).
    """
    need_sklearn()
    random = np.random.default_rng(settings.seed)
    scaled = _scaled(features)
    stay = np.arange(labels.size)
    while stay.size > settings.target:
        predictable = _predictability(scaled[stay], labels[stay], settings, random)
        most = min(settings.slice, stay.size - settings.target)
        ranked = np.argsort(-predictable, kind="stable")[:most]
        gone = ranked[predictable[ranked] >= settings.threshold]
        stay = np.delete(stay, gone)
        if gone.size < settings.slice:
            break
    kept = np.zeros(labels.size, np.bool_)
    kept[stay] = True
    return kept


def _scaled(features: Features) -> npt.NDArray[np.float64]:
    """Return the features scaled to mean 0 and variance 1, so that the probes converge."""
    wide = features.astype(np.float64)
    spread = wide.std(axis=0)
    return np.asarray((wide - wide.mean(axis=0)) / np.where(spread > 0, spread, 1))


def _predictability(
    features: npt.NDArray[np.float64], labels: Labels, settings: AfliteSettings, random: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return each row's share of right predictions; 0 if no probe predicted the row."""
    right, asked = np.zeros(labels.size), np.zeros(labels.size)
    for _ in range(settings.partitions):
        order = random.permutation(labels.size)
        trained, held = order[: settings.train], order[settings.train :]
        asked[held] += 1
        right[held] += _predicted(features[trained], labels[trained], features[held]) == labels[held]
    return np.divide(right, asked, out=np.zeros_like(right), where=asked > 0)


def _predicted(
    features: npt.NDArray[np.float64], labels: Labels, wanted: npt.NDArray[np.float64]
) -> npt.NDArray[np.generic]:
    from sklearn.linear_model import LogisticRegression

    if np.unique(labels).size == 1:
        return np.full(len(wanted), labels[0])
    probe = LogisticRegression(max_iter=1000).fit(features, labels)
    return np.asarray(probe.predict(wanted))
