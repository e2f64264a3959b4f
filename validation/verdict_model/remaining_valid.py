"""The number of valid units that remain: the summed probabilities, corrected by held-out units."""

from __future__ import annotations

import math

import numpy as np

from nextset.validation.verdict_model.calibration_scores import Floats
from nextset.validation.verdict_model.prediction_records import Remaining

__all__ = ["Remaining", "remaining_valid"]


def remaining_valid(p_rest: Floats, p_held: Floats, valid: Floats) -> Remaining:
    """The valid units to be expected among those with probabilities ``p_rest``.

    ``p_held`` are the probabilities that the judged units had when they were held out, ``valid`` is 1 for
    those of them that are valid and 0 for the others. The point is Σ p of the rest and, for each of them, the
    mean of what the judged ones are above their probability: the difference estimator of survey sampling
    (Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, 6.3), with predictions as
    Angelopoulos et al. (2023, Prediction-powered inference, Science 382) use it.

    With s² the variance of those differences over n judged units, the number among N others has the variance
    N² s² / n, since the mean is not known, plus N s², since units differ. The interval is the point ± 1.96
    standard deviations, cut at 0 and N. No probability has to be right for it, but the judged units have to
    be like the others: where neither chance nor the features explain which were judged, it is too narrow.
    """
    n_rest = len(p_rest)
    above = valid - p_held
    point = min(max(0.0, float(p_rest.sum() + n_rest * above.mean())), float(n_rest))
    spread = float(np.var(above, ddof=1))
    off = 1.96 * math.sqrt(spread * n_rest * (n_rest / len(above) + 1))
    return Remaining(max(0.0, point - off), point, min(float(n_rest), point + off))
