"""How many of the kept units people can be expected to call valid, with an interval and its ground."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from nextset.interval import wilson
from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.prediction_records import ValidatorReport

__all__ = ["SAMPLE", "ExpectedValid", "expected_valid", "expected_without_verdicts", "half_width"]

SAMPLE = 50
"""Units of the random sample that is proposed where nothing is known."""

Ground = Literal["verdict model", "share", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedValid:
    """The kept units that people can be expected to call valid, the judged ones included."""

    ground: Ground
    """verdict model: it is better than shares. share: of the units judged so far. nothing: none is judged."""
    units: int
    """Kept units."""
    judged: int
    """Units with a verdict."""
    valid: int
    """Those of them that are valid."""
    low: float | None
    """Lower end of the 95 % interval of the valid units; null if nothing is known."""
    expected: float | None
    """The valid units to be expected; null if nothing is known."""
    high: float | None
    """Upper end; null if nothing is known."""
    queued: bool = False
    """Whether a main session asked for judgments: then validate.session.order and stop_below chose units."""


def expected_without_verdicts(units: int) -> ExpectedValid:
    """Return the expectation if none of the kept ``units`` is judged: there is none."""
    return ExpectedValid(ground="nothing", units=units, judged=0, valid=0, low=None, expected=None, high=None)


def expected_valid(
    units: int, verdicts: Mapping[str, Verdict], report: ValidatorReport | None, *, queued: bool = False
) -> ExpectedValid:
    """Return the expectation for ``units`` units of which those in ``verdicts`` have one; at least one has.

    The verdict model's ``report`` holds if it is better than shares and was made from these verdicts. Without
    it the share of the judged units is taken for all, as if they were drawn at random: of N units n are
    judged, so the share has the Wilson interval of a sample of n N / (N − n), which is the correction for a
    finite population (Cochran 1977, Sampling Techniques, 2.6), and all N if none is left.
    """
    counts = Counter(verdicts.values())
    judged, valid = counts.total(), counts["valid"]
    rest = units - judged
    if report is not None and _holds(report, counts, rest):
        assert report.remaining is not None
        assert report.remaining_low is not None
        assert report.remaining_high is not None
        return ExpectedValid(
            ground="verdict model",
            units=units,
            judged=judged,
            valid=valid,
            low=valid + report.remaining_low,
            expected=valid + report.remaining,
            high=valid + report.remaining_high,
            queued=queued,
        )
    low = high = point = float(valid)
    if rest:
        size = judged * units / rest
        share = wilson(size * valid / judged, size)
        assert share is not None
        low, point, high = units * share.low, units * share.point, units * share.high
    return ExpectedValid(
        ground="share",
        units=units,
        judged=judged,
        valid=valid,
        low=max(low, float(valid)),
        expected=point,
        high=min(high, float(valid + rest)),
        queued=queued,
    )


def half_width(n: int) -> float:
    """Return the largest half of the interval of a share of ``n`` units drawn at random, in points.

    It is that of a share of one half: 50 units give about 13 points.
    """
    share = wilson(n / 2, n)
    assert share is not None
    return 100 * (share.high - share.point)


def _holds(report: ValidatorReport, counts: Counter[Verdict], rest: int) -> bool:
    """Return whether ``report`` predicts, and was made from these verdicts."""
    made_from = (report.valid, report.invalid, report.incoherent, report.unjudged)
    return report.better and made_from == (
        counts["valid"],
        counts["invalid"],
        counts["incoherent"],
        rest,
    )
