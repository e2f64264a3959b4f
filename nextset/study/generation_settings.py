"""The sections generate, questions and fill of study.yaml: templates and language packs become items."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, Paths
from nextset.study.fluency_settings import (
    MOST_WORDS,
    FluencySettings,
    Keep,
    MostFluent,
    most_fluent,
    with_keys_of_keep,
)
from nextset.study.mask_constraint import parse_constraint

__all__ = ["AllowedFill", "FillSettings", "GenerateSettings", "QuestionSettings", "WriterSettings"]

AllowedFill = Literal[
    "groups", "other_groups", "closed_class", "template_words", "names", "numbers", "fragments", "beside"
]
"""The kinds of fills that are dropped unless the study allows them."""


def _is_constraint(text: str) -> str:
    parse_constraint(text)
    return text


class GenerateSettings(HandWritten):
    """generate: the items that templates expand to."""

    tests: bool = True
    """Also expand the test hypotheses, whose labels are known."""
    max_rows: int = Field(default=50_000_000, ge=1, strict=True)
    """More rows than this are refused before anything is expanded."""


_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
ClassName = Annotated[str, written_as(_NAME, "gender")]


class QuestionSettings(HandWritten):
    """questions: underspecified questions and masked statements, made from language packs."""

    packs: Paths = Field(min_length=1)
    """builtin:en, folders of language packs, or folders in UnQover's published layout."""
    classes: tuple[ClassName, ...] = ()
    """The classes to expand; empty for all classes of the packs."""
    forms: tuple[Literal["question", "statement"], ...] = Field(("question", "statement"), min_length=1)
    """question: for QA models. statement: for masked language models."""
    prefix: Annotated[str, written_as(rf"({_NAME})?", "once")] = ""
    """The name of a prefix in the pack, which is written before each context."""
    masked_for: Annotated[str, written_as(rf"({_NAME})?", "roberta")] = ""
    """For the published layout: the model whose subjects statements use, such as roberta."""
    quirks: Literal["mended", "published"] = "mended"
    """For the published layout: mend its mistakes, or keep them."""
    subset: int | None = Field(default=None, ge=1, strict=True)
    """This many rows of each class and form, sampled evenly; default: all."""
    seed: int = Field(default=0, ge=0, strict=True)
    """Seed of the sample."""


class WriterSettings(HandWritten):
    """fill.writer: settings of a fill model that writes text: a causal one, or one behind a server."""

    propose: Literal["words", "hypotheses"] = "words"
    """words: words for the masks. hypotheses: whole hypotheses for each stereotype instead."""
    prompt: Annotated[str, written_as(r"[^\s\x00]+", "builtin:en")] = "builtin:en"
    """builtin:en, nextset's own prompts in English, or a file of prompts."""
    proposals: int = Field(default=20, ge=1, le=200, strict=True)
    """Proposals per sentence, or per stereotype and stance."""
    temperature: float = Field(default=0.7, ge=0, le=2, strict=True)
    """The temperature of sampling; 0 always takes the likeliest token."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1, strict=True)
    """Seed of the sampling."""


class FillSettings(HandWritten):
    """fill: the words that a language model proposes for {{MASK}} in templates."""

    model: ModelName = "builtin:masked-lm"
    """The model: builtin:NAME, a local folder, a Hub id with optional @revision, or openai:MODEL."""
    top_k: int = Field(default=20, ge=1, le=MOST_WORDS, strict=True)
    """The number of words to keep per mask; with several masks in a sentence, of combinations of words."""
    pieces: int = Field(default=1, ge=1, le=8, strict=True)
    """The most tokens that a word may have."""
    groups: Literal["apart", "joint"] = "apart"
    """apart: each group's sentence gets its own words. joint: both get the same words, scored on both."""
    premise: bool = False
    """Show the premise to the model too."""
    mask: Annotated[str, AfterValidator(_is_constraint)] = ""
    """The kind of word for masks that name none, such as adj or noun.plural; empty for any word."""
    allow: tuple[AllowedFill, ...] = ()
    """Kinds of fills to keep that are otherwise dropped (docs/how_to/filling.md)."""
    tagger: Annotated[str, written_as(r"[^\s\x00]*", "en_core_web_sm")] = ""
    """The spaCy model (installed or a folder) that decides the categories of words instead of the
    lexicon."""
    fluency: bool | FluencySettings = False
    """Score the fluency of every filled sentence."""
    keep: Keep = ""
    """Keep only the most fluent words, such as best 8 of 20 by fluency; sets top_k and fluency."""
    marks: bool = False
    """Mark fills that are equally probable for both groups (and any premise that the model sees)."""
    meaning: ModelName | None = None
    """An NLI model that marks fills whose meaning differs from the plain hypotheses."""
    writer: WriterSettings = WriterSettings()

    @model_validator(mode="before")
    @classmethod
    def _keys_of_keep(cls, written: Any) -> Any:
        return with_keys_of_keep(written)

    @field_validator("keep")
    @classmethod
    def _keep_fits(cls, keep: str, info: ValidationInfo) -> str:
        chosen = most_fluent(keep)
        if chosen is None:
            return keep
        if info.data.get("top_k", chosen.of) != chosen.of:
            raise WrongValue(
                f"it takes {chosen.of} words, but top_k is a different number",
                f"remove top_k, or write top_k: {chosen.of}",
            )
        if info.data.get("fluency") is False:
            raise WrongValue("it needs fluency, but fluency is false", "remove fluency: false, or keep")
        return keep

    @property
    def fluency_settings(self) -> FluencySettings | None:
        """The settings of fluency scoring; None if fluency is not scored."""
        if isinstance(self.fluency, FluencySettings):
            return self.fluency
        return FluencySettings() if self.fluency else None

    @property
    def most_fluent(self) -> MostFluent | None:
        """The number of a prompt's fills that are kept by fluency; None if all are kept."""
        return most_fluent(self.keep)

    @property
    def models(self) -> tuple[str, ...]:
        """The models of this section: the model that fills, and the models of its checks."""
        fluency = self.fluency_settings
        named = (self.model, fluency.model if fluency else None, self.meaning)
        return tuple(dict.fromkeys(name for name in named if name is not None))
