"""The sections generate, questions and fill of study.yaml: templates and language packs become items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from nextset.files.yaml_model import HandWritten
from nextset.files.yaml_values import WrongValue, written_as
from nextset.study.field_types import ModelName, Paths

__all__ = ["FillSettings", "GenerateSettings", "QuestionSettings", "WriterSettings"]

PartOfSpeech = Literal[
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ",
    "VERB",
]  # fmt: skip
"""The tags of Universal Dependencies that a word of letters can have."""


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


class WriterSettings(HandWritten):
    """fill.writer: how a model that writes, a causal one or one behind a server, proposes."""

    propose: Literal["words", "hypotheses"] = "words"
    """words: for the masks. hypotheses: whole ones for each stereotype; no mask is filled."""
    prompt: Annotated[str, written_as(r"[^\s\x00]+", "builtin:en")] = "builtin:en"
    """builtin:en, nextset's own prompts in English, or a file of prompts."""
    proposals: int = Field(default=20, ge=1, le=200, strict=True)
    """Proposals requested per sentence, or per stereotype and stance."""
    temperature: float = Field(default=0.7, ge=0, le=2, strict=True)
    """How far the model samples; 0 takes the likeliest token each time."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1, strict=True)
    """Seed of the sampling."""


class FillSettings(HandWritten):
    """fill: a model fills {{MASK}}."""

    model: ModelName = "builtin:masked-lm"
    top_k: int = Field(default=20, ge=1, le=1000, strict=True)
    """Whole words kept per mask; with several masks in a sentence, combinations of words."""
    pieces: int = Field(default=1, ge=1, le=8, strict=True)
    """The most tokens that a word may have."""
    groups: Literal["apart", "joint"] = "apart"
    """apart: each group's sentence gets its own words. joint: both get the same words, scored on both."""
    premise: bool = False
    """The model sees the premise too."""
    group_words: bool = False
    """Keep fills that name one of the groups."""
    other_group_words: bool = False
    """Keep fills that name another protected group, by the list of the language (word_lists/)."""
    part_of_speech: tuple[PartOfSpeech, ...] = ()
    """Keep only fills with one of these Universal POS tags; empty keeps all."""
    tagger: Annotated[str, written_as(r"[^\s\x00]*", "en_core_web_sm")] = ""
    """The spaCy model that tags parts of speech: an installed one or a folder."""
    fluency: bool = False
    """Score the fluency of every filled sentence."""
    writer: WriterSettings = WriterSettings()

    @model_validator(mode="after")
    def _tagger_for_parts_of_speech(self) -> FillSettings:
        if bool(self.part_of_speech) != bool(self.tagger):
            raise WrongValue("part_of_speech and tagger need each other", "set both or neither")
        return self
