"""The speed and the gold items of an annotator in a session, and the limits that pause a seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from nextset.study.validation_settings import PauseSeatSettings
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.timestamps import parse_timestamp

__all__ = ["SeatQuality", "limit_crossed", "seat_quality"]

_LEAST = 10
"""The fewest answers with a known time whose median is compared with a limit."""


@dataclass(frozen=True)
class SeatQuality:
    """An annotator's speed and gold items."""

    timed: int
    """The number of answers with a known time, without rest items."""
    seconds: float | None
    """The median time of these answers; null if there are none."""
    gold: int
    """The number of gold items judged."""
    wrong_gold: int
    """The number of these with a verdict other than the known one."""


def seat_quality(
    counted: Iterable[Counted], gold: Mapping[str, str], project: str | None, since: str = ""
) -> SeatQuality:
    """Return the quality of the last answers in ``project``, given after ``since`` (ISO 8601; empty: all).

    ``gold`` has the known verdict of each gold item, by unit_id.
    """
    own = [
        c.entry
        for c in counted
        if c.entry.project == project and c.part != "rest" and c.why_not != "superseded"
    ]
    if since:
        begin = parse_timestamp(since)
        own = [e for e in own if e.answered_at and parse_timestamp(e.answered_at) > begin]
    times = [e.seconds for e in own if e.seconds is not None]
    judged = [e for e in own if e.unit_id in gold and e.outcome == "judged"]
    wrong = sum(e.verdict != gold[e.unit_id] for e in judged)
    return SeatQuality(len(times), median(times) if times else None, len(judged), wrong)


def limit_crossed(quality: SeatQuality, limits: PauseSeatSettings | None) -> str:
    """Return which of the limits the annotator is beyond, as text; empty if none."""
    if limits is None:
        return ""
    seconds = quality.seconds if quality.timed >= _LEAST else None
    if seconds is not None and limits.seconds is not None and seconds < limits.seconds:
        return (
            f"the median time of {quality.timed} answers is {seconds:.1f} s, below {limits.seconds:g} s "
            "(validate.session.pause_seat.seconds)"
        )
    if limits.gold is not None and quality.wrong_gold >= limits.gold:
        return (
            f"{quality.wrong_gold} of {quality.gold} gold items are wrong "
            f"(validate.session.pause_seat.gold: {limits.gold})"
        )
    return ""
