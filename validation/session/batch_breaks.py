"""Breaks between batches: when they end, and which batches are not wanted any more when they do."""

from __future__ import annotations

from datetime import datetime, timedelta

from nextset.validation.plan.coverage import Coverage
from nextset.validation.plan.state import Batch, Participant, Session

__all__ = ["break_end", "stale_batches"]


def break_end(last: datetime | None, now: datetime, minutes: int) -> str:
    """Return when the next batch opens, ``minutes`` after the person's ``last`` answer; empty: at once.

    An answer was given ``now`` at the latest: the clock of the server, from which its time is, can be ahead.
    """
    return (min(last, now) + timedelta(minutes=minutes)).isoformat() if minutes and last else ""


def stale_batches(session: Session, coverage: Coverage) -> tuple[tuple[Participant, Batch], ...]:
    """Return each batch that is not sent yet and has to be planned anew, with whose it is.

    Its person has left or withdrawn, so that others are given its units; or has declined the domain of an
    item since; or one of its units needs no further judgment.
    """
    return tuple(
        (person, batch)
        for person in session.people.values()
        for batch in person.batches
        if batch.waits and not (person.active and _wanted(person, batch, coverage))
    )


def _wanted(person: Participant, batch: Batch, coverage: Coverage) -> bool:
    open_items = coverage.open_items(person.person)
    return all(
        item.unit_id in open_items and not (item.part == "unit" and coverage.enough(item.unit_id))
        for item in batch.items
    )
