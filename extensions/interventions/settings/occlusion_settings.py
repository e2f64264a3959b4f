"""The key interventions.occlusion of study.yaml: words are erased, to see what a measure depends on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from nextset.files.yaml_model import HandWritten

__all__ = ["OcclusionSettings"]


class OcclusionSettings(HandWritten):
    """interventions.occlusion: erase each word of some texts once, to find the words that decide
    answers."""

    rows: int = Field(default=8, ge=1, strict=True)
    """The number of rows per form and class (for items, per domain), spread evenly over templates."""
    unit: Literal["word", "token"] = "word"
    """word: in scripts without spaces, one character. token: of each model's own tokenizer."""
    by: Literal["erase", "mask"] = "erase"
    """erase: remove it and one space next to it. mask: write the model's mask token."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample of rows."""
