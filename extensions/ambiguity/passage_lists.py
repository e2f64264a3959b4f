"""The shipped passages (LANGUAGE/passages/FIELD.yaml) and open questions (LANGUAGE/open_questions.yaml)."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import StudyError, WordListError
from nextset.extensions.ambiguity.passages import OpenQuestion, Passage
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.folded_names import ascii_name
from nextset.records.content_ids import content_id
from nextset.word_lists import FOLDER

__all__ = [
    "OpenQuestionsFile",
    "PassagesFile",
    "WrittenPassage",
    "WrittenQuestion",
    "open_questions",
    "read_open_questions",
    "read_passages",
    "shipped_passages",
]

_LANGUAGE = Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")
_QUESTIONS = "open_questions.yaml"


class WrittenPassage(HandWritten):
    """A passage about a person."""

    name: str = Field(min_length=1)
    """The person's name: the title."""
    group: Literal["female", "male"]
    """The person's gender as documented by the sources."""
    born: int = Field(strict=True)
    """The year of birth, which the text names."""
    text: str = Field(min_length=1)


class PassagesFile(HandWritten):
    """The content of passages/FIELD.yaml."""

    format: Literal[1]
    language: str = _LANGUAGE
    field: str = Field(min_length=1)
    """The field of occupation."""
    sources: tuple[str, ...] = Field(min_length=1)
    """Biographical works with all these people."""
    passages: tuple[WrittenPassage, ...] = Field(min_length=1)


class WrittenQuestion(HandWritten):
    """An open question."""

    question: str = Field(min_length=1)
    occupation: str = Field(min_length=1)
    """The occupation that the question asks about."""


class OpenQuestionsFile(HandWritten):
    """The content of open_questions.yaml."""

    format: Literal[1]
    language: str = _LANGUAGE
    about: Prose = Field(min_length=1)
    questions: tuple[WrittenQuestion, ...] = Field(min_length=1)


@dataclass(frozen=True)
class ShippedPassage:
    """A shipped passage, with its file and line."""

    passage: Passage
    field: str
    """The field of occupation."""
    file: Path
    line: int


@functools.cache
def shipped_passages(language: str, study_file: Path | None = None) -> tuple[ShippedPassage, ...]:
    """Return the shipped collection of ``language``, with its files in the order of their names.

    Raises StudyError if there is no collection, and WordListError as `read_passages` does.
    """
    files = sorted(FOLDER.glob(f"{_folder(language)}/passages/*.yaml"))
    if not files:
        raise _not_shipped(language, "passages", study_file, "passages.source")
    passages = [passage for file in files for passage in read_passages(file)]
    _check_unique(passages)
    return tuple(passages)


def read_passages(file: Path) -> list[ShippedPassage]:
    """Return the passages in ``file``; raises WordListError with the line of a wrong passage."""
    written, located = read_model(file, PassagesFile, WordListError)
    passages = []
    for i, one in enumerate(written.passages):
        line = located.line(("passages", i)) or 1
        if str(one.born) not in one.text or one.name.split()[-1] not in one.text:
            message = f"the passage about {one.name} does not contain the name or the year {one.born}"
            raise WordListError(message, file=file, line=line, remedy="name both in the text")
        passage = Passage(id=_slug(one.name), title=one.name, text=one.text, group=one.group)
        passages.append(ShippedPassage(passage, written.field, file, line))
    return passages


def _check_unique(found: Sequence[ShippedPassage]) -> None:
    counts = Counter(one.passage.id for one in found)
    for one in found:
        if counts[one.passage.id] > 1:
            raise WordListError(
                f"{one.passage.title} has several passages ({counts[one.passage.id]})",
                file=one.file,
                line=one.line,
                remedy="write only one passage about each person",
            )


def _slug(name: str) -> str:
    return ascii_name(name, "-", "").lower().strip("-")


@functools.cache
def open_questions(language: str, study_file: Path | None = None) -> tuple[OpenQuestion, ...]:
    """Return the shipped open questions of ``language``; raises StudyError if there are none."""
    file = FOLDER / _folder(language) / _QUESTIONS
    if not file.is_file():
        raise _not_shipped(language, "open questions", study_file, "questions")
    return read_open_questions(file)


def read_open_questions(file: Path) -> tuple[OpenQuestion, ...]:
    """Return the questions in ``file``; raises WordListError with the line of a repeated question."""
    written, located = read_model(file, OpenQuestionsFile, WordListError)
    seen: set[str] = set()
    for i, one in enumerate(written.questions):
        if one.question in seen:
            raise WordListError(
                f"{one.question!r} is repeated",
                file=file,
                line=located.line(("questions", i)),
                remedy="write each question once",
            )
        seen.add(one.question)
    return tuple(
        OpenQuestion(
            id=content_id("open question", written.language, one.question),
            language=written.language,
            question=one.question,
            occupation=one.occupation,
        )
        for one in written.questions
    )


def _folder(language: str) -> str:
    """Return the name of the folder of ``language`` (BCP 47; regions are ignored)."""
    name = language.partition("-")[0].lower()
    return name if re.fullmatch("[a-z]{2,3}", name) else "none"


def _not_shipped(language: str, what: str, study_file: Path | None, key: str) -> StudyError:
    return StudyError(
        f"ambiguity.retrieval.{key}: nextset has no {what} for {language!r}",
        file=study_file,
        remedy="write builtin:en, or name your own file",
    )
