"""The section interventions.triggers of study.yaml: the search for tokens that bring the groups together."""

from __future__ import annotations

from pydantic import Field

from nextset.files.yaml_model import HandWritten
from nextset.study.field_types import ModelNames

__all__ = ["TriggerSettings"]


class TriggerSettings(HandWritten):
    """interventions.triggers: tokens that bring the groups' probabilities together are sought (Shin et al.
    2020)."""

    models: ModelNames
    """The models that they are sought for, among interventions.models: masked language models (statements),
    readers (questions), NLI classifiers (items)."""
    tokens: int = Field(default=3, ge=1, le=20, strict=True)
    """Tokens of a trigger."""
    candidates: int = Field(default=50, ge=1, strict=True)
    """Tokens that a step tries in one position, those that the gradient names first."""
    steps: int = Field(default=60, ge=1, strict=True)
    """Steps of a search; each may replace one token."""
    batch: int = Field(default=16, ge=1, strict=True)
    """Rows that a step reads (quads, statements, or items that differ only by the group), and as many rows
    whose answer is known."""
    words: bool = False
    """Readable triggers: of whole words of letters alone."""
    accuracy_weight: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """How much the answers to specified twins (of NLI items: to test items) count in the loss; 0: not."""
    held_out: float = Field(default=0.5, gt=0, lt=1, allow_inf_nan=False, strict=True)
    """The share of each class's templates that the search never sees."""
    restarts: int = Field(default=1, ge=1, strict=True)
    """Searches for each trigger, each from other tokens; the best one counts."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the templates that are held out, of the first tokens, and of each step's rows and position."""
