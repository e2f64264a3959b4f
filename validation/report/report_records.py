"""Records of the validation report: `collect_report_data` fills them, `render` makes the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nextset.study.filter_rule_settings import Form
from nextset.validation.agreement.annotator_quality import JudgeRow, SpeedRow
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.agreement.confusion import ConfusionRow
from nextset.validation.plan.events import SessionKind
from nextset.validation.plan.exposure import Exposure, ExposureTotal
from nextset.validation.plan.template_shares import TemplateShare
from nextset.validation.verdict_model.expected_valid import ExpectedValid
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

Standing = Literal["at the gate", "takes part", "stopped", "withdrew", "by file"]
"""at the gate: consent or comprehension is missing. by file: no session knows the person."""


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
    overlap: int | float
    """How many people judge a unit; 1.2: one judges each, and a second a fifth of them."""
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
    """Units with this many judgments."""


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
    """Units that need no further judgments."""
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
    """The person's status in the last session."""
    batches: int
    """Batches assigned."""
    dealt: int
    """Items assigned: units, gold items and rest items."""
    judged: int
    """Items answered with a verdict."""
    declined: int
    """Items answered with "I would rather not judge this"."""
    skipped: int
    """Items skipped with Label Studio's button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteToRead:
    """One person's vote on a unit."""

    person: str
    """Pseudonym."""
    said: str
    """The verdict, with the stance of a valid one."""
    reason: str
    """The reason chosen; may be empty."""
    comment: str
    """What the person wrote; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DividedUnit:
    """A unit whose judges do not say the same."""

    unit_id: str
    """The unit."""
    domain: str
    """Its domain."""
    stereotype: str
    """Its stereotype as text."""
    texts: tuple[str, ...]
    """The texts that were judged."""
    votes: tuple[VoteToRead, ...]
    """The votes."""


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
    """The sessions in their order; empty if judgments came in files alone."""
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
    judges: tuple[JudgeRow, ...]
    """How each person judges: agreement with the others and with gold, drift, speed."""
    confusion: tuple[ConfusionRow, ...]
    """Each person's labels against the others' majority and gold."""
    speed: tuple[SpeedRow, ...]
    """Median seconds an item, by person and tenth of the answers."""
    disagreements: tuple[DividedUnit, ...]
    """Units on which annotators disagree, the most divided first."""
    exposure: tuple[Exposure, ...]
    """What each person read."""
    totals: tuple[ExposureTotal, ...]
    """The same in total."""
    budget: int | None
    """Items with stereotypes that a person is shown in a session at most; null if none is set."""
    problems: tuple[NotCounted, ...]
    """Answers that do not count, the most frequent reason first."""
    expected: ExpectedValid
    """How many of the units can be expected to be valid."""
    templates: tuple[TemplateShare, ...]
    """The valid share of each template with a judged unit: those whose units wait first."""
    stop_below: float | None
    """The floor of the last session; null if it has none."""
    validator: ValidatorReport | None
    """The verdict model's report; null if it was not trained."""
    features: tuple[FeatureRow, ...]
    """What the verdict model reads about each unit besides the texts."""
