"""The parts of the docs that are made from the code: tables of columns, keys of settings, commands, functions.

A comment on a page says what follows it: `<!-- columns: nextset.records.nli_items.NliItem -->` is followed by one
table, and `settings`, `commands` and `functions` by everything up to the end of the page.

python -m scripts.reference_pages [--check]
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.cli import get_docs_for_click
from typer.main import get_command

import nextset
from nextset.records.column_docs import attribute_docs, column_table

DOCS = Path(__file__).parents[1] / "docs"
_TABLE = re.compile(r"(<!-- columns: (\S+) -->\n\n)(?:\|.*\n)+")
_REST = re.compile(r"(<!-- (settings|commands|functions): (\S+) -->\n\n).*", re.S)


def updated(page: str) -> str:
    """Return the text of a page with everything in it that is made from the code."""
    page = _TABLE.sub(lambda found: f"{found[1]}{column_table(_named(found[2]))}\n", page)
    makers = {"settings": _settings, "commands": _commands, "functions": _functions}
    return _REST.sub(lambda found: f"{found[1]}{makers[found[2]](_named(found[3])).rstrip()}\n", page)


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name) if module else importlib.import_module(name)


def _settings(top: type[BaseModel]) -> str:
    """Return one table of keys per section, each section after the one that has it."""
    tables: list[str] = []
    _add_section((top,), "", tables)
    return "\n\n".join(tables)


def _add_section(models: tuple[type[BaseModel], ...], path: str, tables: list[str]) -> None:
    """Add the table of the last of ``models``; the others are the sections that it is in."""
    model = models[-1]
    docs = attribute_docs(model)
    heading = [f"## `{path}`"] if path else ["## The keys"]
    about = inspect.getdoc(model) or ""
    if path and about:
        heading.append(
            re.sub(rf"^{re.escape(path)}: (.)", lambda found: found[1].upper(), about.split("\n\n")[0])
        )
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    inner: list[tuple[type[BaseModel], str]] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        below = f"{path}.{key}" if path else key
        sections = [part for part in _parts(field.annotation) if issubclass(part, BaseModel)]
        below = f"{below}.NAME" if get_origin(field.annotation) is dict else below
        inner += [(section, below) for section in sections if section not in models]
        meaning = docs.get(name, "") or (inspect.getdoc(sections[0]) or "" if sections else "")
        meaning = re.sub(rf"^{re.escape(below)}: ", "", meaning.split("\n\n")[0])
        cells = (f"`{key}`", _value(field.annotation), _default(field), " ".join(meaning.split()))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    tables.append("\n\n".join([*heading, "\n".join(rows)]))
    for section, below in inner:
        _add_section((*models, section), below, tables)


def _parts(annotation: Any) -> list[type]:
    """Return the classes in a type, such as that of a list's elements."""
    if isinstance(annotation, type) and not get_args(annotation):
        return [annotation]
    return [] if get_origin(annotation) is Literal else [p for a in get_args(annotation) for p in _parts(a)]


_NAMES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Path: "path",
}


def _value(annotation: Any) -> str:
    """Return the kind of a value as people write it in YAML."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin is tuple:
        return f"list of {_value(inner[0])}"
    if origin is dict:
        return f"mapping of {_value(inner[0])} to {_value(inner[1])}"
    if hasattr(annotation, "__metadata__"):
        return _value(inner[0])
    if inner and origin is not None and (origin is Union or type(None) in inner or "Union" in str(origin)):
        return " or ".join(dict.fromkeys(_value(part) for part in inner if part is not type(None)))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    return _NAMES.get(annotation, "text")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined or value is None or value == "" or isinstance(value, BaseModel):
        return ""
    plain = value.model_dump() if isinstance(value, BaseModel) else _plain(value)
    text = yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, width=1000)
    return f"`{text.removesuffix('...' + chr(10)).strip()}`"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value if isinstance(value, str | int | float) else str(value)


def _commands(app: typer.Typer) -> str:
    """Return each command's help, below the page's own headings."""
    command = get_command(app)
    context = typer.Context(command, info_name="nextset", help_option_names=["-h", "--help"])
    text = get_docs_for_click(obj=command, ctx=context, name="nextset")
    text = re.sub(r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n", "", text)  # the table of the page is the whole list
    text = re.sub(r"^# `nextset`\n.*?(?=^## )", "", text, flags=re.M | re.S)
    return re.sub(r"^Example: (.*)$", r"Example: `\1`", text, flags=re.M)


def _functions(module: Any) -> str:
    """Return a heading and an anchor per public name; mkdocstrings adds the signature and the docstring."""
    kinds = {"Functions": [], "Classes": [], "Errors": []}  # type: dict[str, list[str]]
    for name in sorted(module.__all__):
        value = getattr(module, name)
        kind = (
            "Functions"
            if not isinstance(value, type)
            else "Errors"
            if issubclass(value, Exception)
            else "Classes"
        )
        kinds[kind].append(f"### `nextset.{name}`\n\n::: {value.__module__}.{value.__qualname__}")
    return "\n\n".join(f"## {kind}\n\n" + "\n\n".join(blocks) for kind, blocks in kinds.items())


def main(check: bool) -> None:
    """Write the pages again, or with ``check`` exit with 1 if one of them is not as the code has it."""
    nextset.__dir__()
    stale = []
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := updated(text)) != text:
            stale.append(path.relative_to(DOCS.parent).as_posix())
            if not check:
                path.write_text(new, encoding="utf-8")
    print(*stale, sep="\n", end="\n" if stale else "")
    if check and stale:
        raise SystemExit("these pages are not as the code has them: run scripts/docs")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
