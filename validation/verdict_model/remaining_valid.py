"""The number of valid units that remain: the summed probabilities, corrected by cross-validation."""

from __future__ import annotations

import math

import numpy as np

from nextset.array_types import Floats
from nextset.validation.verdict_model.prediction_records import Remaining

__all__ = ["Remaining", "remaining_valid"]


def remaining_valid(p_rest: Floats, p_held: Floats, valid: Floats) -> Remaining:
    """Return the expected number of valid units among those with probabilities ``p_rest``.

    ``p_held`` are the probabilities of the judged units from classifiers that did not see them; ``valid`` is
    1 for valid judged units and 0 for the others. The point is Σ p of the rest plus, for each of them, the
    mean of ``valid`` minus ``p_held`` over the judged units: the difference estimator of survey sampling
    (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, 6.3), with predictions as
    Angelopoulos et al. (2023, Prediction-powered inference, Science 382) use it.

    With s² the variance of those differences over n judged units, the number among N others has the variance
    N² s² / n, since the mean is not known, plus N s², since units differ. The interval is the point ± 1.96
    standard deviations, cut at 0 and N. It does not require correct probabilities, but the judged units have
    to be like the others: if neither chance nor the features explain which units were judged, it is too
    narrow.
    """
    n_rest = len(p_rest)
    above = valid - p_held
    point = min(max(0.0, float(p_rest.sum() + n_rest * above.mean())), float(n_rest))
    spread = float(np.var(above, ddof=1))
    off = 1.96 * math.sqrt(spread * n_rest * (n_rest / len(above) + 1))
    return Remaining(max(0.0, point - off), point, min(float(n_rest), point + off))
