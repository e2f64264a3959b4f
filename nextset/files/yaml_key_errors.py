"""Errors of hand-written YAML: unknown keys with the nearest known one, missing keys, values."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from nextset.errors import InputError
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.files.yaml_values import remedy_of_value

__all__ = ["first_error"]


def first_error(
    e: ValidationError, path: Path, located: LocatedYaml, model: type[BaseModel], error: type[InputError]
) -> InputError:
    """Return the first problem of ``e`` as an ``error`` with its line; unknown keys come first."""
    found = e.errors(include_url=False)
    first = next((x for x in found if x["type"] == "extra_forbidden"), found[0])
    loc: Location = tuple(first["loc"])
    name = ".".join(str(x) for x in loc)
    line = located.line(loc)
    if first["type"] == "extra_forbidden":
        known = sorted(_keys_at(model, loc[:-1]))
        near = difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
        return error(f"unknown key {name!r}", file=path, line=line, remedy=remedy)
    if first["type"] == "missing":
        line = located.line(loc[:-1])
        return error(f"{name!r} is missing", file=path, line=line, remedy=f"add {str(loc[-1])!r}")
    what = first["msg"].removeprefix("Value error, ")
    value = "" if isinstance(first["input"], dict | list) else f" (here: {_short(first['input'])})"
    key = next((step for step in reversed(loc) if isinstance(step, str)), "the file")
    remedy = remedy_of_value(first, key)
    return error(f"{name or 'the file'}: {what}{value}", file=path, line=line, remedy=remedy)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:97]}…"


def _keys_at(model: type[BaseModel], at: Location) -> list[str]:
    """Return the keys that ``model`` knows at a location inside it; none if there is no model."""
    here: Any = model
    for step in at:
        # a step that is not a field is a key of a mapping, whose values' model was found already
        if _is_model(here) and step in _fields(here):
            here = _fields(here)[str(step)].annotation
        for inner in getattr(here, "__args__", ()):
            here = inner if _is_model(inner) or hasattr(inner, "__args__") else here
    return list(_fields(here)) if _is_model(here) else []


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields by their keys in the file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _is_model(x: object) -> bool:
    return isinstance(x, type) and issubclass(x, BaseModel)
