"""The section interventions.triggers of study.yaml: the search for tokens that bring groups together."""

from __future__ import annotations

from pydantic import Field

from nextset.files.yaml_model import HandWritten
from nextset.study.field_types import ModelNames

__all__ = ["TriggerSettings"]


class TriggerSettings(HandWritten):
    """interventions.triggers: a search for tokens that bring the groups' probabilities together (Shin et al.
    2020)."""

    models: ModelNames
    """Masked language models (statements), readers (questions) or NLI classifiers (items), among
    interventions.models."""
    tokens: int = Field(default=3, ge=1, le=20, strict=True)
    """The number of tokens in a trigger."""
    candidates: int = Field(default=50, ge=1, strict=True)
    """The tokens that a step tries in one position: the first by gradient."""
    steps: int = Field(default=60, ge=1, strict=True)
    """The steps of a search; each may replace one token."""
    batch: int = Field(default=16, ge=1, strict=True)
    """The number of rows that a step reads, and equally many with a known answer."""
    words: bool = False
    """Readable triggers: only whole words that consist of letters."""
    accuracy_weight: float = Field(default=1.0, ge=0, allow_inf_nan=False, strict=True)
    """The weight of the answers to specified twins (for NLI items: to test items) in the loss; 0: none."""
    held_out: float = Field(default=0.5, gt=0, lt=1, allow_inf_nan=False, strict=True)
    """The share of each class's templates that the search never sees."""
    restarts: int = Field(default=1, ge=1, strict=True)
    """The searches for each trigger, from different first tokens; the best counts."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the held-out templates, the first tokens, and each step's rows and position."""
