"""Hand-written YAML: read safely and checked against a pydantic model; every error has its line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from yaml.error import MarkedYAMLError

from nextset.errors import InputError

__all__ = ["HandWritten", "LocatedYaml", "read_model", "read_text", "read_yaml"]

MAX_BYTES = 4_000_000
"""The maximum size of a hand-written file; a larger one is refused before it is parsed."""

Location = tuple[str | int, ...]


class HandWritten(BaseModel):
    """A section of a hand-written file: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


@dataclass(frozen=True)
class LocatedYaml:
    """The data of a YAML file and the line (from 1) of each value."""

    data: Any
    lines: Mapping[Location, int]

    def line(self, location: Location) -> int | None:
        """Return the line of the value at ``location``, or of the nearest one around it."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location)


def read_text(path: Path, error: type[InputError]) -> str:
    """Return the text of a UTF-8 file that is no larger than `MAX_BYTES` and contains no NUL."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            with path.open("rb") as f:
                line = f.read(MAX_BYTES).count(b"\n") + 1
            raise error(
                f"the file has {size:,} bytes, more than the {MAX_BYTES:,} of a hand-written file",
                file=path,
                line=line,
                remedy="split the file, or import data with `nextset import`",
            )
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise error("no such file", file=path, remedy="check the path") from None
    except IsADirectoryError:
        raise error("this is a folder, not a file", file=path, remedy="name a file in it") from None
    except PermissionError:
        raise
    except OSError as e:
        raise error(f"the file cannot be read: {e.strerror}", file=path, remedy="check the path") from None
    except UnicodeDecodeError as e:
        line = path.read_bytes()[: e.start].count(b"\n") + 1
        raise error("the file is not UTF-8", file=path, line=line, remedy="save the file as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise error("a NUL character", file=path, line=line, remedy="remove the character")
    return text


def read_yaml(path: Path, error: type[InputError]) -> LocatedYaml:
    """Read one YAML document with `yaml.safe_load`'s rules.

    Repeated keys, aliases and texts that are not Unicode are refused with their line.
    """
    text = read_text(path, error)
    lines: dict[Location, int] = {}
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if root is None:
            raise error("the file is empty", file=path, remedy="see docs/formats.md for an example")
        _check_node(root, (), lines, set())
        return LocatedYaml(loader.construct_document(root), lines)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        problem = getattr(e, "problem", None) or getattr(e, "reason", None) or "no document"
        line = mark.line + 1 if mark is not None else None
        if isinstance(e, yaml.reader.ReaderError):
            line = text[: e.position].count("\n") + 1
        remedy = (
            getattr(e, "note", None)
            or "use plain YAML, without tags; check indentation and quotes in that line"
        )
        raise error(f"not YAML: {problem}", file=path, line=line, remedy=remedy) from None
    except ValueError as e:
        raise error(f"not YAML: {e}", file=path, remedy="put dates and numbers in quotes") from None
    except RecursionError:
        raise error("nested too deeply", file=path, remedy="see docs/formats.md for an example") from None


def _check_node(node: yaml.Node, at: Location, lines: dict[Location, int], seen: set[int]) -> None:
    """Record the lines of ``node`` and everything in it; raise YAMLError on what is not allowed."""
    lines.setdefault(at, node.start_mark.line + 1)
    if id(node) in seen:
        raise _yaml_error(node, "an alias", "write the text out; aliases can multiply a text endlessly")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if key.tag != "tag:yaml.org,2002:str":
                raise _yaml_error(key, f"the key {name!r} is not read as text", "put the key in quotes")
            if name != name.strip():
                raise _yaml_error(key, f"spaces around the key {name!r}", "remove the spaces")
            if name in keys:
                raise _yaml_error(key, f"the key {name!r} is listed twice", "remove one of them")
            keys.add(name)
            lines[(*at, name)] = key.start_mark.line + 1
            _check_node(value, (*at, name), lines, seen)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            _check_node(value, (*at, i), lines, seen)
    elif any("\ud800" <= c <= "\udfff" for c in node.value):
        raise _yaml_error(node, "half a character (a lone surrogate)", "write the character itself")


def _yaml_error(node: yaml.Node, problem: str, remedy: str) -> MarkedYAMLError:
    return MarkedYAMLError(problem=problem, problem_mark=node.start_mark, note=remedy)


Model = TypeVar("Model", bound=BaseModel)


def read_model(path: Path, model: type[Model], error: type[InputError]) -> tuple[Model, LocatedYaml]:
    """Read ``path`` as ``model``; the first problem is raised as ``error`` with its line.

    The error for an unknown key suggests the most similar known key.
    """
    located = read_yaml(path, error)
    if not isinstance(located.data, dict):
        raise error(
            "expected keys and values at the top of the file",
            file=path,
            line=1,
            remedy="see docs/formats.md for an example",
        )
    try:
        return model.model_validate(located.data), located
    except ValidationError as e:
        raise _first_error(e, path, located, model, error) from None


def _first_error(
    e: ValidationError, path: Path, located: LocatedYaml, model: type[BaseModel], error: type[InputError]
) -> InputError:
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
    return error(f"{name or 'the file'}: {what}{value}", file=path, line=line, remedy="see docs/formats.md")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:97]}…"


def _keys_at(model: type[BaseModel], at: Location) -> list[str]:
    """Return the keys that ``model`` knows at a location inside it; none if there is no model."""
    here: Any = model
    for step in at:
        here = _fields(here)[step].annotation if isinstance(step, str) and _is_model(here) else here
        for inner in getattr(here, "__args__", ()):
            here = inner if _is_model(inner) or hasattr(inner, "__args__") else here
    return list(_fields(here)) if _is_model(here) else []


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields by their keys in the file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _is_model(x: object) -> bool:
    return isinstance(x, type) and issubclass(x, BaseModel)
