"""Quality per annotator: agreement with the others and with gold, speed, drift, declined items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from nextset.interval import Interval, difference, wilson
from nextset.validation.agreement.answers_by_annotator import Answer, by_judge, others_label

__all__ = ["JudgeRow", "SpeedRow", "judge_rows", "speed_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """How one annotator judges; gold items are in the gold columns alone, and shares are in [0, 1]."""

    judge: str
    """Pseudonym."""
    judged: int
    """Units judged."""
    declined: int
    """Units that the annotator would rather not judge, or skipped."""
    declined_share: float | None
    """Declined by all units answered; null if there is none."""
    seconds_median: float | None
    """Median time of an answer, declined ones and gold items included; null if no time is known."""
    others_n: int
    """Units judged on whose label most of the others agree."""
    others: Interval | None
    """The share of them judged with that label (Wilson's interval); null if there is none."""
    gold_n: int
    """Gold items judged."""
    gold: Interval | None
    """The share of them judged as is known (Wilson's interval); null if there is none."""
    first: float | None
    """Agreement with the others in the first third of ``others_n``; null if times do not tell the order."""
    last: float | None
    """Agreement with the others in the last third; null if times do not tell the order."""
    drift: Interval | None
    """Last minus first, in [-1, 1] (Newcombe's interval); null without them or with under three units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRow:
    """How fast an annotator is in a tenth of the answers, in their order."""

    judge: str
    """Pseudonym."""
    decile: int
    """1 is the first tenth, 10 the last; with fewer than ten answers some are missing."""
    answers: int
    """Answers in it whose time is known."""
    seconds_median: float
    """Their median time."""


def judge_rows(answers: Iterable[Answer], gold: Mapping[str, str]) -> list[JudgeRow]:
    """One row a judge, sorted; ``gold`` has the known label of each gold item."""
    rows = list(answers)
    others = others_label([a for a in rows if a.unit_id not in gold])
    return [_judge_row(judge, given, others, gold) for judge, given in by_judge(rows).items()]


def speed_rows(answers: Iterable[Answer]) -> list[SpeedRow]:
    """The median time by judge and tenth of the answers that say when they were given."""
    rows = []
    for judge, given in by_judge(answers).items():
        times = [a.seconds for a in given if a.seconds is not None and a.answered_at]
        tenths: dict[int, list[float]] = {}
        for i, seconds in enumerate(times):
            tenths.setdefault(10 * i // len(times) + 1, []).append(seconds)
        rows += [
            SpeedRow(judge=judge, decile=tenth, answers=len(found), seconds_median=median(found))
            for tenth, found in tenths.items()
        ]
    return rows


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
    """Whether sorted ``times``, empty where unknown, tell the first third from the last."""
    third = len(times) // 3
    return third > 0 and "" not in times and times[third - 1] < times[-third]
