"""A person's next step in a session: the gate, the work, a break, or the end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nextset.validation.gateway.participations import Participation
from nextset.validation.timestamps import parse_timestamp

__all__ = ["NextStep", "Step", "next_step"]

Step = Literal[
    "gate", "work", "moment", "break", "done", "closed", "stopped", "paused", "disagreed", "misunderstood"
]
"""The kinds of steps. moment: answers are being pulled. closed: the session ended. stopped: the person
left. paused: a limit paused the person's seat."""


@dataclass(frozen=True)
class NextStep:
    """A person's next step."""

    step: Step
    """The kind of step."""
    project: int | None = None
    """The project of the gate or the work; in other steps that of the gate, where consent can be changed."""
    opens: datetime | None = None
    """The time when the next batch opens, in UTC; null unless the step is a break."""
    pull: bool = False
    """True if answers have to be pulled, or a batch sent, before the next step."""


def next_step(part: Participation, *, item_left: bool, pulling: bool, now: datetime) -> NextStep:
    """Return the person's next step.

    With ``item_left`` Label Studio still has an item for the person; with ``pulling`` the person's last
    answers are being pulled.
    """
    person, gate = part.participant, part.project("gate")
    if not part.open:
        return NextStep("closed", gate)
    if person.left is not None and not person.withdrew:
        return NextStep("paused" if person.left.why == "paused" else "stopped")
    if person.needs_gate:
        if pulling:
            return NextStep("moment")
        if person.asked_first or person.may_retry:
            page = gate if person.asked_first else part.project("retry")
            return NextStep("gate", page) if page is not None else NextStep("moment", pull=True)
        agreed = person.failed and person.gate is not None and person.gate.consent and not person.withdrew
        return NextStep("misunderstood" if agreed else "disagreed", gate)
    if item_left:
        return NextStep("work", part.project("work"))
    if pulling:
        return NextStep("moment")
    waiting = next((batch for batch in person.batches if batch.waits), None)
    if waiting is None:
        return NextStep("done", gate)
    opens = parse_timestamp(waiting.opens) if waiting.opens else now
    return NextStep("break", gate, opens) if opens > now else NextStep("moment", pull=True)
