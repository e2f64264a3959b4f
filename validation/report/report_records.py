"""Records of the validation report: `collect_report_data` fills them, `render` makes the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.forms import FormName
from nextset.records.content_ids import JudgedUnit
from nextset.records.expected_units import ExpectedValid
from nextset.records.exposure_total import ExposureTotal
from nextset.validation.agreement.annotator_quality import JudgeRow, SpeedRow
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.agreement.premise_dependence import PremiseDependence
from nextset.validation.plan.events import SessionKind
from nextset.validation.plan.exposure import Exposure
from nextset.validation.plan.template_shares import TemplateShare
from nextset.validation.verdict_model.prediction_records import ValidatorReport
from nextset.validation.verdict_model.unit_features import FeatureRow

__all__ = [
    "DividedUnit",
    "DomainProgress",
    "NotCounted",
    "PersonProgress",
    "SessionLine",
    "Standing",
    "UnitsWith",
    "ValidationReport",
    "VoteToRead",
]

Standing = Literal["at the gate", "takes part", "stopped", "paused", "withdrew", "by file"]
"""A person's status. at the gate: consent or comprehension is missing. by file: not in any session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """A session."""

    session: str
    """The session's number."""
    kind: SessionKind
    """main, pilot or adjudication."""
    opened_at: str
    """The time when it was opened, ISO 8601."""
    closed_at: str | None
    """The time when it was closed, ISO 8601; null while it is open."""
    units: int
    """The number of units to judge."""
    people: int
    """The number of people who took part."""
    overlap: int | float
    """The number of people per unit; with 1.2, one judges each unit, and a second one a fifth of them."""
    agree: int | None
    """The number of people with the same verdict that is enough; null if all of the overlap are asked."""
    guidelines: str
    """The version of the guidelines."""


@dataclass(frozen=True, slots=True)
class UnitsWith:
    """Units by their number of judgments."""

    judgments: int
    """The number of judgments that count."""
    units: int
    """The number of units with this many judgments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainProgress:
    """The progress of a domain."""

    domain: str
    """The domain."""
    units: int
    """The number of its units."""
    judged: int
    """The number of its units with a judgment."""
    enough: int
    """The number of its units that need no further judgments."""
    valid: int
    """The number of its units that most annotators call valid."""
    invalid: int
    """The number of its units that most annotators call invalid."""
    incoherent: int
    """The number of its units that most annotators call incoherent."""
    tied: int
    """The number of its units with a tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonProgress:
    """The progress of a person, over all sessions."""

    person: str
    """The person's pseudonym."""
    standing: Standing
    """The person's status in the last session."""
    batches: int
    """The number of batches assigned."""
    dealt: int
    """The number of items assigned: units, gold items and rest items."""
    judged: int
    """The number of items answered with a verdict."""
    declined: int
    """The number of items answered with "I would rather not judge this"."""
    skipped: int
    """The number of items skipped with Label Studio's button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteToRead:
    """One person's vote on a unit."""

    person: str
    """The person's pseudonym."""
    said: str
    """The verdict, with the stance of a valid unit."""
    reason: str
    """The reason chosen; may be empty."""
    comment: str
    """The person's comment; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DividedUnit:
    """A unit with split votes."""

    unit_id: str
    """The unit."""
    domain: str
    """The unit's domain."""
    stereotype: str
    """The name of the unit's stereotype."""
    texts: tuple[str, ...]
    """The texts that were judged."""
    votes: tuple[VoteToRead, ...]
    """The votes."""


@dataclass(frozen=True, slots=True)
class NotCounted:
    """The answers that do not count for one reason."""

    reason: str
    """The reason."""
    answers: int
    """The number of answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """The data that the validation report shows."""

    study: str
    """The study's name."""
    form: FormName
    """The form of the study's items."""
    sessions: tuple[SessionLine, ...]
    """The sessions in order; empty if judgments came only in files."""
    judgments: int
    """The number of judgments of units that count."""
    units_with: tuple[UnitsWith, ...]
    """The numbers of units by number of judgments, from 0 on."""
    domains: tuple[DomainProgress, ...]
    """The progress of each domain."""
    people: tuple[PersonProgress, ...]
    """The progress of each person."""
    agreement: tuple[AgreementRow, ...]
    """The coefficients with their intervals."""
    judges: tuple[JudgeRow, ...]
    """The quality of each annotator: agreement with the others and with gold, drift, speed."""
    confusion: tuple[ConfusionRow, ...]
    """Each person's labels against the others' majority and gold."""
    speed: tuple[SpeedRow, ...]
    """The median seconds per item, by person and tenth of the answers."""
    disagreements: tuple[DividedUnit, ...]
    """The units with split votes, the most divided first."""
    exposure: tuple[Exposure, ...]
    """The exposure of each person."""
    totals: tuple[ExposureTotal, ...]
    """The total exposure."""
    budget: int | None
    """The most items with stereotypes that a person is shown in a session; null if no budget is set."""
    problems: tuple[NotCounted, ...]
    """The answers that do not count, the most frequent reason first."""
    expected: ExpectedValid
    """The expected number of valid units."""
    templates: tuple[TemplateShare, ...]
    """The valid share of each template with a judged unit; templates whose units wait come first."""
    postpone_below: float | None
    """The floor of the last session; null if it has none."""
    validator: ValidatorReport | None
    """The verdict model's report; null if it was not trained."""
    features: tuple[FeatureRow, ...]
    """The features of each unit that the verdict model reads in addition to the texts."""
    unit: JudgedUnit = "hypothesis"
    """The unit that annotators judge."""
    premises: PremiseDependence | None = None
    """How far verdicts depend on the premise; null if hypotheses are judged."""
    changed: int = 0
    """The number of answers that count although another account changed them before they were read."""
