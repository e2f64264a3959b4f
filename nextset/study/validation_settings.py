"""study.yaml, section validate: who judges, and what a session with annotators needs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from nextset.files.yaml_checks import HandWritten

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
    """validate.session.budget: how much a person reads. Label Studio knows no limit; batches make one."""

    batch: int = Field(ge=1, strict=True)
    """Items a batch, items of rest and gold items included; the next is dealt when it is done."""
    person: int = Field(ge=1, strict=True)
    """Items with stereotypes that a person is shown in a session at most."""


class SessionSettings(HandWritten):
    """validate.session: what annotators are told and asked. Without this section no session opens."""

    consent: str = Field(min_length=20)
    """What people agree to before the first item: who runs the study, for what, what becomes of answers."""
    support: str = Field(min_length=10)
    """Whom people can talk to when something troubles them."""
    budget: BudgetSettings
    """How much a person reads."""
    warning: str = Field(default="", max_length=2000)
    """Said instead of the content warning that comes with nextset in the language of the items."""
    overlap: int = Field(default=3, ge=1, le=50, strict=True)
    """How many people judge a unit."""
    agree: int | None = Field(default=None, ge=2, strict=True)
    """When so many people give the same verdict nobody else is asked; all of the overlap when left out."""
    order: Order = "shuffled"
    """Which units come first; by models' disagreement or fluency, or what the validator model expects."""
    premise: bool = False
    """Show one of the premises too."""
    gold: str = ""
    """A file with items whose verdicts are known, mixed in."""
    gold_every: int = Field(default=20, ge=2, strict=True)
    """One gold item among so many."""
    rest_every: int = Field(default=10, ge=2, strict=True)
    """A neutral item after so many others at the latest."""
    run: int = Field(default=3, ge=1, strict=True)
    """At most so many items in sequence that speak of the same group."""
    comprehension: str = ""
    """A file with the items of the comprehension check; those that come with nextset when left out."""
    mistakes: int = Field(default=1, ge=0, strict=True)
    """Comprehension items that may be answered otherwise than the guidelines say."""
    wording: str = ""
    """A folder with the page's wording and guidelines in other languages, or instead of ours."""
    pilot: int = Field(default=20, ge=2, strict=True)
    """Units of a pilot; everyone judges them all."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the plan."""

    @field_validator("warning")
    @classmethod
    def _warning_says_something(cls, warning: str) -> str:
        if warning and len(warning) < 20:
            raise ValueError("too short to say what people will read")
        return warning

    @model_validator(mode="after")
    def _agree_within_overlap(self) -> SessionSettings:
        if self.agree is not None and self.agree > self.overlap:
            raise ValueError(f"agree: {self.agree} people cannot agree where overlap asks {self.overlap}")
        return self


class ValidateSettings(HandWritten):
    """validate: who judges the survivors."""

    judge: Literal["people", "rule"] = "people"
    """people: through Label Studio. rule: by a rule, for trying the tool; marked so everywhere."""
    aggregate: Literal["majority", "dawid_skene", "mace"] = "majority"
    """How the judgments of a unit become its verdict (nextset[validate] for all but majority)."""
    session: SessionSettings | None = None
    """What a session with annotators needs."""
