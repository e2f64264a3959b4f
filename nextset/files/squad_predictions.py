"""Published predictions in the format of SQuAD: an answer, or a no-answer score, for each question's id."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import has_file

__all__ = ["AnswerFile", "read_answer_file", "read_no_answer_scores"]

LONGEST = 10_000
"""The most characters of an answer."""
_LAYOUT = 'name a file with one object, {"ID": "answer", …}, as SQuAD\'s evaluation reads it'


@dataclass(frozen=True)
class AnswerFile:
    """The answers of a model to questions that are named by their ids."""

    answers: Mapping[str, str]
    """The answers by id, unchanged; an empty text means that there is no answer."""
    digest: str
    """SHA-256 of the file."""


def read_answer_file(file: Path) -> AnswerFile:
    """Return the answers in ``file``; raises InputError with the key of a value that is not an answer."""
    answers, digest = _object(file, _LAYOUT)
    for key, answer in answers.items():
        if not isinstance(answer, str):
            raise InputError(
                f"the answer to {key[:60]!r} is not a text: {json.dumps(answer):.60}",
                file=file,
                remedy=_LAYOUT,
            )
        if len(answer) > LONGEST:
            raise InputError(
                f"the answer to {key[:60]!r} has {len(answer):,} characters; at most {LONGEST:,} are allowed",
                file=file,
                remedy=_LAYOUT,
            )
    return AnswerFile(answers, digest)


def read_no_answer_scores(file: Path) -> dict[str, float]:
    """Return the no-answer score of each question, by its id; raises InputError."""
    remedy = 'write {"ID": NUMBER, …}, with higher numbers for questions without an answer'
    scores, _ = _object(file, remedy)
    for key, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise InputError(
                f"{key[:60]!r} has a score that is not a number: {score!r:.60}", file=file, remedy=remedy
            )
    return {key: float(score) for key, score in scores.items()}


def _object(file: Path, remedy: str) -> tuple[dict[str, Any], str]:
    """Return the object in ``file`` and the file's SHA-256."""
    if not has_file(file, InputError, "name a file with predictions"):
        raise InputError("the file does not exist", file=file, remedy="correct its path")
    raw = file.read_bytes()
    try:
        data = parse_foreign_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise InputError(f"byte {e.start} is not UTF-8", file=file, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        raise InputError(str(e), file=file, line=e.line, remedy=remedy) from None
    if not isinstance(data, dict) or not data:
        nothing = data in ({}, [], None)
        message = "the file has no predictions" if nothing else "this is not an object of answers"
        raise InputError(message, file=file, remedy=remedy)
    return data, hashlib.sha256(raw).hexdigest()
