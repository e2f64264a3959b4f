"""The short repr of a result: its fields on one line, collections by their size."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["FLAT", "short_repr"]

_CHARACTERS = 60
"""The most characters of a field's value."""
FLAT = "flat"
"""The key in the metadata of a field whose entries a repr shows as fields."""

C = TypeVar("C", bound=type[Any])


def short_repr(cls: C) -> C:
    """Give the dataclass ``cls`` a repr of one line, with long texts cut and collections shown by size."""

    def shown(self: Any) -> str:
        values: list[tuple[str, object]] = []
        for field in (f for f in dataclasses.fields(cls) if f.repr):
            value = getattr(self, field.name)
            values += value.items() if FLAT in field.metadata else [(field.name, value)]
        return f"{cls.__name__}({', '.join(f'{name}={_value(value)}' for name, value in values)})"

    cls.__repr__ = shown  # type: ignore[assignment]
    return cls


def _value(value: object) -> str:
    if isinstance(value, tuple | list | Mapping | Set):
        elements = value.values() if isinstance(value, Mapping) else value
        kinds = {type(x).__name__ for x in elements}
        return f"<{len(value):,} {kinds.pop() if len(kinds) == 1 else 'values'}>" if value else "<none>"
    if dataclasses.is_dataclass(value):
        return f"<{type(value).__name__}>"
    text = repr(_path(value)) if isinstance(value, Path) else repr(value)
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"


def _path(path: Path) -> str:
    """Return ``path`` as text, from the current folder if it is below that."""
    try:
        here = Path.cwd()
    except FileNotFoundError:  # someone deleted the current folder
        return str(path)
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
