"""The tables of out/tune: what training never sees, and the loss of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["HeldOutPart", "StepLoss", "TuningLoss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutPart:
    """A template or a subject, and whether training sees it."""

    language: str
    """BCP 47 tag."""
    subject_class: str
    """The class of the subjects."""
    kind: Literal["template", "subject"]
    """What it is."""
    name: str
    """The template's id, or the subject's name."""
    held_out: bool
    """Whether training never sees it: readers are compared on questions whose template and subjects are all
    held out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLoss:
    """The parts of the loss of one step, before the weights."""

    step: int
    """Its number, from 1."""
    ethical: float | None
    """The mean divergence from equal shares; null if no such sentence was read."""
    adversarial: float | None
    """That from the aim of adversarial sentences."""
    irrelevant: float | None
    """That from the shares before training."""
    twins: float | None
    """The mean −log S of the right answers to specified twins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningLoss(StepLoss):
    """The loss of a step, with the model that is trained."""

    model: str
    """The published name of the tuned model."""
