"""What the report on a validation shows, as plain records: `gather` collects them, `render` makes the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.filter_rule import Form
from validation.agreement.by_part import AgreementRow
from validation.plan.events import SessionKind
from validation.validator.records import ValidatorReport

__all__ = [
    "Confusion",
    "Course",
    "Disagreement",
    "DomainProgress",
    "Exposed",
    "GoldAccuracy",
    "NotCounted",
    "PersonProgress",
    "Standing",
    "SessionLine",
    "UnitsWith",
    "ValidationReport",
    "Vote",
]

Standing = Literal["at the gate", "taking part", "stopped", "withdrew", "file"]
"""at the gate: consent or comprehension is missing. file: the answers came in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """A session."""

    session: str
    """Its number."""
    kind: SessionKind
    """main, pilot or adjudication."""
    opened_at: str
    """When it was opened, ISO 8601."""
    closed_at: str | None
    """When it was closed; null while it is open."""
    units: int
    """Units that were to be judged."""
    people: int
    """People who took part."""
    overlap: int
    """How many people judge a unit."""
    agree: int | None
    """So many with the same verdict are enough; null: all of the overlap."""
    guidelines: str
    """Version of the guidelines."""


@dataclass(frozen=True, slots=True)
class UnitsWith:
    """Units by their number of judgments."""

    judgments: int
    """Judgments that count."""
    units: int
    """Units that have so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainProgress:
    """How far a domain is."""

    domain: str
    """The domain."""
    units: int
    """Its units."""
    judged: int
    """Units with a judgment."""
    enough: int
    """Units that nobody else has to judge."""
    valid: int
    """Units that most of their judges call valid."""
    invalid: int
    """Units that most call invalid."""
    incoherent: int
    """Units that most call incoherent."""
    tied: int
    """Units whose judges are tied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonProgress:
    """How far a person is, over all sessions."""

    person: str
    """Pseudonym."""
    standing: Standing
    """Where the person stands in the last session."""
    batches: int
    """Batches dealt."""
    dealt: int
    """Items dealt: units, gold items and items of rest."""
    judged: int
    """Items answered with a verdict."""
    declined: int
    """Items answered with "I would rather not judge this"."""
    skipped: int
    """Items skipped with Label Studio's button."""
    seconds: float | None
    """Median seconds an answered item; null where no time is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How the verdicts of one person, or of all, go together with those of others on the same units."""

    person: str
    """Pseudonym; empty for all people together."""
    labels: tuple[str, ...]
    """The verdicts."""
    counts: tuple[tuple[int, ...], ...]
    """Pairs of verdicts on the same unit: a row the person's verdict, a column another person's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Something of a person from one stretch of the work to the next."""

    person: str
    """Pseudonym."""
    values: tuple[float | None, ...]
    """A value a stretch, in the order of the answers; null where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAccuracy:
    """How a person answers items whose verdict is known."""

    person: str
    """Pseudonym."""
    items: int
    """Gold items that were judged."""
    right: int
    """Those answered as they are known to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one person said of a unit."""

    person: str
    """Pseudonym."""
    said: str
    """The verdict, with the stance of a valid one."""
    reason: str
    """The reason chosen; may be empty."""
    comment: str
    """What the person wrote; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A unit whose judges do not say the same."""

    unit_id: str
    """The unit."""
    domain: str
    """Its domain."""
    stereotype: str
    """Its stereotype in words."""
    texts: tuple[str, ...]
    """The texts that were judged."""
    votes: tuple[Vote, ...]
    """What people said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """Items with stereotypes that a person was shown, by domain."""

    person: str
    """Pseudonym."""
    domains: tuple[tuple[str, int], ...]
    """Domain, and items shown: dealt to a person whose batch went out, answered or not."""


@dataclass(frozen=True, slots=True)
class NotCounted:
    """Answers that do not count, by reason."""

    reason: str
    """Why they do not count."""
    answers: int
    """How many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """All that the report on a validation shows."""

    study: str
    """The study's name."""
    form: Form
    """What was judged."""
    sessions: tuple[SessionLine, ...]
    """The sessions in their order; empty where judgments came in files alone."""
    judgments: int
    """Judgments of units that count."""
    units_with: tuple[UnitsWith, ...]
    """Units by number of judgments, from none on."""
    domains: tuple[DomainProgress, ...]
    """By domain."""
    people: tuple[PersonProgress, ...]
    """By person."""
    agreement: tuple[AgreementRow, ...]
    """Coefficients with intervals."""
    confusion: tuple[Confusion, ...]
    """All people together first, then each person against the others; empty where no unit has two."""
    drift: tuple[Course, ...]
    """Share of the others' verdicts on the same units that are the person's, by stretch, in [0, 1]."""
    speed: tuple[Course, ...]
    """Median seconds an item, by stretch."""
    stretch: int
    """Items a stretch."""
    gold: tuple[GoldAccuracy, ...]
    """Accuracy on gold items; empty where there are none."""
    disagreements: tuple[Disagreement, ...]
    """Units to read, the most divided first."""
    more_disagreements: int
    """Units that are divided too and not shown."""
    exposed: tuple[Exposed, ...]
    """What people were shown; empty without sessions."""
    budget: int | None
    """Items with stereotypes that a person is shown in a session at most; null where none is set."""
    problems: tuple[NotCounted, ...]
    """Answers that do not count, the most frequent reason first."""
    validator: ValidatorReport | None
    """What the validator model says; null where it was not asked."""
