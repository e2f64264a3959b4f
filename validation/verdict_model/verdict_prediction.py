"""Prediction of the remaining verdicts from the verdicts so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints
from nextset.errors import WaitingForPeople
from nextset.records.judgment import Verdict
from nextset.records.short_repr import short_repr
from nextset.validation.verdict_model.calibration_scores import brier, calibration_error, losses
from nextset.validation.verdict_model.classifier import (
    FOLDS,
    Held,
    choose,
    expected,
    held_out,
    need_sklearn,
    principal,
)
from nextset.validation.verdict_model.prediction_records import VERDICTS, Predicted, ValidatorReport
from nextset.validation.verdict_model.remaining_valid import Remaining, remaining_valid
from nextset.validation.verdict_model.unit_features import FeatureRow, UnitFeatures
from nextset.validation.verdict_model.valid_per_hour import first_half, mean_seconds

__all__ = ["LEAST", "SEED", "Prediction", "predict_rest"]

LEAST = 10
"""The number of judged units that a verdict needs to be learned; at least two verdicts need this many."""
SEED = 0
"""The seed of the folds."""


@short_repr
@dataclass(frozen=True)
class Prediction:
    """The verdict model's predictions for a study."""

    predicted: tuple[Predicted, ...]
    """One row per unit without a verdict, in the order given; empty if the model orders nothing."""
    report: ValidatorReport
    """The quality of the model."""
    features: tuple[FeatureRow, ...] = ()
    """The features of each unit that it reads in addition to the features of the texts."""

    def is_of(self, units: Collection[str]) -> bool:
        """Return whether all predicted units are among ``units``; if not, the prediction is for other
        units."""
        return {row.unit_id for row in self.predicted} <= set(units)


def predict_rest(
    ids: Sequence[str],
    texts: npt.NDArray[np.float32],
    verdicts: Mapping[str, Verdict],
    *,
    model: str,
    about: UnitFeatures | None = None,
    seconds: Mapping[str, float] | None = None,
) -> Prediction:
    """Learn from the units ``ids`` that have a verdict and predict the others.

    ``texts`` are features of the texts, shape (units, features), from ``model``; ``about`` are the units'
    other features. The classifier reads both, or only the other features if that predicts better in
    cross-validation. ``seconds`` are the judgments' times by unit, as far as they are known. Raises
    WaitingForPeople while fewer than two verdicts have `LEAST` judged units, and DependencyMissing without
    scikit-learn.
    """
    need_sklearn()
    known = np.array([unit_id in verdicts for unit_id in ids], np.bool_)
    classes = np.array([VERDICTS.index(verdicts[i]) for i in ids if i in verdicts], np.int64)
    learned = _learned(classes)
    x, widths = _inputs(texts, about)
    held = held_out(x[known], classes, learned, SEED, widths)
    better = _better(held, classes)
    orders = better or _ranks(held, classes)
    wanted = x[~known]
    rest = [unit_id for unit_id, judged in zip(ids, known, strict=True) if not judged]
    predicted: tuple[Predicted, ...] = ()
    remaining = None
    if orders:
        setting = choose(x[known], classes, learned, SEED, widths)
        probabilities = expected(x[known], classes, wanted, setting)
        predicted = tuple(
            Predicted(unit_id=unit_id, p_valid=p[0], p_invalid=p[1], p_incoherent=p[2])
            for unit_id, p in zip(rest, probabilities.tolist(), strict=True)
        )
        if better:
            valid = (classes == 0).astype(np.float64)
            remaining = remaining_valid(probabilities[:, 0], held.model[:, 0], valid)
    taken = {u: seconds[u] for u in ids if seconds and u in seconds and u in verdicts}
    report = _report(
        model, held, classes, taken, unjudged=len(rest), better=better, orders=orders, remaining=remaining
    )
    return Prediction(predicted, report, about.rows if about else ())


def _report(
    model: str,
    held: Held,
    classes: Ints,
    seconds: Mapping[str, float],
    *,
    unjudged: int,
    better: bool,
    orders: bool,
    remaining: Remaining | None,
) -> ValidatorReport:
    """Return the quality of the model by cross-validation."""
    half = first_half(held.model[:, 0], (classes == 0).astype(np.float64), mean_seconds(seconds))
    counts = np.bincount(classes, minlength=len(VERDICTS)).tolist()
    return ValidatorReport(
        model=model,
        judged=int(classes.size),
        valid=counts[0],
        invalid=counts[1],
        incoherent=counts[2],
        unjudged=unjudged,
        folds=FOLDS,
        brier=brier(held.model, classes),
        brier_base=brier(held.base, classes),
        log_loss=float(losses(held.model, classes).mean()),
        log_loss_base=float(losses(held.base, classes).mean()),
        calibration_error=calibration_error(held.model[:, 0], classes == 0),
        better=better,
        orders=orders,
        remaining_low=remaining.low if remaining else None,
        remaining=remaining.point if remaining else None,
        remaining_high=remaining.high if remaining else None,
        seconds=mean_seconds(seconds),
        seconds_known=len(seconds),
        hourly=half.likely_first.point if orders else None,
        hourly_low=half.likely_first.low if orders else None,
        hourly_high=half.likely_first.high if orders else None,
        hourly_shuffled=half.shuffled.point,
        hourly_gain_low=half.gain.low if orders else None,
        hourly_gain_high=half.gain.high if orders else None,
    )


def _inputs(
    texts: npt.NDArray[np.float32], about: UnitFeatures | None
) -> tuple[Floats, tuple[int | None, ...]]:
    """Return the columns that the classifier may read, and the numbers of columns to try."""
    x = principal(texts)
    if about is None or not about.values.shape[1]:
        return x, (None,)
    return np.hstack([about.values, x]), (about.values.shape[1], None)


def _learned(classes: Ints) -> tuple[int, ...]:
    counts = np.bincount(classes, minlength=len(VERDICTS))
    learned = tuple(int(c) for c in np.flatnonzero(counts >= LEAST))
    if len(learned) < 2:
        so_far = ", ".join(f"{n} {verdict}" for n, verdict in zip(counts, VERDICTS, strict=True))
        raise WaitingForPeople(
            f"there are too few verdicts to train the verdict model: {so_far}",
            remedy=f"collect more judgments: at least two verdicts need {LEAST} units each",
        )
    return learned


def _better(held: Held, classes: Ints) -> bool:
    """Return whether the log loss is lower than that of the shares by more than chance.

    It is if the mean of the units' differences is above 1.645 standard errors: one-sided, 5 %.
    """
    gained = losses(held.base, classes) - losses(held.model, classes)
    return bool(gained.mean() > 1.645 * gained.std(ddof=1) / np.sqrt(gained.size))


def _ranks(held: Held, classes: Ints) -> bool:
    """Return whether valid units rank above the others in cross-validation by more than chance.

    The test is one-sided, 5 %, by ranks (Mann & Whitney 1947, Annals of Mathematical Statistics 18): an order
    requires less than probabilities do. Each probability is taken relative to the share of its fold, since
    shares differ by chance.
    """
    from scipy.stats import mannwhitneyu

    above, valid = held.model[:, 0] - held.base[:, 0], classes == 0
    if valid.all() or not valid.any():
        return False
    return bool(mannwhitneyu(above[valid], above[~valid], alternative="greater").pvalue < 0.05)
