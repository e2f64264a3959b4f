"""Annotators' working time, which only the organiser sees, who pays them."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise

from nextset.validation.judgments.log_entry import Outcome
from nextset.validation.plan.counting_rules import Counted
from nextset.validation.timestamps import parse_timestamp

__all__ = ["CAP", "PayableTime", "answers_by_item", "payable_csv", "payable_time", "seconds_of"]

CAP = 300
"""The most seconds that an item counts: a task that was left open longer counts as this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayableTime:
    """The time that a person spent on items, regardless of the answers and of whether they count."""

    person: str
    """The person's pseudonym."""
    items: int
    """The number of items answered, including gold, rest, skipped and declined items."""
    judged: int
    """The number of these with a verdict."""
    declined: int
    """The number of these that the person declined."""
    skipped: int
    """The number of these skipped with Label Studio's button."""
    unreadable: int
    """The number of these with an answer that cannot be read."""
    altered: int
    """The number of these whose text or page someone had changed; they were asked again."""
    without_time: int
    """The number of these whose time is unknown; they add nothing to the seconds."""
    over_cap: int
    """The number of these that were open longer than ``cap_seconds`` and count as ``cap_seconds``."""
    cap_seconds: int
    """The most seconds that an item counts."""
    seconds: int
    """The total time, rounded up to a whole second."""
    minutes: int
    """The total time, rounded up to a whole minute."""
    ruled_out: int = 0
    """The seconds that are not included because the times of the person's answers rule them out."""


def payable_time(counted: Iterable[Counted], cap: int = CAP) -> tuple[PayableTime, ...]:
    """Return the time of each person, sorted by pseudonym.

    If a person has several answers to one item of a session, the longest time counts: the server adds times
    up, and deleting an answer and giving it again is still one item. An item that was asked again, since
    someone had changed its text, is a separate item. Answers in another person's project are not credited to
    anyone. In a session, the items take no more than from each answer to the next, at most ``cap`` each: a
    browser's claim is not believed further. The gate is not included: reading warning and guidelines must be
    paid separately. Answers in files that name no annotator are not included.
    """
    return tuple(_of(person, items, cap) for person, items in answers_by_item(counted).items())


def answers_by_item(counted: Iterable[Counted]) -> dict[str, list[list[Counted]]]:
    """Return each person's answers, grouped by item as in `payable_time`."""
    by_person: dict[str, dict[tuple[str, str, str], list[Counted]]] = defaultdict(lambda: defaultdict(list))
    for c in counted:
        entry = c.entry
        if not c.person or c.owner != c.person or c.why_not == "changed by another":
            continue
        altered = entry.outcome == "altered"
        at = (entry.session, entry.number if altered or not entry.session else "", entry.unit_id)
        by_person[c.person][at].append(c)
    return {person: list(by_person[person].values()) for person in sorted(by_person)}


def seconds_of(answers: Iterable[Counted]) -> float:
    """Return the time of an item from the ``answers`` to it, not capped; 0 if none is known."""
    return max([0.0, *(c.entry.seconds or 0.0 for c in answers)])


def _of(person: str, annotations: Sequence[Sequence[Counted]], cap: int) -> PayableTime:
    outcomes: list[Outcome] = [states[-1].entry.outcome for states in annotations]
    times = [seconds_of(states) for states in annotations]
    claimed: dict[str, list[float]] = defaultdict(list)
    for states, seconds_open in zip(annotations, times, strict=True):
        claimed[states[0].entry.session].append(min(seconds_open, cap))
    seconds = math.fsum(
        min(math.fsum(of_session), _possible(session, annotations, cap))
        for session, of_session in claimed.items()
    )
    return PayableTime(
        person=person,
        items=len(annotations),
        judged=outcomes.count("judged"),
        declined=outcomes.count("declined"),
        skipped=outcomes.count("skipped"),
        unreadable=outcomes.count("invalid"),
        altered=outcomes.count("altered"),
        without_time=sum(t == 0 for t in times),
        over_cap=sum(t > cap for t in times),
        cap_seconds=cap,
        seconds=math.ceil(seconds),
        minutes=math.ceil(seconds / 60),
        ruled_out=math.floor(math.fsum(map(math.fsum, claimed.values())) - seconds),
    )


def _possible(session: str, annotations: Sequence[Sequence[Counted]], cap: int) -> float:
    """Return the most seconds that a person can have worked in ``session``, by the times of the answers.

    Nothing is known about answers in files.
    """
    entries = [c.entry for states in annotations for c in states if c.entry.session == session]
    times = sorted(parse_timestamp(e.answered_at) for e in entries if e.answered_at)
    if not session or len(times) < len(entries):
        return math.inf
    return cap + math.fsum(min((b - a).total_seconds(), cap) for a, b in pairwise(times))


def payable_csv(rows: Iterable[PayableTime]) -> bytes:
    """Return ``rows`` as CSV with a header line; it has the column ruled_out only if a row needs it."""
    people = [asdict(row) for row in rows]
    names = [f.name for f in fields(PayableTime)][: None if any(p["ruled_out"] for p in people) else -1]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(people)
    return text.getvalue().encode()
