"""What models write instead of a choice, by language (answer_phrases.yaml): abstentions and refusals."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER

__all__ = [
    "AnswerPhrases",
    "LanguagePhrases",
    "answer_phrases",
    "answer_phrases_digest",
    "read_answer_phrases",
]

_FILE = FOLDER / "answer_phrases.yaml"


class LanguagePhrases(HandWritten):
    """The phrases of a language; … after or before a phrase stands for any other words of its sentence."""

    abstentions: tuple[str, ...] = Field(min_length=1)
    """Sentences that say that the text does not tell."""
    refusals: tuple[str, ...] = Field(min_length=1)
    """Sentences that say that the model does not want to answer."""
    lead_ins: tuple[str, ...] = ()
    """Texts that may stand before an abstention or a refusal, such as an apology."""


class AnswerPhrases(HandWritten):
    """The content of answer_phrases.yaml."""

    format: Literal[1]
    about: Prose = Field(min_length=1)
    languages: dict[str, LanguagePhrases]
    """The phrases by the language's BCP 47 tag."""


@functools.cache
def answer_phrases() -> AnswerPhrases:
    """Return the shipped phrases."""
    return read_answer_phrases(_FILE)


@functools.cache
def answer_phrases_digest() -> str:
    """Return the content hash of the shipped phrases, without what is said about them."""
    return content_id("answer_phrases", answer_phrases().model_dump_json(exclude={"about"}))


def read_answer_phrases(file: Path) -> AnswerPhrases:
    """Return the phrases in ``file``; raises WordListError if it cannot be read or has another format."""
    return read_model(file, AnswerPhrases, WordListError)[0]
