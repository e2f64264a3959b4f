"""The fields of a published row, read with errors that name file, line, value and remedy."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from nextset.errors import InputError, examples

__all__ = ["RowFields"]

Known = TypeVar("Known")

_REMEDY = "correct the row, or take the file as it was published"


@dataclass(frozen=True, slots=True)
class RowFields:
    """A row of a published file."""

    file: Path
    """The file."""
    line: int
    """Its line from 1; in Parquet and in a list of JSON, the number of the row."""
    values: Mapping[str, Any]
    """Its values by field."""

    def refuse(self, problem: str, remedy: str = _REMEDY) -> NoReturn:
        """Raise InputError at this row."""
        raise InputError(problem, file=self.file, line=self.line, remedy=remedy)

    def text(self, name: str, *, optional: bool = False) -> str:
        """Return the text or number in ``name``; raises InputError if there is none, unless ``optional``."""
        value = self.values.get(name)
        if (value is None or _not_finite(value)) and optional:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float) or _not_finite(value):
            self.refuse(f"{name} is {_shown(value)}, not a text")
        if not optional and not str(value).strip():
            self.refuse(f"{name} is empty")
        return str(value)

    def one_of(self, name: str, known: Mapping[str, Known]) -> Known:
        """Return the entry of ``known`` for the text in ``name``; raises InputError for another text."""
        text = self.text(name).strip()
        if text.casefold() not in known:
            self.refuse(f"{name} is {_shown(text)}, not one of {', '.join(known)}")
        return known[text.casefold()]

    def place(self, name: str, options: int) -> int:
        """Return the number in ``name``, a place below ``options``; raises InputError for anything else."""
        text = self.text(name).strip()
        if not text.isascii() or not text.isdigit() or len(text) > 2 or int(text) >= options:
            self.refuse(f"{name} is {_shown(text)}, not the number of one of the {options} options, from 0")
        return int(text)

    def texts(self, value: Any, name: str, count: int | None = None) -> tuple[str, ...]:
        """Return ``value`` as texts; raises InputError unless it is a list of texts, ``count`` if given."""
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            self.refuse(f"{name} is {_shown(value)}, not a list of texts")
        if count is not None and len(value) != count:
            self.refuse(f"{name} has {len(value)} entries, not {count}")
        return tuple(value)

    def mapping(self, name: str) -> Mapping[str, Any]:
        """Return the object in ``name``; raises InputError if it is anything else."""
        value = self.values.get(name)
        if not isinstance(value, Mapping):
            self.refuse(f"{name} is {_shown(value)}, not an object with keys")
        return value

    def rest(self, texts: Collection[str]) -> str:
        """Return the values as JSON, except the fields ``texts``, which the item has, if they are texts."""
        kept = {k: v for k, v in self.values.items() if k not in texts or not isinstance(v, str)}
        return json.dumps(kept, ensure_ascii=False, default=str)


def _not_finite(value: object) -> bool:
    """Return whether ``value`` is NaN, which stands for an empty number in Parquet, or infinite."""
    return isinstance(value, float) and not math.isfinite(value)


def _shown(value: Any) -> str:
    return "missing" if value is None else examples([repr(value)[:60]])
