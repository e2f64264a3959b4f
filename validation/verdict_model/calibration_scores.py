"""Measures of the quality of probabilities: Brier score, log loss, expected calibration error."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats, Ints

__all__ = ["brier", "calibration_error", "losses"]


def brier(probabilities: Floats, verdicts: Ints) -> float:
    """Return the mean squared distance to the verdicts, summed over the classes (Brier 1950); in [0, 2].

    ``probabilities`` has the shape (units, classes); ``verdicts``, of shape (units,), has the index of the
    class.
    """
    truth = np.eye(probabilities.shape[1])[verdicts]
    return float(((probabilities - truth) ** 2).sum(axis=1).mean())


def losses(probabilities: Floats, verdicts: Ints) -> Floats:
    """Return −ln of the probability of each unit's verdict, shape (units,); the log loss is their mean."""
    return np.asarray(-np.log(probabilities[np.arange(verdicts.size), verdicts]))


def calibration_error(expected: Floats, happened: npt.NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error of ``expected``, the probabilities of what ``happened`` or not.

    The units are sorted by probability and split into ``bins`` of similar size (Nguyen & O'Connor 2015,
    adaptive binning): with few judged units, bins of equal width would have one unit or none. The error is
    the mean distance between mean probability and share, weighted by the bins' sizes; in [0, 1]. On few units
    it is never quite 0, even for correct probabilities.
    """
    order = np.argsort(expected, kind="stable")
    parts = [part for part in np.array_split(order, bins) if part.size]
    return float(
        sum(part.size * abs(expected[part].mean() - happened[part].mean()) for part in parts) / expected.size
    )
