"""The sections generate, questions and fill of study.yaml: templates and language packs become items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import written_as
from nextset.study.field_types import ModelName, Paths
from nextset.study.mask_constraint import parse_constraint

__all__ = ["AllowedFill", "FillSettings", "GenerateSettings", "QuestionSettings"]

AllowedFill = Literal[
    "groups", "other_groups", "closed_class", "template_words", "names", "numbers", "fragments"
]
"""The kinds of fills that are dropped unless the study allows them."""


def _is_constraint(text: str) -> str:
    parse_constraint(text)
    return text


class GenerateSettings(HandWritten):
    """generate: templates become items."""

    tests: bool = True
    """Also expand the test hypotheses, whose labels are known."""
    max_rows: int = Field(default=50_000_000, ge=1, strict=True)
    """Templates with more rows than this are refused before anything is expanded."""


_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
ClassName = Annotated[str, written_as(_NAME, "gender")]


class QuestionSettings(HandWritten):
    """questions: language packs become underspecified questions and masked statements."""

    packs: Paths = Field(min_length=1)
    """builtin:en, folders of language packs, or folders in UnQover's published layout."""
    classes: tuple[ClassName, ...] = ()
    """The classes to expand; empty for all classes of the packs."""
    forms: tuple[Literal["question", "statement"], ...] = Field(("question", "statement"), min_length=1)
    """question: for QA models. statement: for masked language models."""
    prefix: Annotated[str, written_as(rf"({_NAME})?", "once")] = ""
    """The name of a prefix in the pack that is put before each context."""
    masked_for: Annotated[str, written_as(rf"({_NAME})?", "roberta")] = ""
    """Published layout: statements use the subjects listed for this model, such as roberta."""
    quirks: Literal["mended", "published"] = "mended"
    """Published layout: published keeps every mistake of the published lists and generator."""
    subset: int | None = Field(default=None, ge=1, strict=True)
    """This many rows of each class and form, sampled evenly; default: all."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample."""


class FillSettings(HandWritten):
    """fill: a masked language model fills {{MASK}}."""

    model: ModelName = "builtin:masked-lm"
    top_k: int = Field(default=20, ge=1, le=1000, strict=True)
    """Whole words kept per mask; with several masks in a sentence, combinations of words."""
    pieces: int = Field(default=1, ge=1, le=8, strict=True)
    """The most tokens that a word may have."""
    groups: Literal["apart", "joint"] = "apart"
    """apart: each group's sentence gets its own words. joint: both get the same words, scored on both."""
    premise: bool = False
    """The model sees the premise too."""
    mask: Annotated[str, AfterValidator(_is_constraint)] = ""
    """The constraint of masks that have none of their own, such as adj or noun.plural; empty for any word."""
    allow: tuple[AllowedFill, ...] = ()
    """Fills to keep that are dropped otherwise, such as names (docs/filling.md)."""
    tagger: Annotated[str, written_as(r"[^\s\x00]*", "en_core_web_sm")] = ""
    """The spaCy model that judges categories in place of the lexicon: an installed one or a folder."""
    fluency: bool = False
    """Score the fluency of every filled sentence."""
