"""Every error that nextset raises on purpose.

NextsetError                   exit code 1
├── InputError                 3   a file that a person wrote is wrong: file, line, value, remedy
│   ├── StudyError                 study.yaml
│   ├── TemplateError              template files and overlays
│   ├── WordListError              word lists and language packs
│   ├── ImportedDataError          CSV, JSONL or Parquet brought in by `nextset import`
│   └── JudgmentError              judgments, their files and sessions
├── ArtifactError              4   what an earlier stage left is missing or damaged
│   ├── MissingStage
│   └── DamagedShard
├── StudyHeld                  5   another process works on this study
├── ModelError                 6   a model cannot be loaded or does not fit its task
├── DependencyMissing          7   an optional package is not installed
├── WaitingForPeople           8   nothing is wrong: annotators have to judge first
└── ServerError                10  Label Studio does not answer, or refuses
"""

from __future__ import annotations

import copyreg
from pathlib import Path
from typing import Any

__all__ = [
    "ArtifactError",
    "DamagedShard",
    "DependencyMissing",
    "ImportedDataError",
    "InputError",
    "JudgmentError",
    "MissingStage",
    "ModelError",
    "NextsetError",
    "ServerError",
    "StudyError",
    "StudyHeld",
    "TemplateError",
    "WaitingForPeople",
    "WordListError",
]


class NextsetError(Exception):
    """Something that a person can mend; ``remedy`` says how."""

    exit_code = 1

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # so that it reaches another process, which cannot know how it was made
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


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
        where = "" if self.file is None else f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return where + self.message


class StudyError(InputError):
    """study.yaml is wrong."""


class TemplateError(InputError):
    """A template file or an overlay is wrong."""


class WordListError(InputError):
    """A word list or language pack is wrong."""


class ImportedDataError(InputError):
    """Data brought in by ``nextset import`` is wrong."""


class JudgmentError(InputError):
    """A file of judgments is wrong, or judgments cannot be taken as things are."""


class ArtifactError(NextsetError):
    """What an earlier stage left cannot be used."""

    exit_code = 4


class MissingStage(ArtifactError):
    """A stage needs the result of one that has not run."""


class DamagedShard(ArtifactError):
    """A shard is missing, truncated or altered: its hash is not the one in the manifest."""


class StudyHeld(NextsetError):
    """Another process holds the study."""

    exit_code = 5


class ModelError(NextsetError):
    """A model cannot be loaded, or does not fit its task."""

    exit_code = 6


class DependencyMissing(NextsetError):
    """Something was asked for that needs an optional package."""

    exit_code = 7


class WaitingForPeople(NextsetError):
    """The run cannot go on before annotators have judged."""

    exit_code = 8


class ServerError(NextsetError):
    """Label Studio does not answer, refuses, or answers what it should not."""

    exit_code = 10
