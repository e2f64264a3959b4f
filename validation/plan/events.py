"""The events of a session.

`nextset.validation.plan.event_log` stores them, `nextset.validation.plan.state` computes the state from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "EVENT_NAMES",
    "AssignedItem",
    "BatchAssigned",
    "BatchCancelled",
    "BatchPushed",
    "Event",
    "GateAnswered",
    "Part",
    "PersonJoined",
    "PersonLeft",
    "ProjectMade",
    "Role",
    "SessionClosed",
    "SessionKind",
    "SessionOpened",
]

SessionKind = Literal["main", "pilot", "adjudication"]

Role = Literal["gate", "retry", "work"]
"""The role of a person's project. gate: warning, consent, guidelines, comprehension. retry: the second try of
the comprehension items, for people who made too many mistakes. work: the items."""

Part = Literal["unit", "gold", "rest"]
"""The kinds of items. unit: to be judged. gold: its verdict is known. rest: a harmless item in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened:
    """A session began. At most one session of a study is open."""

    session: str
    """The session's number in the study, from 1."""
    kind: SessionKind
    """The kind of session. pilot: a few units, all judged by everyone. adjudication: disagreements are judged
    once more."""
    mark: str
    """16 random hex digits that identify the session's projects on the server."""
    at: str
    """The time, ISO 8601 in UTC."""
    seed: int
    """The seed of the plan."""
    overlap: int | float
    """The number of people per unit. With 1.2, one person judges each unit, and a second person a fifth of
    the units; which units these are follows from the overlap, ``seed`` and ``units``
    (`nextset.validation.plan.judgments_per_unit`)."""
    agree: int | None
    """The number of people with the same verdict that is enough; null if all of the overlap are asked."""
    guidelines: str
    """The version of the guidelines: the first 12 digits of their hash."""
    language: str = ""
    """The language of the session's pages, a BCP 47 tag; empty if unknown."""
    key: str
    """The name of the key that makes the session's pseudonyms."""
    units: tuple[str, ...]
    """The units to judge, in order of priority."""
    votes: bool = False
    """True if an adjudication shows the earlier votes."""
    stop_below: float | None = None
    """The floor of a main session, validate.session.postpone_below: a template's units wait at the end of the
    queue while the whole interval of its valid share is below this. Null if no units wait."""
    settings: str = ""
    """The settings of validate.session other than texts, as JSON, so that later changes are named; empty if
    unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonJoined:
    """An annotator joined the session."""

    session: str
    at: str
    """The time, ISO 8601 in UTC."""
    person: str
    """The person's pseudonym."""
    account: str
    """The pseudonym of the account's number on the server, which exported files use for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMade:
    """A project of a person is on the server."""

    session: str
    person: str
    """The person whose project it is."""
    role: Role
    project: str
    """The project's number on the server."""
    made_at: str = ""
    """The time of its creation by the server's clock, which with its number identifies it; empty if
    unknown."""
    page: str = ""
    """The hash of its page as the server stored it, 16 hex digits; empty if unknown."""
    text: str = ""
    """The hash of the only task of gate and retry, 16 hex digits; empty for work, and if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAnswered:
    """A person's answer to the gate, or to its second page, was pulled; the last answer counts."""

    session: str
    person: str
    at: str
    """The time of the answer."""
    consent: bool
    """True if the person agrees; false after an earlier true is a withdrawal."""
    declined: tuple[str, ...]
    """The domains that the person does not want to read about."""
    wrong: tuple[str, ...]
    """The comprehension items that were wrong in the first answer on this page."""
    passed: bool
    """True if enough items were right, on this page or on an earlier one under the same guidelines."""
    role: Literal["gate", "retry"] = "gate"
    """The page of the answer."""


@dataclass(frozen=True, slots=True)
class AssignedItem:
    """An item of a batch."""

    unit_id: str
    """The unit, gold item or rest item: 32 hex digits that do not show which."""
    part: Part
    """The kind of item."""
    rest: int | None = None
    """The place of a rest item in the wording, from 0; null for other items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAssigned:
    """A batch was planned for a person and is pushed next."""

    session: str
    person: str
    """The person whose batch it is."""
    batch: int
    """The batch's number for this person, from 1."""
    items: tuple[AssignedItem, ...]
    """The items, in the order of reading."""
    opens: str = ""
    """The time when the break is over and the batch is sent, ISO 8601 in UTC; empty if sent at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPushed:
    """A batch is on the server, complete and only once."""

    session: str
    person: str
    """The person whose batch it is."""
    batch: int
    """The batch's number."""
    texts: tuple[str, ...] = ()
    """The hash of each item's task, 16 hex digits, in the order of the items; empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCancelled:
    """A batch was cancelled before any of it was on the server: its items can be assigned again."""

    session: str
    person: str
    """The person whose batch it was."""
    batch: int
    """The batch's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLeft:
    """A person stopped; the open items are planned anew for others."""

    session: str
    person: str
    """The person who stopped."""
    at: str
    """The time, ISO 8601 in UTC."""
    why: Literal["stopped", "withdrew", "paused"]
    """The reason. stopped: the person's judgments count. withdrew: consent was withdrawn, and none count.
    paused: a limit of validate.session.pause_seat was crossed, and the judgments so far count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClosed:
    """A session ended: answers changed after this do not count."""

    session: str
    at: str
    """The time, ISO 8601 in UTC."""


Event = (
    SessionOpened
    | PersonJoined
    | ProjectMade
    | GateAnswered
    | BatchAssigned
    | BatchPushed
    | BatchCancelled
    | PersonLeft
    | SessionClosed
)

EVENT_NAMES: Mapping[type[Event], str] = {
    SessionOpened: "session_opened",
    PersonJoined: "person_joined",
    ProjectMade: "project_made",
    GateAnswered: "gate_answered",
    BatchAssigned: "batch_dealt",
    BatchPushed: "batch_pushed",
    BatchCancelled: "batch_cancelled",
    PersonLeft: "person_left",
    SessionClosed: "session_closed",
}
"""The names of the events in plan.jsonl."""
