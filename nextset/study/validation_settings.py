"""The section validate of study.yaml: who judges, and the settings of a session with annotators."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, field_validator, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue

__all__ = ["BudgetSettings", "SessionSettings", "ValidateSettings"]

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
    """validate.session.budget: how much an annotator reads. Label Studio has no limit; batches set one."""

    batch: int = Field(ge=1, strict=True)
    """Items per batch, including rest and gold items; the next batch is assigned when this one is done."""
    person: int = Field(ge=1, strict=True)
    """The most items with stereotypes that an annotator is shown in a session."""
    pause: int = Field(default=10, ge=0, le=10_080, strict=True)
    """Minutes from an annotator's last answer until the next batch opens."""


class SessionSettings(HandWritten):
    """validate.session: what annotators read and judge. A session needs this section."""

    consent: str = Field(min_length=20)
    """The text that annotators agree to first: who runs the study, its purpose, the use of the answers."""
    support: str = Field(min_length=10)
    """Whom annotators can contact if something troubles them."""
    budget: BudgetSettings
    """How much an annotator reads."""
    warning: str = Field(default="", max_length=2000)
    """Replaces nextset's content warning in the language of the items."""
    overlap: float = Field(default=3, ge=1, le=50, strict=True)
    """How many annotators judge a unit; 1.2: one judges each, and a second a fifth of them, drawn by seed."""
    agree: int | None = Field(default=None, ge=2, strict=True)
    """A unit is done when this many annotators give the same verdict; default: all of the overlap."""
    order: Order = "shuffled"
    """Which units come first: by models' disagreement, by fluency, or by the verdict model."""
    stop_below: float | None = Field(default=None, gt=0, lt=1, strict=True)
    """Units of a template wait at the end of the queue when its valid share is surely below this."""
    premise: bool = False
    """Show one of the premises too."""
    gold: str = ""
    """A file of gold items, whose verdicts are known, to mix in."""
    gold_every: int = Field(default=20, ge=2, strict=True)
    """One gold item among this many."""
    rest_every: int = Field(default=10, ge=2, strict=True)
    """A rest item after at most this many other items."""
    run: int = Field(default=3, ge=1, strict=True)
    """At most this many items in a row about the same group."""
    comprehension: str = ""
    """A file with the items of the comprehension check; default: nextset's own."""
    mistakes: int = Field(default=1, ge=0, strict=True)
    """The number of comprehension items that may be answered incorrectly."""
    wording: str = ""
    """A folder with the page's wording and guidelines in other languages, or instead of nextset's."""
    submit: Literal["last_key", "explicit"] = "last_key"
    """last_key: an answer is submitted with its last needed key. explicit: with Ctrl+Enter or the button."""
    pilot: int = Field(default=20, ge=2, strict=True)
    """Units of a pilot; every annotator judges all of them."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the plan."""

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
        least = math.floor(self.overlap)  # what every unit is asked for, drawn or not
        if self.agree is not None and self.agree > least:
            few = f"agree: {self.agree} annotators cannot agree if overlap is {self.overlap}"
            lower = f"write agree: {least}, or a higher overlap"
            raise WrongValue(few, lower if least > 1 else f"write overlap: {self.agree}, or remove agree")
        return self


class ValidateSettings(HandWritten):
    """validate: who judges the kept items."""

    judge: Literal["people", "rule"] = "people"
    """people: annotators. rule: nobody; a rule checks the form, for trying the tool, marked so everywhere."""
    aggregate: Literal["majority", "dawid_skene", "mace"] = "majority"
    """How the judgments of a unit become its verdict (all except majority need nextset[validate])."""
    session: SessionSettings | None = None
    """The settings of a session with annotators."""
