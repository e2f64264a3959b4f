"""How many valid units remain: the sum of the probabilities, with an interval."""

from __future__ import annotations

import numpy as np

from validation.validator.classifier import Setting, expected
from validation.validator.quality import Floats, Ints
from validation.validator.records import VERDICTS, Remaining

__all__ = ["remaining_valid"]

_VALID = VERDICTS.index("valid")
_DRAWS = 100
"""How often the judged units are drawn again."""


def remaining_valid(x: Floats, verdicts: Ints, wanted: Floats, setting: Setting, seed: int) -> Remaining:
    """The valid units to be expected among ``wanted``, from the judged ``x`` with their ``verdicts``.

    Two things are not known. What each unit is: given the probabilities, the number of valid units is
    Poisson–binomial, with variance Σ p (1 − p). And the probabilities: the judged units are drawn again with
    replacement and the classifier is fitted again, at the same setting; the sums vary. The two variances
    are added, and the interval is point ± 1.96 standard deviations, cut at 0 and at all. It holds as far as
    the judged units are like the others; it is too narrow where they were chosen by something that
    the features do not show.
    """
    p = expected(x, verdicts, wanted, setting)[:, _VALID]
    random = np.random.default_rng(seed)
    sums: list[float] = []
    while len(sums) < _DRAWS:
        drawn = random.integers(0, verdicts.size, verdicts.size)
        if np.isin(setting.learned, verdicts[drawn]).all():
            sums.append(float(expected(x[drawn], verdicts[drawn], wanted, setting)[:, _VALID].sum()))
    point = float(p.sum())
    off = 1.96 * float(np.sqrt((p * (1 - p)).sum() + np.var(sums, ddof=1)))
    return Remaining(max(0.0, point - off), point, min(float(len(wanted)), point + off))
