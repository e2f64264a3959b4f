"""Annotators' working time, only for the organiser, who pays them."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

from nextset.validation.judgments.log_entry import Outcome
from nextset.validation.plan.counting_rules import Counted

__all__ = ["CAP", "PayableTime", "answers_by_item", "payable_csv", "payable_time", "seconds_of"]

CAP = 300
"""Seconds that an item counts at most: a task that was left open longer counts as this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayableTime:
    """The time that a person spent on items, whatever was answered and whether or not it counts."""

    person: str
    """Pseudonym."""
    items: int
    """Items answered, gold items and rest items included, skipped and declined ones too."""
    judged: int
    """Of these, those with a verdict."""
    declined: int
    """Those that the person would rather not judge."""
    skipped: int
    """Those skipped with Label Studio's button."""
    unreadable: int
    """Those whose answer cannot be read."""
    altered: int
    """Those whose text or page somebody had changed; they were asked again."""
    without_time: int
    """Those whose time is not known; they add nothing to the seconds."""
    over_cap: int
    """Those that were open longer than ``cap_seconds`` and count as this many."""
    cap_seconds: int
    """The seconds that an item counts at most."""
    seconds: int
    """The sum, rounded up to a whole second."""
    minutes: int
    """The sum, rounded up to a whole minute."""


def payable_time(counted: Iterable[Counted], cap: int = CAP) -> tuple[PayableTime, ...]:
    """The time of each person, in the order of pseudonyms.

    Of several answers of a person to one item of a session the longest time holds: the server adds up, and
    who deletes an answer and gives it again has one item. One that was asked again, since somebody had
    changed the text, is another. What was answered in another person's project is credited to nobody. The
    gate is not in it: reading warning and guidelines must be paid separately. Answers in files without an
    annotator are not included.
    """
    return tuple(_of(person, items, cap) for person, items in answers_by_item(counted).items())


def answers_by_item(counted: Iterable[Counted]) -> dict[str, list[list[Counted]]]:
    """Return each person's answers, those to the same item together, as `payable_time` tells items apart."""
    found: dict[str, dict[tuple[str, str, str], list[Counted]]] = defaultdict(lambda: defaultdict(list))
    for c in counted:
        entry = c.entry
        if not c.person or c.owner != c.person:
            continue
        altered = entry.outcome == "altered"
        at = (entry.session, entry.number if altered or not entry.session else "", entry.unit_id)
        found[c.person][at].append(c)
    return {person: list(found[person].values()) for person in sorted(found)}


def seconds_of(answers: Iterable[Counted]) -> float:
    """Return the time of an item from the ``answers`` to it, not capped; 0 if none is known."""
    return max((c.entry.seconds or 0.0 for c in answers), default=0.0)


def _of(person: str, annotations: Sequence[Sequence[Counted]], cap: int) -> PayableTime:
    outcomes: list[Outcome] = [states[-1].entry.outcome for states in annotations]
    times = [seconds_of(states) for states in annotations]
    seconds = math.fsum(min(t, cap) for t in times)
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
    )


def payable_csv(rows: Iterable[PayableTime]) -> bytes:
    """``rows`` as CSV with a line of names."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [f.name for f in fields(PayableTime)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue().encode()
