"""What people said that counts: judgments, adjudications, and every answer in its order."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from nextset.records.judgment import Judgment
from nextset.validation.agreement.answer_order import Answer
from nextset.validation.plan.exclusions import Counted

__all__ = ["Said", "said"]


@dataclass(frozen=True)
class Said:
    """What the entries of the log come to; at most one of each unit and person in each of the three."""

    judgments: tuple[Judgment, ...]
    """Judgments of units, those of adjudications aside."""
    adjudications: tuple[Judgment, ...]
    """Judgments of adjudications."""
    answers: tuple[Answer, ...]
    """Judgments of units and gold items, and what was declined or skipped; adjudications aside."""


def said(counted: Iterable[Counted], gold: Container[str] = ()) -> Said:
    """Take from ``counted`` what counts, and what was declined or skipped.

    Gold items that are not in ``gold`` (its file changed since) are left out: nobody knows what is right.
    """
    judgments: list[Judgment] = []
    adjudications: list[Judgment] = []
    answers: dict[tuple[str, str], Answer] = {}
    for c in counted:
        if c.is_verdict:
            (adjudications if c.kind == "adjudication" else judgments).append(_judgment(c))
        asked = c.part == "unit" or (c.part == "gold" and c.entry.unit_id in gold)
        if asked and c.kind != "adjudication" and (c.counts or c.why_not in ("declined", "skipped")):
            at = (c.entry.unit_id, c.person)
            if c.counts or at not in answers:
                answers[at] = _answer(c)
    return Said(tuple(judgments), tuple(adjudications), tuple(answers[at] for at in sorted(answers)))


def _judgment(c: Counted) -> Judgment:
    assert c.entry.verdict is not None
    return Judgment(
        unit_id=c.entry.unit_id,
        verdict=c.entry.verdict,
        stance_judged=c.entry.stance_judged,
        judge=c.person,
        annotation=c.entry.annotation,
    )


def _answer(c: Counted) -> Answer:
    return Answer(
        unit_id=c.entry.unit_id,
        judge=c.person,
        label=c.entry.verdict if c.counts else None,
        answered_at=c.entry.answered_at,
        seconds=c.entry.seconds,
    )
