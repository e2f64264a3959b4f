"""The tables of out/triggers: triggers, the templates that they were sought on, the steps of the search."""

from __future__ import annotations

from dataclasses import dataclass

from nextset.extensions.interventions.intervention import Intervention
from nextset.forms import FormName

__all__ = ["FoundTrigger", "SearchStep", "TemplateSplit", "TriggerStep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTrigger(Intervention):
    """A trigger that a search found, as an intervention."""

    model: str
    """The published name of the model that the trigger was sought for."""
    revision: str
    """Digest of the model's weights."""
    form: FormName
    """The form of the rows that the trigger was sought on."""
    loss_before: float
    """The loss without the trigger, on a sample of the search's rows."""
    loss_after: float
    """The loss with the trigger on the same rows; lower is better."""
    steps: int
    """The number of steps until the trigger was found; 0: the initial tokens."""
    restart: int
    """The number of the search that found the trigger, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateSplit:
    """A template, on one side of the split."""

    form: FormName
    """The form of the template's rows."""
    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class of the template's subjects; for NLI items, the domain."""
    template_id: str
    """The rows' template_id."""
    held_out: bool
    """True if the search never sees the template's rows, on which gains are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
    """A step of a search: one position, and the best of the tokens that were tried there."""

    restart: int
    """The number of the search, from 0."""
    step: int
    """The step's number, from 1."""
    position: int
    """The position in the trigger, from 0."""
    token: str
    """The text of the best token."""
    token_id: int
    """The token's number in the model's vocabulary."""
    loss: float
    """The loss with this token on the step's rows."""
    loss_current: float
    """The loss of the trigger before the step, on the same rows."""
    accepted: bool
    """True if the token lowers the loss and the tokenizer reads the trigger as its tokens."""
    loss_sample: float | None
    """The loss of the new trigger on the choosing sample; null if it is not accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerStep(SearchStep):
    """A step, with its search."""

    model: str
    """The published name of the model."""
    form: FormName
    """The form of the rows."""
    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class of the subjects; for NLI items, the domain."""
