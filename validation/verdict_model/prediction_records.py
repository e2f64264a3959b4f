"""Records of the verdict model's predictions, which are machine-made and not judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from nextset.records.judgment import Verdict

__all__ = ["VERDICTS", "Predicted", "Remaining", "ValidatorReport"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The order of the three verdicts in every array of the validator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """The predicted verdict probabilities of a unit."""

    unit_id: str
    """The unit; it has not been judged, or its votes are tied."""
    p_valid: float
    """Probability of valid."""
    p_invalid: float
    """Probability of invalid."""
    p_incoherent: float
    """Probability of incoherent."""
    judge: Literal["machine"] = "machine"
    """Made by a machine: it orders the queue and is never counted as a judgment."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """How many of the units without a verdict people would call valid."""

    low: float
    """Lower end of the 95 % interval."""
    point: float
    """The expected number: the sum of the probabilities, corrected by held-out units."""
    high: float
    """Upper end of the 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorReport:
    """The quality of the verdict model, and its estimates."""

    model: str
    """The model whose features it reads."""
    judged: int
    """Units with a verdict, from which it learned."""
    valid: int
    """Those of them that are valid."""
    invalid: int
    """Those that are invalid."""
    incoherent: int
    """Those that are incoherent."""
    unjudged: int
    """Units without a verdict."""
    folds: int
    """The figures below are for held-out units, by cross-validation in this many parts."""
    brier: float
    """Mean squared distance between probabilities and verdicts, summed over the verdicts; in [0, 2]."""
    brier_base: float
    """The same when every unit gets the shares of the verdicts."""
    log_loss: float
    """Mean −ln of the probability that the verdict had."""
    log_loss_base: float
    """The same when every unit gets the shares of the verdicts."""
    calibration_error: float
    """Expected calibration error of p_valid: distance between it and the share that is valid, in [0, 1]."""
    better: bool
    """Whether its probabilities are better than the shares alone; if not, nothing is estimated from them."""
    orders: bool
    """Whether units are ordered by it: it is better, or ranks valid units that were held out above the others
    by more than chance gives."""
    remaining_low: float | None
    """Lower end of the 95 % interval of the next; null when not better."""
    remaining: float | None
    """Valid units to be expected among those without a verdict; null when not better."""
    remaining_high: float | None
    """Upper end of the 95 % interval; null when not better."""
    seconds: float
    """Seconds that a unit took, the mean of the judgments' own times; if none has one, an assumption."""
    seconds_known: int
    """Judged units whose time is known; 0: the seconds are an assumption."""
    hourly: float | None
    """Valid units an hour in the first half of the judged units, ordered by the model that had not seen them;
    null when it orders nothing."""
    hourly_low: float | None
    """Lower end of the 95 % interval; null when it orders nothing."""
    hourly_high: float | None
    """Upper end; null when it orders nothing."""
    hourly_shuffled: float
    """Valid units an hour in shuffled order."""
    hourly_gain_low: float | None
    """Lower end of the 95 % interval of the difference; null when it orders nothing."""
    hourly_gain_high: float | None
    """Upper end; null when it orders nothing."""
    judge: Literal["machine"] = "machine"
    """Made by a machine."""
