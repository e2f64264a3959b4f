"""Published predictions: {id: text}, as SQuAD's evaluation script takes them, and no-answer scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from nextset.errors import InputError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.regular_file import require_file

__all__ = ["read_answers", "read_no_answer_scores"]

_FORM = 'write {"ID": "ANSWER", …}, with an empty text for no answer'


def read_answers(path: Path) -> dict[str, str]:
    """Return the answer to each question by its id; empty for none. Raises InputError."""
    for name, text in (found := _object(path)).items():
        if not isinstance(text, str):
            raise InputError(
                f"{name[:60]!r} has an answer that is not a text: {text!r:.60}", file=path, remedy=_FORM
            )
    return found


def read_no_answer_scores(path: Path) -> dict[str, float]:
    """Return how much speaks for no answer to each question, by its id; raises InputError."""
    remedy = 'write {"ID": NUMBER, …}, a higher number the more speaks for no answer'
    for name, score in (found := _object(path)).items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise InputError(
                f"{name[:60]!r} has a score that is not a number: {score!r:.60}", file=path, remedy=remedy
            )
    return {name: float(score) for name, score in found.items()}


def _object(path: Path) -> dict[str, Any]:
    try:
        require_file(path, InputError, "name a file with predictions")
        found = parse_foreign_json(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise InputError("no such file", file=path, remedy="check the path") from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=path, remedy="save the file as UTF-8") from None
    except ForeignJsonError as e:
        raise InputError(str(e), file=path, line=e.line, remedy="download or copy the file again") from None
    if not isinstance(found, dict) or not found:
        raise InputError("not a JSON object with predictions", file=path, remedy=_FORM)
    return found
