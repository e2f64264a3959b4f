"""Answers in the order of their times, and the majority of the other annotators on the same units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Answer", "by_judge", "first_raters", "others_label"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of one annotator; there is at most one per unit and annotator."""

    unit_id: str
    """The unit or gold item."""
    judge: str
    """The annotator's pseudonym."""
    label: str | None
    """The label; null if the annotator declined or skipped."""
    answered_at: str
    """The time of the answer, ISO 8601 in UTC; empty if unknown."""
    seconds: float | None
    """The time that the answer took; null if unknown."""


def by_judge(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """Return the answers of each annotator, sorted by annotator and by time."""
    grouped: dict[str, list[Answer]] = defaultdict(list)
    for answer in sorted(answers, key=lambda a: (a.judge, a.answered_at, a.unit_id)):
        grouped[answer.judge].append(answer)
    return dict(grouped)


def first_raters(answers: Iterable[Answer], number: int) -> set[tuple[str, str]]:
    """Return unit and annotator of the first ``number`` answers with a label to each unit.

    If more people are asked only until enough agree, these are the answers that every unit has. Disputed
    units have more votes in total, so agreement over all votes would be too low or too high.
    """
    raters: dict[str, list[str]] = defaultdict(list)
    for answer in sorted(answers, key=lambda a: (a.answered_at, a.judge)):
        if answer.label is not None and len(raters[answer.unit_id]) < number:
            raters[answer.unit_id].append(answer.judge)
    return {(unit_id, judge) for unit_id, judges in raters.items() for judge in judges}


def others_label(answers: Iterable[Answer]) -> dict[tuple[str, str], str]:
    """Return, by unit and annotator, the label of most others; no entry on a tie or without others."""
    votes: dict[str, dict[str, str]] = defaultdict(dict)
    for answer in answers:
        if answer.label is not None:
            votes[answer.unit_id][answer.judge] = answer.label
    labels = {}
    for unit_id, unit_votes in votes.items():
        counts = Counter(unit_votes.values())
        for judge, own in unit_votes.items():
            ranked = (counts - Counter([own])).most_common(2)
            if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
                labels[unit_id, judge] = ranked[0][0]
    return labels
