"""The key interventions.occlusion of study.yaml: which words are erased, to see what a measure depends on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from nextset.files.yaml_model import HandWritten

__all__ = ["OcclusionSettings"]


class OcclusionSettings(HandWritten):
    """interventions.occlusion: each word of some contexts and interventions is erased or masked once."""

    rows: int = Field(default=8, ge=1, strict=True)
    """This many rows of each class (of items, of each domain) and form, spread evenly over templates."""
    unit: Literal["word", "token"] = "word"
    """word, or token: the tokens of each model's own tokenizer. In scripts without spaces between words, such
    as Chinese, a word is one character."""
    by: Literal["erase", "mask"] = "erase"
    """erase: the word goes, with one space beside it. mask: the model's mask token takes its place."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample of rows."""
