"""The expected number of kept units that annotators call valid, with an interval and its basis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from nextset.interval import wilson
from nextset.records.expected_units import ExpectedValid
from nextset.records.judgment import Verdict
from nextset.validation.verdict_model.prediction_records import ValidatorReport

__all__ = ["SAMPLE", "expected_valid", "expected_without_verdicts", "half_width"]

SAMPLE = 50
"""The number of units in the random sample that is proposed if nothing is known."""


def expected_without_verdicts(units: int) -> ExpectedValid:
    """Return the record, without an expectation, for kept ``units`` that are all unjudged."""
    return ExpectedValid(ground="nothing", units=units, judged=0, valid=0, low=None, expected=None, high=None)


def expected_valid(
    units: int, verdicts: Mapping[str, Verdict], report: ValidatorReport | None, *, queued: bool = False
) -> ExpectedValid:
    """Return the expectation for ``units`` units; ``verdicts`` has at least one verdict.

    The verdict model's ``report`` is used if the model is better than shares and the report was made from
    these verdicts. Otherwise the share of the judged units is taken for all units, as if the judged ones were
    drawn at random. With n of N units judged, the share has the Wilson interval of a sample of n N / (N − n),
    which is the correction for a finite population (Cochran 1977, Sampling Techniques, 2.6); with all N
    judged, the number is known.
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
    """Return the largest half-width, in points, of the interval of a share of ``n`` units drawn at random.

    It occurs for a share of one half: 50 units give about 13 points.
    """
    share = wilson(n / 2, n)
    assert share is not None
    return 100 * (share.high - share.point)


def _holds(report: ValidatorReport, counts: Counter[Verdict], rest: int) -> bool:
    """Return whether ``report`` has predictions and was made from these verdicts."""
    made_from = (report.valid, report.invalid, report.incoherent, report.unjudged)
    return report.better and made_from == (
        counts["valid"],
        counts["invalid"],
        counts["incoherent"],
        rest,
    )
