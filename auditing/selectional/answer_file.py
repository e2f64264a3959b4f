"""Published predictions in the format of SQuAD: a JSON object with an answer for each question's id."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import InputError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import has_file

__all__ = ["AnswerFile", "read_answer_file"]

LONGEST = 10_000
"""The most characters of an answer."""
_LAYOUT = 'name a file with one object, {"ID": "answer", …}, as SQuAD\'s evaluation reads it'


@dataclass(frozen=True)
class AnswerFile:
    """The answers of a model to questions that are named by their ids."""

    answers: Mapping[str, str]
    """The answers by id, as they are; an empty one says that there is none."""
    digest: str
    """SHA-256 of the file."""


def read_answer_file(file: Path) -> AnswerFile:
    """Return the answers in ``file``; raises InputError with the key of a value that is not an answer."""
    if not has_file(file, InputError, "name a file with predictions"):
        raise InputError("the file does not exist", file=file, remedy="correct the path under predictions")
    raw = file.read_bytes()
    try:
        found = parse_foreign_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise InputError(f"byte {e.start} is not UTF-8", file=file, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        raise InputError(str(e), file=file, line=e.line, remedy=_LAYOUT) from None
    if not isinstance(found, dict) or not found:
        raise InputError(
            "there are no predictions in it"
            if found in ({}, [], None)
            else "this is not an object of answers",
            file=file,
            remedy=_LAYOUT,
        )
    for key, answer in found.items():
        if not isinstance(answer, str):
            raise InputError(
                f"the answer of {key[:60]!r} is not a text but {type(answer).__name__}",
                file=file,
                remedy=_LAYOUT,
            )
        if len(answer) > LONGEST:
            raise InputError(
                f"the answer of {key[:60]!r} has {len(answer):,} characters, and the most is {LONGEST:,}",
                file=file,
                remedy=_LAYOUT,
            )
    return AnswerFile(found, hashlib.sha256(raw).hexdigest())
