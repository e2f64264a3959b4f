"""The answers that count: judgments, adjudications, and all answers of each annotator in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from nextset.records.judgment import Judgment
from nextset.validation.agreement.answers_by_annotator import Answer
from nextset.validation.judgments.judgment_log import read
from nextset.validation.plan.counting_rules import Counted, WhyNot, count
from nextset.validation.plan.state import State

__all__ = ["LOST", "CountedAnswers", "counted_answers", "counted_entries", "lost_judgments", "not_counted"]

LOST: dict[WhyNot, str] = {
    "unknown unit": "judgments of units that the study does not have",
    "unknown session": "judgments of sessions that the plan does not have",
}
"""Names, in the stage's counts, of judgments that became useless when the study or its files changed."""


@dataclass(frozen=True)
class CountedAnswers:
    """The answers of a log that count; each of the three has at most one per unit and annotator."""

    judgments: tuple[Judgment, ...]
    """Judgments of units, without those of adjudications."""
    adjudications: tuple[Judgment, ...]
    """Judgments of adjudications."""
    answers: tuple[Answer, ...]
    """Judgments of units and gold items, and items declined or skipped; without those of adjudications."""


def counted_entries(judgments: Path, state: State, units: Collection[str]) -> tuple[Counted, ...]:
    """Return every entry of the log in folder ``judgments``; each says whether it counts and, if not, why.

    ``state`` is the state of the plan in the same folder, ``units`` are the ids of the study's units.
    """
    return count(read(judgments).entries, state, units)


def counted_answers(counted: Iterable[Counted], gold: Container[str] = ()) -> CountedAnswers:
    """Select from ``counted`` the answers that count, and those declined or skipped.

    Gold items that are not in ``gold`` (their file has changed) are omitted: their verdict is unknown.
    """
    judgments: list[Judgment] = []
    adjudications: list[Judgment] = []
    answers: dict[tuple[str, str], Answer] = {}
    for c in counted:
        if c.is_verdict:
            (adjudications if c.kind == "adjudication" else judgments).append(_judgment(c))
        wanted = c.part == "unit" or (c.part == "gold" and c.entry.unit_id in gold)
        if wanted and c.kind != "adjudication" and (c.counts or c.why_not in ("declined", "skipped")):
            key = (c.entry.unit_id, c.person)
            if c.counts or key not in answers or _is_earlier(c, answers[key]):
                answers[key] = _answer(c)
    ordered = tuple(answers[key] for key in sorted(answers))
    return CountedAnswers(tuple(judgments), tuple(adjudications), ordered)


def not_counted(counted: Iterable[Counted], *, with_kind: bool = False) -> dict[str, int]:
    """Return the number of answers that do not count, by reason or problem, without replaced states.

    ``with_kind`` puts the reason before a problem. Of people who withdrew consent, only judgments of units
    have that reason: gold and rest items need no verdict, and declined and skipped items have their own.
    """
    reasons: Counter[str] = Counter()
    for c in counted:
        withdrawn, judged = c.why_not == "consent withdrawn", c.entry.outcome == "judged"
        reason = c.entry.outcome if withdrawn and not judged else c.why_not
        if reason not in ("", "superseded") and not (withdrawn and judged and c.part != "unit"):
            problem = c.entry.problem
            reasons[f"{reason}: {problem}" if with_kind and problem else problem or reason] += 1
    return dict(sorted(reasons.items()))


def lost_judgments(counted: Iterable[Counted]) -> dict[str, int]:
    """Return the number of judgments without a unit or session, by the names in `LOST`, without zeros."""
    lost = Counter(c.why_not for c in counted if c.why_not in LOST and c.entry.outcome == "judged")
    return {LOST[why]: n for why, n in sorted(lost.items())}


def _judgment(c: Counted) -> Judgment:
    assert c.entry.verdict is not None
    return Judgment(
        unit_id=c.entry.unit_id,
        verdict=c.entry.verdict,
        stance_judged=c.entry.stance_judged,
        judge=c.person,
        annotation=c.entry.annotation,
    )


def _is_earlier(c: Counted, other: Answer) -> bool:
    """Return whether ``c`` came before ``other``, which has no label: merged logs can be in any order."""
    seconds, others = (x.seconds if x.seconds is not None else -1.0 for x in (c.entry, other))
    return other.label is None and (c.entry.answered_at, seconds) < (other.answered_at, others)


def _answer(c: Counted) -> Answer:
    return Answer(
        unit_id=c.entry.unit_id,
        judge=c.person,
        label=c.entry.verdict if c.counts else None,
        answered_at=c.entry.answered_at,
        seconds=c.entry.seconds,
    )
