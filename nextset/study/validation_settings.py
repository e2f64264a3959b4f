"""The section validate of study.yaml: who judges, and the settings of a session with annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from nextset.files.yaml_model import HandWritten, Prose
from nextset.files.yaml_values import WrongValue
from nextset.records.content_ids import JudgedUnit

__all__ = ["FEWER_JUDGMENTS", "BudgetSettings", "PauseSeatSettings", "SessionSettings", "ValidateSettings"]

FEWER_JUDGMENTS = "fewer judgments than validate.session asks for"
"""The words of warnings on units whose verdict rests on too few judgments."""

Order = Literal[
    "shuffled",
    "disagreement_first",
    "disagreement_last",
    "fluent_first",
    "fluent_last",
    "likely_valid_first",
    "uncertain_first",
]


class BudgetSettings(HandWritten):
    """validate.session.budget: limits on what an annotator reads."""

    batch: int = Field(ge=1, strict=True)
    """Items per batch, including rest and gold items."""
    person: int = Field(ge=1, strict=True)
    """The most items with stereotypes that an annotator is shown in a session."""
    pause: int = Field(default=10, ge=0, le=10_080, strict=True)
    """Minutes from an annotator's last answer until the next batch opens; 0: batches follow at once."""


class PauseSeatSettings(HandWritten):
    """validate.session.pause_seat: an annotator beyond one of these limits gets no items until
    `nextset validate join`."""

    seconds: float | None = Field(default=None, gt=0, le=3600, strict=True)
    """The least median time of at least 10 answers."""
    gold: int | None = Field(default=None, ge=1, strict=True)
    """The wrong gold items that pause a seat."""

    @model_validator(mode="after")
    def _some_limit(self) -> PauseSeatSettings:
        if self.seconds is None and self.gold is None:
            raise WrongValue("pause_seat has no limit", "write seconds: 2 or gold: 3 in it, or remove it")
        return self


class SessionSettings(HandWritten):
    """validate.session: the settings of a session, which needs this section."""

    earlier_names: ClassVar[Mapping[str, str]] = {"stop_below": "postpone_below"}

    consent: Prose = Field(min_length=20)
    """The text that annotators agree to: who runs the study, its purpose, the use of the answers."""
    support: Prose = Field(min_length=10)
    """The contact for annotators if something troubles them."""
    budget: BudgetSettings
    warning: Prose = Field(default="", max_length=2000)
    """A content warning instead of nextset's."""
    overlap: float = Field(default=3, ge=1, le=50, strict=True)
    """The number of annotators per unit, which is a text to judge; 1.2: one for each unit, and a second for a
    fifth of the units, drawn by seed."""
    agree: int | None = Field(default=None, ge=2, strict=True)
    """A unit is done when this many annotators give the same verdict; default: all of the overlap."""
    order: Order = "shuffled"
    """The order of units; likely_valid_first and uncertain_first use `nextset validate predict`."""
    postpone_below: float | None = Field(default=None, gt=0, lt=1, strict=True)
    """Judge a template's units last once their valid share is surely below this."""
    premise: bool = False
    """Show annotators one of the unit's premises too."""
    gold: str = ""
    """A file of gold items to mix in."""
    gold_every: int = Field(default=20, ge=2, strict=True)
    """One gold item per this many items."""
    pause_seat: PauseSeatSettings | None = None
    """Limits beyond which an annotator's seat is paused; default: none."""
    rest_every: int = Field(default=10, ge=2, strict=True)
    """A rest item comes after at most this many other items."""
    run: int = Field(default=3, ge=1, strict=True)
    """The most items in a row about the same group."""
    comprehension: str = ""
    """A file of the comprehension check; default: nextset's own."""
    mistakes: int = Field(default=1, ge=0, strict=True)
    """How many comprehension items may be answered incorrectly; fewer than all."""
    wording: str = ""
    """A folder with other wording and guidelines of the page."""
    submit: Literal["last_key", "explicit"] = "last_key"
    """last_key: the last needed key submits an answer. explicit: Ctrl+Enter or the button."""
    pilot: int = Field(default=20, ge=2, strict=True)
    """The number of units in a pilot, which every annotator judges."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the order and assignment of units."""

    @field_validator("overlap")
    @classmethod
    def _whole_is_whole(cls, overlap: float) -> float:
        return int(overlap) if overlap == int(overlap) else overlap

    @field_validator("warning")
    @classmethod
    def _warning_says_something(cls, warning: str) -> str:
        if warning and len(warning) < 20:
            raise WrongValue("too short to describe what annotators will read", "write a sentence")
        return warning

    @model_validator(mode="after")
    def _agree_within_overlap(self) -> SessionSettings:
        least = math.floor(self.overlap)  # the judgments of every unit, drawn or not
        if self.agree is not None and self.agree > least:
            few = f"agree: {self.agree} annotators cannot agree if overlap is {self.overlap}"
            lower = f"write agree: {least}, or a higher overlap"
            raise WrongValue(few, lower if least > 1 else f"write overlap: {self.agree}, or remove agree")
        return self


class ValidateSettings(HandWritten):
    """validate: who judges the kept items."""

    judge: Literal["people", "rule"] = "people"
    """people: annotators judge. rule: a rule checks only the form, to try the tool; all outputs say so."""
    aggregate: Literal["majority", "dawid_skene", "mace"] = "majority"
    """The method that makes a unit's verdict from judgments; all except majority need nextset[validate]."""
    unit: JudgedUnit = "hypothesis"
    """hypothesis: judged once for all its premises. pair: each premise with its hypothesis is judged. answer:
    annotators answer choice items themselves, and an item is valid if they choose the right option."""
    valid_votes: int | None = Field(default=None, ge=1, le=50, strict=True)
    """A unit is valid only if at least this many annotators say so (in BBQ, 4 of 5); default: more annotators
    than give any other verdict."""
    session: SessionSettings | None = None

    @model_validator(mode="before")
    @classmethod
    def _pairs_show_premise(cls, written: Any) -> Any:
        """Return the section with session.premise if pairs are judged: annotators see both texts."""
        if not isinstance(written, Mapping) or written.get("unit") != "pair":
            return written
        session = written.get("session")
        if not isinstance(session, Mapping):
            return written
        if session.get("premise") is False:
            raise WrongValue(
                "unit: pair shows the premise of each pair, but session.premise is false",
                "remove premise, or write unit: hypothesis",
            )
        return {**written, "session": {"premise": True, **session}}

    @property
    def shows_premise(self) -> bool:
        """True if annotators read a premise."""
        return self.unit == "pair" or bool(self.session and self.session.premise)
