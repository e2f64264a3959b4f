"""The classifier: regularised logistic regression, calibrated on units outside the training folds."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints
from nextset.errors import DependencyMissing
from nextset.validation.verdict_model.calibration_scores import losses
from nextset.validation.verdict_model.prediction_records import VERDICTS

__all__ = [
    "FOLDS",
    "Held",
    "Setting",
    "choose",
    "expected",
    "held_out",
    "need_sklearn",
    "principal",
    "shares",
]

FOLDS = 5
"""The number of folds of the judged units; each in turn is not used for training."""

_COMPONENTS = 128
"""The most principal components that the classifier reads; the regularisation shrinks the last ones."""
_STRENGTHS = (0.01, 0.1, 1.0, 10.0)
"""The inverse strengths of the regularisation to try."""


@dataclass(frozen=True)
class Setting:
    """The settings chosen by cross-validation before the classifier is fitted to all judged units."""

    learned: tuple[int, ...]
    """The verdicts that are learned, as places in VERDICTS; the other verdicts get their share."""
    strength: float
    """The inverse strength of the regularisation."""
    sharpness: float
    """The weight of the evidence against the shares of the verdicts: 0 ignores the evidence; it is below 1 if
    the classifier is too confident. It is the inverse of the temperature of Guo et al. (2017), which would
    also flatten the shares."""
    width: int | None = None
    """The number of columns to read, from the first on; null for all."""


@dataclass(frozen=True)
class Held:
    """Probabilities for judged units from classifiers that did not see them, each of shape (units, 3)."""

    model: Floats
    """The classifier's probabilities."""
    base: Floats
    """The shares of the verdicts among the units that the classifier saw."""


def need_sklearn() -> None:
    """Raise DependencyMissing without scikit-learn."""
    if importlib.util.find_spec("sklearn") is None:
        raise DependencyMissing(
            "the verdict model needs scikit-learn, which is not installed",
            remedy="pip install 'nextset[validate]'",
        )


def principal(features: npt.NDArray[np.float32]) -> Floats:
    """Return the first principal components of the features, after scaling each feature to variance 1.

    Shape (units, components); the first component has variance 1. Verdicts are not used.
    """
    wide = features.astype(np.float64)
    spread = wide.std(axis=0)
    scaled = (wide - wide.mean(axis=0)) / np.where(spread > 0, spread, 1)
    values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
    return np.asarray(scaled @ vectors[:, ::-1][:, :_COMPONENTS] / np.sqrt(max(values[-1], 1e-12)))


def shares(verdicts: Ints) -> Floats:
    """Return the share of each verdict, with half a unit added to each: an unseen verdict is not impossible.

    Krichevsky & Trofimov (1981). Shape (3,).
    """
    counts = np.bincount(verdicts, minlength=len(VERDICTS)) + 0.5
    return np.asarray(counts / counts.sum())


def choose(
    x: Floats, verdicts: Ints, learned: tuple[int, ...], seed: int, widths: Sequence[int | None] = (None,)
) -> Setting:
    """Return the columns, regularisation and temperature with the lowest log loss in cross-validation.

    ``widths`` are the numbers of columns to try.
    """
    rows = np.isin(verdicts, learned)
    x, places = x[rows], np.searchsorted(learned, verdicts[rows])
    part = _folds(places, seed)
    prior = _prior(places, len(learned))
    tried = []
    for width in widths:
        for strength in _STRENGTHS:
            logs = np.empty((places.size, len(learned)))
            for k in range(FOLDS):
                seen = part != k
                logs[~seen] = _evidence(x[seen, :width], places[seen], x[~seen, :width], strength)
            sharpness = _sharpness(logs, prior, places)
            loss = losses(_softmax(sharpness * logs + prior), places).mean()
            tried.append((float(loss), Setting(learned, strength, sharpness, width)))
    return min(tried, key=lambda t: t[0])[1]


def expected(x: Floats, verdicts: Ints, wanted: Floats, setting: Setting) -> Floats:
    """Return the probabilities of the three verdicts for ``wanted`` from a classifier fitted to ``x``.

    Shape (wanted, 3). A verdict that is not learned has its share as probability everywhere.
    """
    if not len(wanted):
        return np.empty((0, len(VERDICTS)))
    learned = list(setting.learned)
    rows = np.isin(verdicts, learned)
    places = np.searchsorted(learned, verdicts[rows])
    all_probabilities = np.tile(shares(verdicts), (len(wanted), 1))
    read = x[rows, : setting.width]
    logs = setting.sharpness * _evidence(read, places, wanted[:, : setting.width], setting.strength)
    probabilities = _softmax(logs + _prior(places, len(learned)))
    all_probabilities[:, learned] = all_probabilities[:, learned].sum(axis=1, keepdims=True) * probabilities
    return all_probabilities


def held_out(
    x: Floats, verdicts: Ints, learned: tuple[int, ...], seed: int, widths: Sequence[int | None] = (None,)
) -> Held:
    """Return every judged unit's probabilities from a classifier that was chosen and fitted without it."""
    part = _folds(verdicts, seed)
    held = Held(np.empty((verdicts.size, len(VERDICTS))), np.empty((verdicts.size, len(VERDICTS))))
    for k in range(FOLDS):
        seen, out = part != k, part == k
        setting = choose(x[seen], verdicts[seen], learned, seed, widths)
        held.model[out] = expected(x[seen], verdicts[seen], x[out], setting)
        held.base[out] = shares(verdicts[seen])
    return held


def _folds(classes: Ints, seed: int) -> Ints:
    """Return a fold for every unit; each class is spread over the folds as evenly as possible."""
    order = np.random.default_rng(seed).permutation(classes.size)
    ranked = order[np.argsort(classes[order], kind="stable")]
    part = np.empty(classes.size, np.int64)
    part[ranked] = np.arange(classes.size) % FOLDS
    return part


def _evidence(x: Floats, places: Ints, wanted: Floats, strength: float) -> Floats:
    """Return the log probabilities of ``wanted`` minus the logs of the shares in ``places``."""
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression(C=strength, max_iter=10_000).fit(x, places)
    return np.asarray(classifier.predict_log_proba(wanted) - _prior(places, len(classifier.classes_)))


def _prior(places: Ints, learned: int) -> Floats:
    return np.asarray(np.log(np.bincount(places, minlength=learned) / places.size))


def _sharpness(logs: Floats, prior: Floats, places: Ints) -> float:
    """Return the factor on the evidence with the lowest log loss in cross-validation, in [0, 5]."""

    def loss(factor: float) -> float:
        return float(losses(_softmax(factor * logs + prior), places).mean())

    low, high = 0.0, 5.0
    for _ in range(40):  # the loss is convex in the factor; each round removes a third of the range
        third = (high - low) / 3
        if loss(low + third) <= loss(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2


def _softmax(logs: Floats) -> Floats:
    raised = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
