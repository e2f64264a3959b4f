"""Answers in the order of their times, and the majority of the other annotators on the same units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Answer", "by_judge", "first_raters", "others_label"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of one annotator; there is at most one of each unit and annotator."""

    unit_id: str
    """The unit or gold item."""
    judge: str
    """Pseudonym."""
    label: str | None
    """The label; null if the annotator declined or skipped."""
    answered_at: str
    """When, ISO 8601 in UTC; empty if it is not known."""
    seconds: float | None
    """How long it took; null if that is not known."""


def by_judge(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """The answers of each judge, sorted, in the order in which they were given."""
    found: dict[str, list[Answer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda a: (a.judge, a.answered_at, a.unit_id)):
        found[answer.judge].append(answer)
    return dict(found)


def first_raters(answers: Iterable[Answer], number: int) -> set[tuple[str, str]]:
    """Unit and judge of the first ``number`` answers with a label to each unit.

    Where more people are asked only until enough agree, those that were asked of every unit: units on
    which people disagree have more votes in all, and agreement over all votes would be too low or too high.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for answer in sorted(answers, key=lambda a: (a.answered_at, a.judge)):
        if answer.label is not None and len(found[answer.unit_id]) < number:
            found[answer.unit_id].append(answer.judge)
    return {(unit_id, judge) for unit_id, judges in found.items() for judge in judges}


def others_label(answers: Iterable[Answer]) -> dict[tuple[str, str], str]:
    """By unit and judge the label that most of the other judges give; no entry where they tie or are none."""
    votes: dict[str, dict[str, str]] = defaultdict(dict)
    for answer in answers:
        if answer.label is not None:
            votes[answer.unit_id][answer.judge] = answer.label
    found = {}
    for unit_id, of in votes.items():
        counts = Counter(of.values())
        for judge, own in of.items():
            ranked = (counts - Counter([own])).most_common(2)
            if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
                found[unit_id, judge] = ranked[0][0]
    return found
