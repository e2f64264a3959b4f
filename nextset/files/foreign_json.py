"""JSON that others wrote: anything that Python would silently accept, or fail on, is refused."""

from __future__ import annotations

import json
import re
from typing import Any

from nextset.files.unique_keys import RepeatedKey, unique_keys

__all__ = ["ForeignJsonError", "parse_foreign_json"]

MAX_DIGITS = 40
"""The most characters of an integer: longer ones take long to read, and Python refuses to show them."""

_PAIR_OR_HALF = re.compile(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)|([\ud800-\udfff])")


class ForeignJsonError(ValueError):
    """A text is not readable JSON; ``line`` is the line of the error, from 1, if it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def parse_foreign_json(text: str) -> Any:
    """Return the value in ``text``.

    Raises ForeignJsonError, with the line if it is known, if ``text`` is not JSON, is nested too deeply,
    repeats a key in an object, or has half a character (a lone surrogate) or an integer of more than
    `MAX_DIGITS`.
    """
    try:
        value = json.loads(text, object_pairs_hook=unique_keys, parse_int=_integer)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as e:
        raise ForeignJsonError(f"not JSON: {e.msg}", e.lineno) from None
    except UnicodeEncodeError:
        raise ForeignJsonError("half a character (a lone surrogate)", _line_of_half(text)) from None
    except _LongInteger as e:
        line = text[: text.find(e.digits)].count("\n") + 1
        raise ForeignJsonError(f"a number of {len(e.digits):,} characters", line) from None
    except RepeatedKey as e:
        raise ForeignJsonError(str(e)) from None
    except RecursionError:
        raise ForeignJsonError("nested too deeply") from None
    return value


class _LongInteger(ValueError):
    def __init__(self, digits: str) -> None:
        self.digits = digits


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _LongInteger(digits)
    return int(digits)


def _line_of_half(text: str) -> int | None:
    """Return the line of the first surrogate without its other half; None if none is found."""
    half = next((m for m in _PAIR_OR_HALF.finditer(text) if m[1] or m[2]), None)
    return None if half is None else text[: half.start()].count("\n") + 1
