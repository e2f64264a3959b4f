"""Records of the verdict model's predictions, which are machine-made and not judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from nextset.records.judgment import Verdict

__all__ = ["VERDICTS", "Predicted", "Remaining", "ValidatorReport"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The order of the three verdicts in every array of the verdict model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """The predicted verdict probabilities of a unit."""

    unit_id: str
    """The unit; it has not been judged, or its votes are tied."""
    p_valid: float
    """The probability of valid."""
    p_invalid: float
    """The probability of invalid."""
    p_incoherent: float
    """The probability of incoherent."""
    judge: Literal["machine"] = "machine"
    """Made by a machine: it orders the queue and is never counted as a judgment."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """The number of units without a verdict that annotators would call valid."""

    low: float
    """The lower end of the 95 % interval."""
    point: float
    """The expected number: the sum of the probabilities, corrected by cross-validation."""
    high: float
    """The upper end of the 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorReport:
    """The quality of the verdict model, and its estimates."""

    model: str
    """The model whose features of texts the verdict model reads."""
    judged: int
    """The number of units with a verdict, which it learned from."""
    valid: int
    """The number of judged units that are valid."""
    invalid: int
    """The number of judged units that are invalid."""
    incoherent: int
    """The number of judged units that are incoherent."""
    unjudged: int
    """The number of units without a verdict."""
    folds: int
    """The number of folds of the cross-validation that gives the values below."""
    brier: float
    """The mean squared distance between probabilities and verdicts, summed over the verdicts; in [0, 2]."""
    brier_base: float
    """The Brier score if every unit gets the shares of the verdicts."""
    log_loss: float
    """The mean −ln of the probability of the verdict."""
    log_loss_base: float
    """The log loss if every unit gets the shares of the verdicts."""
    calibration_error: float
    """The expected calibration error of p_valid: its distance from the share that is valid, in [0, 1]."""
    better: bool
    """True if its probabilities are better than the shares; if not, nothing is estimated from them."""
    orders: bool
    """True if it orders units: it is better than the shares, or in cross-validation it ranks valid units
    above the others by more than chance."""
    remaining_low: float | None
    """The lower end of the 95 % interval of ``remaining``; null unless it is better."""
    remaining: float | None
    """The expected number of valid units among those without a verdict; null unless it is better."""
    remaining_high: float | None
    """The upper end of this interval; null unless it is better."""
    seconds: float
    """The seconds per unit: the mean of the judgments' times, or an assumption if no time is known."""
    seconds_known: int
    """The number of judged units with a known time; 0 if the seconds are an assumption."""
    hourly: float | None
    """The valid units per hour in the first half of the judged units, in the order of a model that had not
    seen these units; null if it orders nothing."""
    hourly_low: float | None
    """The lower end of the 95 % interval of ``hourly``; null if it orders nothing."""
    hourly_high: float | None
    """The upper end; null if it orders nothing."""
    hourly_shuffled: float
    """The valid units per hour in shuffled order."""
    hourly_gain_low: float | None
    """The lower end of the 95 % interval of the difference; null if it orders nothing."""
    hourly_gain_high: float | None
    """The upper end; null if it orders nothing."""
    judge: Literal["machine"] = "machine"
    """Made by a machine."""
