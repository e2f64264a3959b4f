"""Breaks between batches: when they end, and which batches are no longer wanted by then."""

from __future__ import annotations

from datetime import datetime, timedelta

from nextset.validation.plan.coverage import Coverage
from nextset.validation.plan.state import Batch, Participant, Session

__all__ = ["break_end", "stale_batches"]


def break_end(last: datetime | None, now: datetime, minutes: int) -> str:
    """Return when the next batch opens, ``minutes`` after the person's ``last`` answer; empty if at once.

    A ``last`` answer after ``now`` is taken as given now: its time is from the server's clock, which can be
    ahead.
    """
    return (min(last, now) + timedelta(minutes=minutes)).isoformat() if minutes and last else ""


def stale_batches(session: Session, coverage: Coverage) -> tuple[tuple[Participant, Batch], ...]:
    """Return each batch that is not sent yet and must be planned anew, with its annotator.

    A batch is stale if its annotator has left or withdrawn, so that others get its units; if the annotator
    has since declined the domain of an item; or if one of its units needs no further judgment.
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
