"""The events of a session.

`nextset.validation.plan.event_log` stores them, `nextset.validation.plan.state` sums them up.
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
"""A person's project. gate: warning, consent, guidelines, comprehension. retry: the second try of the
comprehension items, for those who made too many mistakes. work: the items."""

Part = Literal["unit", "gold", "rest"]
"""unit: to be judged. gold: its verdict is known. rest: a harmless item between the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened:
    """A session began. At most one session of a study is open."""

    session: str
    """Its number in the study, from 1."""
    kind: SessionKind
    """pilot: a few units, everyone judges them all. adjudication: disagreements are judged once more."""
    mark: str
    """16 random hex digits by which its projects are known on the server."""
    at: str
    """When, ISO 8601 in UTC."""
    seed: int
    """Seed of the plan."""
    overlap: int | float
    """How many people judge a unit; 1.2: one judges each, and a second a fifth of them. Which these are
    follows from this, ``seed`` and ``units`` (`nextset.validation.plan.judgments_per_unit`)."""
    agree: int | None
    """This many people with the same verdict are enough; null: all of the overlap are asked."""
    guidelines: str
    """Version of the guidelines: the first 12 digits of their hash."""
    language: str = ""
    """The language of its pages, a BCP 47 tag; empty if not known."""
    key: str
    """Which key makes its pseudonyms."""
    units: tuple[str, ...]
    """The units to be judged, in the order in which they are wanted."""
    votes: bool = False
    """In an adjudication: whether the earlier votes are shown."""
    stop_below: float | None = None
    """In a main session: units of a template wait at the end of the queue when the interval of its valid
    share lies wholly below this; null: none waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonJoined:
    """An annotator takes part."""

    session: str
    """The session."""
    at: str
    """When."""
    person: str
    """Pseudonym."""
    account: str
    """Pseudonym of the account's number on the server, by which files that people export name the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMade:
    """A project of a person is on the server."""

    session: str
    """The session."""
    person: str
    """Whose it is."""
    role: Role
    """What it is for."""
    project: str
    """Its number on the server."""
    made_at: str = ""
    """When it was made, by the server's clock: with its number, this is what it is known by; empty if not
    known."""
    page: str = ""
    """Hash of its page as the server stored it, 16 hex digits; empty if not known."""
    text: str = ""
    """Hash of the only task of gate and retry, 16 hex digits; empty for the work, and if not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAnswered:
    """A person's answer to the gate, or to its second page, was pulled; the last one holds."""

    session: str
    """The session."""
    person: str
    """Whose answer."""
    at: str
    """When it was given."""
    consent: bool
    """Whether the person agrees; false after having agreed is a withdrawal."""
    declined: tuple[str, ...]
    """Domains that the person does not want to read about."""
    wrong: tuple[str, ...]
    """Comprehension items that were answered incorrectly when this page was answered first."""
    passed: bool
    """Whether that was enough, on this page or on another one of the same guidelines."""
    role: Literal["gate", "retry"] = "gate"
    """The page on which it was given."""


@dataclass(frozen=True, slots=True)
class AssignedItem:
    """An item of a batch."""

    unit_id: str
    """The unit, gold item or rest item: 32 hex digits that do not show which."""
    part: Part
    """What it is."""
    rest: int | None = None
    """Of a rest item its place in the wording, from 0; null for the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAssigned:
    """A batch was planned for a person; it is pushed next."""

    session: str
    """The session."""
    person: str
    """Whose it is."""
    batch: int
    """Its number for this person, from 1."""
    items: tuple[AssignedItem, ...]
    """The items, in the order in which they are shown."""
    opens: str = ""
    """When the person's break is over and it is sent, ISO 8601 in UTC; empty: at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPushed:
    """A batch is on the server, whole and once."""

    session: str
    """The session."""
    person: str
    """Whose it is."""
    batch: int
    """Its number."""
    texts: tuple[str, ...] = ()
    """Hash of each item's task, 16 hex digits, in the order of the items; empty if not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCancelled:
    """A batch was given up before any of it was on the server: its items can be assigned anew."""

    session: str
    """The session."""
    person: str
    """Whose it was."""
    batch: int
    """Its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLeft:
    """A person stopped; what was open is planned anew for others."""

    session: str
    """The session."""
    person: str
    """Who."""
    at: str
    """When."""
    why: Literal["stopped", "withdrew"]
    """stopped: what was judged counts. withdrew: consent was withdrawn, and nothing of it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClosed:
    """A session ended: answers changed after this do not count."""

    session: str
    """The session."""
    at: str
    """When."""


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
