"""Errors of hand-written YAML: unknown keys with the nearest known one, missing keys, values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from nextset.errors import InputError, examples
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.files.yaml_values import HiddenValue, problem_of_value, remedy_of_value

__all__ = ["first_error"]


_PLAIN_KEY = re.compile(r"[a-z_]{1,30}|\d{1,3}")
_PLAIN_VALUE = re.compile(r"[+-]?\d{1,7}(\.\d{1,6})?|true|false|yes|no|null|nothing|[a-z_]{1,12}")
"""The keys and values that are shown where others may be secrets, as they are written in the file."""


def first_error(
    e: ValidationError, path: Path, located: LocatedYaml, model: type[BaseModel], error: type[InputError]
) -> InputError:
    """Return the first problem of ``e`` as an ``error`` with its line; unknown keys come first."""
    errors = e.errors(include_url=False)
    places = [_written(located.data, x) for x in errors]
    extra = next((i for i, x in enumerate(errors) if x["type"] == "extra_forbidden"), None)
    if extra is None:  # the branch of a union that got farthest is the one that was meant
        inside = [i for i, at in enumerate(places) if at[: len(places[0])] == places[0]]
        chosen = max(inside, key=lambda i: len(places[i]))
    else:
        chosen = extra
    first, loc = errors[chosen], places[chosen]
    secret = _secret_from(model, loc)
    name = ".".join(str(x) if n < secret or _PLAIN_KEY.fullmatch(str(x)) else "…" for n, x in enumerate(loc))
    line = located.line(loc)
    if first["type"] == "extra_forbidden" and name.endswith("…"):
        return error(
            f"{name[:-2]}: an unknown key; it is not shown, as it may be a secret",
            file=path, line=line, remedy=f"use one of {', '.join(_keys_at(model, loc[:-1]))}",
        )  # fmt: skip
    if first["type"] == "extra_forbidden":
        if (present := _earlier_names_at(model, loc[:-1]).get(str(loc[-1]))) is not None:
            now = f"{name!r} is now called {present!r}"
            return error(now, file=path, line=line, remedy=f"rename the key to {present}")
        if (place := _misplaced_at(model, loc[:-1]).get(str(loc[-1]))) is not None:
            remedy = f"{loc[-1]} belongs under {place}: write it there"
            return error(f"unknown key {name!r}", file=path, line=line, remedy=remedy)
        known = _keys_at(model, loc[:-1])
        near = difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known)}"
        if not isinstance(_value_at(located.data, loc[:-1]), dict):  # a name instead of a key
            section = ".".join(str(x) for x in loc[:-1])
            return error(f"{section}: unknown value {loc[-1]!r}", file=path, line=line, remedy=remedy)
        is_section = len(loc) == 1 and isinstance(located.data[loc[0]], dict)
        is_typo = bool(difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.75))
        if is_section and not is_typo and (unknown_section := getattr(model, "unknown_section", "")):
            remedy += f" Or, {unknown_section}" if near else f"; {unknown_section}"
        return error(f"unknown key {name!r}", file=path, line=line, remedy=remedy)
    if first["type"] == "missing":
        line = located.line(loc[:-1])
        return error(f"{name!r} is missing", file=path, line=line, remedy=f"add {str(loc[-1])!r}")
    branches = [
        x for x, at in zip(errors, places, strict=True) if at == loc
    ]  # each branch of a union has a remedy
    what = ", and ".join(dict.fromkeys(map(problem_of_value, branches)))
    remedy = ", or ".join(dict.fromkeys(_remedy(x, loc, located, model) for x in branches))
    written = _short(first, loc, located)
    key, _, rest = what.partition(": ")
    named = next((at for at in located.lines if ".".join(map(str, at)) == key), None)
    if not loc and named is not None:  # a check of the whole file names the key
        name, what, line = key, rest, located.line(named)
    hidden = isinstance(first.get("ctx", {}).get("error"), HiddenValue)
    if secret <= len(loc) and not hidden and not _PLAIN_VALUE.fullmatch(written.strip("'")):
        hidden = True
        what += "; the value is not shown, as it may be a secret" if isinstance(first["input"], str) else ""
        if not str(first["input"]).isascii() or str(first["input"]) in remedy:
            remedy = "docs/reference/study_yaml.md shows what it can be"
    value = (
        ""
        if hidden or isinstance(first["input"], dict | list) or what.startswith(f"{written} ")
        else f" (here: {written})"
    )
    return error(f"{name or 'the file'}: {what}{value}", file=path, line=line, remedy=remedy)


def _remedy(error: Mapping[str, Any], loc: Location, located: LocatedYaml, model: type[BaseModel]) -> str:
    """Return what to write at ``loc`` instead of the value of pydantic's ``error``."""
    key = next((step for step in reversed(loc) if isinstance(step, str)), "the file")
    kind = error["type"].split("_")[0]
    text = located.written.get(loc, located.written.get(loc[:-1])) or "TEXT"
    if kind in ("tuple", "list") and (inside := _remedy_of_entry(text, loc, located, model)):
        like = inside.removeprefix("write it like ")
        return (
            f"write a list, and in it {inside}" if like == inside else f"write a list of values like {like}"
        )
    entry = f"{key}: " if loc and isinstance(loc[-1], str) else ""
    word = kind != "string" and not isinstance(error["input"], str | dict | list) and loc in located.written
    if word and not _problems_at(loc, _replaced(located.data, loc, text), model):
        return f'put it in quotes, such as "{text}"'
    written = error if isinstance(error["input"], str | dict | list) else {**error, "input": text}
    remedy = remedy_of_value(written, key, entry)
    if error["type"] == "too_short" and not error["input"] and not _is_required(model, loc):
        remedy += ", or remove the key"
    keys = _keys_at(model, loc) if kind == "model" else []
    return f"{remedy}: {examples(keys, 8)}" if keys else remedy


