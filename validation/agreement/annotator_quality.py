"""Quality per annotator: agreement with the others and with gold, speed, drift, declined items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from nextset.interval import Interval, difference, wilson
from nextset.study.validation_settings import PauseSeatSettings
from nextset.validation.agreement.answers_by_annotator import Answer, by_judge, others_label
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.timestamps import parse_timestamp

__all__ = [
    "JudgeRow",
    "SeatQuality",
    "SpeedRow",
    "judge_rows",
    "limit_crossed",
    "seat_quality",
    "speed_rows",
]

_LEAST = 10
"""The fewest answers with a known time whose median is compared with a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """The quality of one annotator. Gold items count only in the gold columns; shares are in [0, 1]."""

    judge: str
    """The annotator's pseudonym."""
    judged: int
    """The number of units judged."""
    declined: int
    """The number of units declined or skipped."""
    declined_share: float | None
    """``declined`` divided by all units answered; null if no unit was answered."""
    seconds_median: float | None
    """The median time of an answer, including declined units and gold items; null if no time is known."""
    others_n: int
    """The number of units judged whose label has a majority among the other annotators."""
    others: Interval | None
    """The share of these units that got the same label (Wilson's interval); null if there are none."""
    gold_n: int
    """The number of gold items judged."""
    gold: Interval | None
    """The share of these that got the known label (Wilson's interval); null if there are none."""
    first: float | None
    """The agreement with the others in the first third of ``others_n``; null if the order is unknown."""
    last: float | None
    """The agreement with the others in the last third; null if the order is unknown."""
    drift: Interval | None
    """``last`` minus ``first``, in [-1, 1] (Newcombe's interval); null without them or below three units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRow:
    """An annotator's speed in one tenth of his or her answers, in order."""

    judge: str
    """The annotator's pseudonym."""
    decile: int
    """The tenth, from 1 (first) to 10 (last); with fewer than ten answers, some tenths are missing."""
    answers: int
    """The number of its answers with a known time."""
    seconds_median: float
    """The median time of these answers."""


def judge_rows(answers: Iterable[Answer], gold: Mapping[str, str]) -> list[JudgeRow]:
    """Return one row per annotator, sorted; ``gold`` has the known label of each gold item."""
    rows = list(answers)
    others = others_label([a for a in rows if a.unit_id not in gold])
    return [_judge_row(judge, given, others, gold) for judge, given in by_judge(rows).items()]


def speed_rows(answers: Iterable[Answer]) -> list[SpeedRow]:
    """Return the median time per annotator and tenth of the answers that have a timestamp."""
    rows = []
    for judge, given in by_judge(answers).items():
        times = [a.seconds for a in given if a.seconds is not None and a.answered_at]
        tenths: dict[int, list[float]] = {}
        for i, seconds in enumerate(times):
            tenths.setdefault(10 * i // len(times) + 1, []).append(seconds)
        rows += [
            SpeedRow(judge=judge, decile=tenth, answers=len(durations), seconds_median=median(durations))
            for tenth, durations in tenths.items()
        ]
    return rows


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


def _judge_row(
    judge: str, given: Sequence[Answer], others: Mapping[tuple[str, str], str], gold: Mapping[str, str]
) -> JudgeRow:
    units = [a for a in given if a.unit_id not in gold]
    judged = [a for a in units if a.label is not None]
    times = [a.seconds for a in given if a.seconds is not None]
    compared = [a for a in judged if (a.unit_id, judge) in others]
    same = [others[a.unit_id, judge] == a.label for a in compared]
    right = [gold[a.unit_id] == a.label for a in given if a.unit_id in gold and a.label is not None]
    third = len(same) // 3 if _ordered([a.answered_at for a in compared]) else 0
    first, last = wilson(sum(same[:third]), third), wilson(sum(same[len(same) - third :]), third)
    return JudgeRow(
        judge=judge,
        judged=len(judged),
        declined=len(units) - len(judged),
        declined_share=(len(units) - len(judged)) / len(units) if units else None,
        seconds_median=median(times) if times else None,
        others_n=len(same),
        others=wilson(sum(same), len(same)),
        gold_n=len(right),
        gold=wilson(sum(right), len(right)),
        first=first.point if first else None,
        last=last.point if last else None,
        drift=difference(first, last) if first and last else None,
    )


def _ordered(times: Sequence[str]) -> bool:
    """Return whether sorted ``times`` (empty if unknown) separate the first third from the last."""
    third = len(times) // 3
    return third > 0 and "" not in times and times[third - 1] < times[-third]
