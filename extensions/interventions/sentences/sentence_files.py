"""Hand-written files of intervention sentences, each for certain classes, with one section per kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from nextset.errors import WordListError
from nextset.extensions.interventions.intervention import Kind
from nextset.files.yaml_model import EXACT, HandWritten, Prose, read_model
from nextset.files.yaml_values import WrongValue, written_as
from nextset.generation.questions.pack_text_check import Place
from nextset.study.field_types import Language

__all__ = ["Sentence", "check_sentence", "not_plain", "read_sentences"]

Name = Annotated[str, written_as(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "work_by_skill")]
_NOT_PLAIN = re.compile(
    r"\{\{|\}\}|\[(?:mask|sep|cls|pad|unk)\]|</?s>|<(?:mask|pad|unk|cls|sep|bos|eos)>|<\|[^|>]*\|>",
    re.IGNORECASE,
)
"""Slots, and texts that tokenizers read as special tokens, such as the end of a text."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a file, before it has a place in a text."""

    language: str
    """BCP 47 tag."""
    kind: Kind
    """ethical, adversarial or irrelevant."""
    name: str
    """The sentence's name in the file; in a published file, cluster and number."""
    text: str
    join: str
    """The text between the sentence and the text next to it: a space, or empty."""
    classes: tuple[str, ...]
    """The classes of subjects that the sentence is for."""
    clusters: tuple[str, ...]
    """The clusters of attributes that the sentence is about; empty for all."""
    domains: tuple[str, ...]
    """The domains of NLI items that the sentence is for."""
    source: str


class _Written(HandWritten):
    text: str = Field(min_length=1)
    clusters: tuple[str, ...] = ()


class _Kinds(HandWritten):
    ethical: dict[Name, _Written] = Field(default_factory=dict)
    adversarial: dict[Name, _Written] = Field(default_factory=dict)
    irrelevant: dict[Name, _Written] = Field(default_factory=dict)


class SentencesFile(HandWritten):
    """The content of interventions/NAME.yaml."""

    format: Literal[1]
    language: Language
    join: Annotated[Literal[" ", ""], EXACT] = " "
    about: Prose = ""
    source: Prose = Field(min_length=1)
    classes: tuple[Name, ...] = ()
    domains: tuple[str, ...] = ()
    interventions: _Kinds

    @model_validator(mode="after")
    def _for_something(self) -> SentencesFile:
        if not self.classes and not self.domains:
            raise WrongValue(
                "the file names neither classes nor domains",
                "name the classes of subjects that the sentences are for, such as classes: [gender]",
            )
        return self


def read_sentences(file: Path) -> tuple[Sentence, ...]:
    """Return the sentences of ``file``; raises WordListError with the line, also for a repeated sentence."""
    written, located = read_model(file, SentencesFile, WordListError)
    sentences = tuple(_sentences(written, Place(file, located, ("interventions",))))
    if not sentences:
        raise WordListError(
            "the file has no sentences",
            file=file,
            line=1,
            remedy="write one or more below ethical, adversarial or irrelevant",
        )
    return sentences


def _sentences(written: SentencesFile, place: Place) -> Iterator[Sentence]:
    seen: dict[str, str] = {}
    kinds: tuple[tuple[Kind, dict[str, _Written]], ...] = (
        ("ethical", written.interventions.ethical),
        ("adversarial", written.interventions.adversarial),
        ("irrelevant", written.interventions.irrelevant),
    )
    for kind, by_name in kinds:
        for name, sentence in by_name.items():
            here = place.inside(kind, name)
            check_sentence(sentence.text, here)
            if sentence.text in seen:
                raise here.error(
                    f"{name!r} and {seen[sentence.text]!r} have the same sentence", "remove one of the two"
                )
            seen[sentence.text] = name
            yield Sentence(
                language=written.language,
                kind=kind,
                name=name,
                text=sentence.text,
                join=written.join,
                classes=written.classes,
                clusters=sentence.clusters,
                domains=written.domains,
                source=written.source,
            )


def check_sentence(text: str, place: Place) -> None:
    """Raise WordListError, with the line of ``place``, for a text that cannot be added to others."""
    place.text(text)
    if not any(c.isalpha() for c in text):
        raise place.error(f"{text!r} has no letters", "write a sentence")
    if markup := not_plain(text):
        raise place.error(f"{text!r} contains {markup}", "write plain words, without slots and masks")


def not_plain(text: str) -> str | None:
    """Return a slot, a mask or a tokenizer's special token in ``text``; None if there is none."""
    match = _NOT_PLAIN.search(text)
    return match[0] if match else None