def _remedy_of_entry(text: str, loc: Location, located: LocatedYaml, model: type[BaseModel]) -> str:
    """Return the remedy for ``text`` as the only entry of a list at ``loc``; empty if it could be one."""
    value = _value_at(located.data, loc)
    data = _replaced(located.data, loc, [text if isinstance(value, dict) else value])
    wrong = _problems_at(loc, data, model)
    return _remedy(wrong[0], (*loc, 0), located, model) if wrong else ""


def _problems_at(loc: Location, data: Any, model: type[BaseModel]) -> list[Mapping[str, Any]]:
    """Return pydantic's errors at and below ``loc`` of ``data``."""
    try:
        model.model_validate(data)
    except ValidationError as e:
        return [x for x in e.errors(include_url=False) if _written(data, x)[: len(loc)] == loc]
    return []


def _replaced(data: Any, at: Location, value: Any) -> Any:
    """Return ``data`` with ``value`` at an existing location."""
    if not at:
        return value
    step, rest = at[0], at[1:]
    inner = _replaced(data[step], rest, value)
    if isinstance(data, dict):
        return {**data, step: inner}
    return [inner if i == step else x for i, x in enumerate(data)]


def _written(data: Any, error: Mapping[str, Any]) -> Location:
    """Return the location of pydantic's ``error`` without the names of union branches."""
    *before, last = error["loc"] or ("",)
    steps = [step for n, step in enumerate(before) if _has(_value_at(data, tuple(before[:n])), step)]
    here = _value_at(data, tuple(steps))
    named = error["type"] in ("missing", "extra_forbidden") or _has(here, last)
    return (*steps, last) if named else tuple(steps)


def _has(data: Any, step: str | int) -> bool:
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and step < len(data)


def _value_at(data: Any, at: Location) -> Any:
    """Return the value at a location, or the nearest one around it."""
    for step in at:
        data = data[step] if _has(data, step) else data
    return data


def _short(error: Mapping[str, Any], loc: Location, located: LocatedYaml) -> str:
    """Return the value of ``error`` as written in its file: ``no`` rather than False."""
    value = error["input"]
    shown = repr(value) if isinstance(value, str) else located.written.get(loc, str(value)) or "nothing"
    return shown if len(shown) <= 100 else f"{shown[:97]}…"


def _secret_from(model: type[BaseModel], loc: Location) -> int:
    """Return the number of steps of ``loc`` to a section that may have secrets; more than all if none has."""
    places = (n for n in range(len(loc) + 1) if any(map(_may_hold_secrets, _models_at(model, loc[:n]))))
    return next(places, len(loc) + 1)


def _may_hold_secrets(section: type[BaseModel]) -> bool:
    return getattr(section, "may_hold_secrets", False)


def _keys_at(model: type[BaseModel], at: Location) -> list[str]:
    """Return the keys that ``model`` knows at a location inside it; none if there is no model."""
    return sorted(_fields_at(model, at))


def _is_required(model: type[BaseModel], at: Location) -> bool:
    field = _fields_at(model, at[:-1]).get(str(at[-1])) if at else None
    return field is None or field.is_required()


def _earlier_names_at(model: type[BaseModel], at: Location) -> dict[str, str]:
    names = (getattr(section, "earlier_names", {}) for section in _models_at(model, at))
    return {earlier: present for pairs in names for earlier, present in pairs.items()}


def _misplaced_at(model: type[BaseModel], at: Location) -> dict[str, str]:
    sections = (getattr(section, "misplaced", {}) for section in _models_at(model, at))
    return {key: place for pairs in sections for key, place in pairs.items()}


def _fields_at(model: type[BaseModel], at: Location) -> dict[str, FieldInfo]:
    return {key: field for section in _models_at(model, at) for key, field in _fields(section).items()}


def _models_at(model: type[BaseModel], at: Location) -> list[type[BaseModel]]:
    here: list[Any] = [model]
    for step in at:
        # a step that leads nowhere is pydantic's name for a branch of a union
        here = [inner for annotation in here for inner in _inside(annotation, step)] or here
    return [branch for annotation in here for branch in _branches(annotation) if _is_model(branch)]


def _inside(annotation: Any, step: str | int) -> Iterator[Any]:
    """Yield the annotations of the field, the mapping's value or the list's entry that ``step`` leads to."""
    for branch in _branches(annotation):
        origin, inner = get_origin(branch), get_args(branch)
        if _is_model(branch):
            if step in _fields(branch):
                yield _fields(branch)[str(step)].annotation
        elif isinstance(origin, type) and issubclass(origin, Mapping):
            yield inner[1]
        elif isinstance(origin, type) and issubclass(origin, Sequence) and isinstance(step, int):
            yield from (x for x in inner if x is not Ellipsis)


def _branches(annotation: Any) -> Iterator[Any]:
    """Yield the types that ``annotation`` allows: itself, or the parts of a union, without annotations."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _branches(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for branch in get_args(annotation):
            yield from _branches(branch)
    else:
        yield annotation


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields by their keys in the file; a model whose keys depend on packages says them itself."""
    if hasattr(model, "keys_in_file"):
        return dict(model.keys_in_file())
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _is_model(x: object) -> bool:
    return isinstance(x, type) and issubclass(x, BaseModel)
