"""The tables of out/tune: the parts that training never sees, and the loss of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["HeldOutPart", "StepLoss", "TuningLoss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutPart:
    """A template or a subject, with whether training sees it."""

    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class of the subjects."""
    kind: Literal["template", "subject"]
    """The kind of part."""
    name: str
    """The template's id, or the subject's name."""
    held_out: bool
    """True if training never sees the part, on whose questions readers are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLoss:
    """The parts of the loss of one step, before the weights."""

    step: int
    """Its number, from 1."""
    ethical: float | None
    """The mean divergence from equal shares; null without such sentences."""
    adversarial: float | None
    """The mean divergence from the aim of adversarial sentences; null as for ethical."""
    irrelevant: float | None
    """The mean divergence from the shares before training; null as for ethical."""
    twins: float | None
    """The mean −log S of the correct answers to specified twins; null if no twins were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningLoss(StepLoss):
    """The loss of a step, with the name of the model."""

    model: str
    """The published name of the tuned model."""
