"""Remedies for values that a hand-written file may not have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BeforeValidator

from nextset.folded_names import ascii_name

__all__ = ["HiddenValue", "WrongValue", "problem_of_value", "remedy_of_value", "written_as"]

_TYPES = {
    "bool": "write true or false",
    "int": "write a whole number, without quotes",
    "float": "write a number, without quotes",
    "finite": "write a number, without quotes",
    "tuple": "write a list, such as {entry}[{value}]",
    "list": "write a list, such as {entry}[{value}]",
    "dict": "write its keys below {key}, indented",
    "model": "write its keys below {key}, indented",
    "mapping": "write its keys below {key}, indented",
    "string": 'write text in quotes, such as {entry}"{value}"',
    "extra": "remove it",
}
"""Remedies by the first word of pydantic's error type."""
_PROBLEMS = {
    "bool": "neither true nor false",
    "int": "not a whole number",
    "float": "not a number",
    "finite": "not a number",
    "tuple": "not a list",
    "list": "not a list",
    "dict": "not keys with values",
    "model": "not keys with values",
    "mapping": "not keys with values",
    "string": "not a text",
    "literal": "not a known value",
    "greater": "too small",
    "less": "too large",
    "too": "the wrong number of values",
}
"""Problems by the first word of pydantic's error type."""
_LENGTHS = {"string_too_short": "too short", "string_too_long": "too long"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?")
_BOUNDS = {
    "ge": "{} or more",
    "gt": "more than {}",
    "le": "{} or less",
    "lt": "less than {}",
    "min_length": "at least {}",
    "max_length": "at most {}",
}


class WrongValue(ValueError):
    """A value that a section does not accept; ``remedy`` says what to write instead."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class HiddenValue(WrongValue):
    """The same for a value that may be a secret, which the error does not show."""


def written_as(pattern: str, example: str) -> BeforeValidator:
    """Return a pydantic validator for texts that match ``pattern`` as a whole, such as ``example``.

    The remedy for a text with other letters than ASCII is the text in ASCII, if that matches.
    """
    form = re.compile(pattern)

    def check(value: object) -> object:
        if not isinstance(value, str) or not form.fullmatch(value.strip()):
            other = isinstance(value, str) and not value.isascii()
            near = ascii_name(str(value), "-").strip("-") if other else ""
            right = near if near and form.fullmatch(near) else example
            raise WrongValue("not in the expected form", f"write it like {right!r}")
        return value

    return BeforeValidator(check)


def problem_of_value(error: Mapping[str, Any]) -> str:
    """Return the problem with the value of pydantic's ``error``, as text."""
    kind = _kind(error)
    if kind == "too_short" and not error["input"]:
        return "the list is empty"
    ours = _LENGTHS.get(kind) or _PROBLEMS.get(kind.split("_")[0])
    return ours or error["msg"].removeprefix("Value error, ")


def remedy_of_value(error: Mapping[str, Any], key: str, entry: str = "") -> str:
    """Return the remedy for the value of ``key`` in pydantic's ``error``.

    An example begins with ``entry``, such as ``key: ``; for an entry of a list, ``entry`` is empty.
    """
    kind, context = _kind(error), error.get("ctx", {})
    raised = context.get("error")
    if isinstance(raised, WrongValue):
        return raised.remedy
    if "expected" in context:
        return "write " + re.sub(r"^(True|False)$", lambda m: m[0].lower(), context["expected"])
    for name, text in _BOUNDS.items():
        if name in context:
            bound = f"{context[name]:g}" if isinstance(context[name], float) else context[name]
            if kind == "string_too_short" and bound == 1:
                return "write a text"
            unit = " of them" if kind.startswith("too_") else ""
            unit = " characters" if kind.startswith("string_") else unit
            return f"write {text.format(bound)}{unit}"
    given, number = error["input"], str(error["input"])
    if kind.split("_")[0] in ("int", "float", "finite") and _NUMBER.fullmatch(number):
        exact = Decimal(number).normalize()  # YAML reads 1e-3 as text, because it has no point
        if not kind.startswith("int") or exact == exact.to_integral_value():
            return f"write {exact:f}, without quotes"
    known = _TYPES.get(kind.split("_")[0])
    if known is None:
        return f"study_yaml.md, training_yaml.md and files.md in docs/reference show what {key} can be"
    value = given if isinstance(given, str | int | float) else "TEXT"
    return known.format(key=key, entry=entry, value=value)


def _kind(error: Mapping[str, Any]) -> str:
    """Return the type of ``error``. After a validator, pydantic calls a short text `too_short`."""
    kind: str = error["type"]
    return f"string_{kind}" if kind.startswith("too_") and isinstance(error["input"], str) else kind
