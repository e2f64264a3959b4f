"""The record of a decision on a template that is brought to another culture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["DECISIONS", "Decision", "PortDecision"]

Decision = Literal["transferred", "target changed", "removed", "new"]
"""transferred: the stereotype has the same target there. target changed: it has another target. removed: it
is not known there, or cannot be asked. new: it is documented only there (Jin et al. 2024)."""
DECISIONS: tuple[Decision, ...] = get_args(Decision)
"""The decisions, in the order of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortDecision:
    """A template of a set that is brought to another culture, with what was decided and why."""

    language: str
    """BCP 47 tag of the template's items; empty for a removed template that has none."""
    category: str
    """The items' category."""
    template_id: str
    """The items' template_id."""
    stereotype: str
    """The stereotype, as in the items or in the sheet."""
    target_groups: tuple[str, ...]
    """The groups that the stereotype is about, after the decision."""
    decision: str
    """One of `DECISIONS`; empty if nobody has decided yet."""
    reason: str
    """The reason, as written in the sheet."""
    people: int | None
    """The number of people who were asked about the stereotype; null without a survey."""
    known: float | None
    """The share of them who named a group, in [0, 1], so that they know the stereotype; null without a
    survey or people."""
    target_named: float | None
    """The share of them who named a target group, in [0, 1]. If only counts by group are known and people
    could name several, it is the share of the target group that was named most."""
    most_named: str
    """The group that was named most; empty without a survey, or if nobody named a group."""
    kept: bool
    """True if the template's items are in the study."""
    why: str
    """The reason why its items are left out; empty if they are kept."""
