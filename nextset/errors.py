"""The errors that nextset raises, with their exit codes.

NextsetError                   exit code 1
├── InputError                 3   a file that a person wrote is wrong: file, line, value, remedy
│   ├── StudyError                 study.yaml
│   ├── TemplateError              template files and overlays
│   ├── WordListError              word lists and language packs
│   ├── ImportedDataError          CSV, JSONL or Parquet for `nextset import`
│   └── JudgmentError              judgments, their files and sessions
├── ArtifactError              4   an earlier stage's output is missing or damaged
│   ├── MissingStage
│   ├── DamagedShard
│   └── NewerFormat                a newer version of nextset wrote it: it is not damaged
├── StudyHeld                  5   another process is working on this study
├── ModelError                 6   a model cannot be loaded or does not fit its task
├── DependencyMissing          7   an optional package is not installed
├── WaitingForPeople           8   not an error: annotators have to judge first
└── ServerError                10  Label Studio or the Hub does not answer, or refuses a request
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nextset.printable_text import printable, printable_line
from nextset.redaction import redacted

__all__ = [
    "ArtifactError",
    "DamagedShard",
    "DependencyMissing",
    "ImportedDataError",
    "InputError",
    "JudgmentError",
    "MissingStage",
    "ModelError",
    "NewerFormat",
    "NextsetError",
    "ServerError",
    "StudyError",
    "StudyHeld",
    "TemplateError",
    "WaitingForPeople",
    "WordListError",
    "examples",
    "newer_format",
]

MAX_CHARACTERS = 1200
"""The most characters of a message and of a remedy: together a screen of 24 lines of 100."""


def examples(values: Iterable[object], most: int = 5) -> str:
    """Return the first ``most`` of ``values``, with commas between them, and the number of the others."""
    texts = [str(value) for value in values]
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def _shortened(text: str) -> str:
    """Return ``text``, without its middle if it has more than `MAX_CHARACTERS`."""
    if len(text) <= MAX_CHARACTERS:
        return text
    begin, end = MAX_CHARACTERS * 3 // 4, MAX_CHARACTERS // 5
    return f"{text[:begin]} … ({len(text) - begin - end:,} characters omitted) … {text[-end:]}"


class NextsetError(Exception):
    """An error that the user can fix; ``remedy`` says how. Message and remedy lose their middle if they are
    too long, and never show a secret.

    As text, the error has escapes for control characters (`nextset.printable_text`); ``message`` has the
    characters themselves. The remedy is also a note, so that a traceback in Python ends with it.
    """

    exit_code = 1

    def __init__(self, message: str, *, remedy: str) -> None:
        message, remedy = _shortened(redacted(message)), _shortened(redacted(remedy))
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.add_note(f"try: {printable(remedy)}")
        self.__suppress_context__ = (
            True  # the message has the cause: one traceback, which ends with the remedy
        )

    def __str__(self) -> str:
        return printable(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        # lets the error be pickled for another process although its constructor has keyword arguments
        state = {**self.__dict__, "__suppress_context__": True}
        return copyreg.__newobj__, (type(self), *self.args), state  # type: ignore[attr-defined]


class InputError(NextsetError):
    """A file that a person wrote is wrong at ``file``, ``line`` (from 1)."""

    exit_code = 3

    def __init__(
        self, message: str, *, remedy: str, file: Path | str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.file = None if file is None else Path(file)
        self.line = line

    def __str__(self) -> str:
        if self.file is None:
            return printable(self.message)
        file = printable_line(str(self.file))
        where = f"{file}:{self.line}" if self.line else file
        return f"{where}: {printable(self.message)}"


class StudyError(InputError):
    """study.yaml is wrong."""


class TemplateError(InputError):
    """A template file or an overlay is wrong."""


class WordListError(InputError):
    """A word list or language pack is wrong."""


class ImportedDataError(InputError):
    """A file for ``nextset import`` is wrong."""


class JudgmentError(InputError):
    """A file of judgments is wrong, or judgments cannot be accepted now."""


class ArtifactError(NextsetError):
    """An earlier stage's output cannot be used."""

    exit_code = 4


class MissingStage(ArtifactError):
    """A stage needs the output of a stage that has not run."""


class DamagedShard(ArtifactError):
    """A shard is missing, truncated or altered: its hash is not the one in the manifest."""


class NewerFormat(ArtifactError):
    """A newer version of nextset wrote an artifact or a dataset version, which is not damaged."""


def newer_format(written: object, known: int, author: object = None) -> tuple[str, str] | None:
    """Return message and remedy for a file in the format ``written``; None unless it is above ``known``.

    ``author`` is the version of nextset that wrote the file, if the file names one.
    """
    if not re.fullmatch(r"[0-9]{1,300}(\.[0-9]{1,9})?", str(written)) or float(str(written)) <= known:
        return None
    here = version("nextset")
    named = isinstance(author, str) and author != here and re.fullmatch(r"[0-9][0-9a-z.+-]{0,30}", author)
    message = (
        f"a newer version of nextset{f' ({author})' if named else ''} wrote this file, in format {written}: "
        f"this is nextset {here}, which reads format {known}"
    )
    newer = f"nextset {author}" if named else "the newest version of nextset"
    return message, f"install {newer}, which reads the file; the file is not damaged: do not delete it"


class StudyHeld(NextsetError):
    """Another process has locked the study."""

    exit_code = 5


class ModelError(NextsetError):
    """A model cannot be loaded, or does not fit its task."""

    exit_code = 6


class DependencyMissing(NextsetError):
    """A requested feature needs an optional package that is not installed."""

    exit_code = 7


class WaitingForPeople(NextsetError):
    """The run cannot continue until annotators have judged."""

    exit_code = 8


class ServerError(NextsetError):
    """Label Studio or the Hugging Face Hub does not answer, refuses, or gives an unexpected answer."""

    exit_code = 10
