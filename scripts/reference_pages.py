"""The parts of the docs that are made from the code: columns, keys of settings, commands and functions.

A comment on a page names what follows it. `<!-- columns: nextset.records.nli_items.NliItem -->` comes
before one table, as do comments with `own columns`, with `lint rules` and their kinds, and with
`sound rules` and `changes` or `examples`. A comment with `settings`, `commands`, `functions` or `folders`
comes before everything up to the end of the page.

python -m scripts.reference_pages
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.cli import get_docs_for_click
from typer.main import get_command

from nextset.generation.sound_rules.rule_names import SOUND_RULES
from nextset.lint_rules import lint_rules
from nextset.records.column_docs import attribute_docs, column_table

__all__ = ["stale_pages", "updated"]

DOCS = Path(__file__).parents[1] / "docs"
_TABLE = re.compile(r"(<!-- (columns|own columns|lint rules|sound rules): (\S+) -->\n\n)(?:\|.*\n)+")
_REST = re.compile(r"(<!-- (settings|commands|functions|folders): (\S+) -->\n\n).*", re.S)


def updated(page: str) -> str:
    """Return the text of a page with everything in it that is made from the code."""
    tables: dict[str, Callable[[str], str]] = {
        "columns": lambda path: column_table(_named(path)),
        "own columns": lambda path: _own_columns(_named(path)),
        "lint rules": _lint_rules,
        "sound rules": _sound_rules,
    }
    makers = {"settings": _settings, "commands": _commands, "functions": _functions, "folders": _folders}
    page = _TABLE.sub(lambda found: f"{found[1]}{tables[found[2]](found[3])}\n", page)
    return _REST.sub(lambda found: f"{found[1]}{makers[found[2]](_named(found[3])).rstrip()}\n", page)


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name) if module else importlib.import_module(name)


def _own_columns(record: type) -> str:
    """Return the table of the columns that a record adds to those of the record that it extends."""
    return column_table(attribute_docs(record))


def _lint_rules(kinds: str) -> str:
    """Return one row per lint rule of the ``kinds``, which are separated by commas."""
    rules = {rule.name: rule for kind in kinds.split(",") for rule in lint_rules(kind).values()}
    rows = (f"| `{name}` | {rules[name].finds} |" for name in sorted(rules))
    return "\n".join(["| rule | finding |", "|---|---|", *rows])


def _sound_rules(shown: str) -> str:
    """Return one row per sound rule: its change in words, or its examples before and after it."""
    if shown == "changes":
        rows = [f"| `{rule.name}` | {rule.change} |" for rule in SOUND_RULES]
        return "\n".join(["| rule | change |", "|---|---|", *rows])
    rows = [
        f"| `{rule.name}` | {', '.join(rule.examples)} | {', '.join(rule.changed())} |"
        for rule in SOUND_RULES
    ]
    return "\n".join(["| rule | written | becomes |", "|---|---|---|", *rows])


_FLOW = ["nextset", "generation", "scoring", "filtering", "validation", "release", "auditing", "training"]
_FLOW += ["extensions", "makers"]
"""The packages in the order of the data."""


def _folders(module: Any) -> str:
    """Return one row per folder with an __init__.py: the first sentence in it."""
    root = Path(module.__file__).parents[1]
    rows = ["| folder | what it holds |", "|---|---|"]
    for package in [*_FLOW, "word_lists", "bbnli_templates"]:
        for folder in sorted(file.parent for file in (root / package).rglob("__init__.py")):
            code = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
            sentence = (ast.get_docstring(code) or "").split("\n")[0]
            rows.append(f"| `{folder.relative_to(root).as_posix()}/` | {sentence} |")
    return "\n".join(rows)


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
    fields = model.keys_in_file() if hasattr(model, "keys_in_file") else model.model_fields
    for name, field in fields.items():
        key = field.alias or name
        below = f"{path}.{key}" if path else key
        sections = [part for part in _parts(field.annotation) if issubclass(part, BaseModel)]
        below = f"{below}.NAME" if get_origin(field.annotation) is dict else below
        inner += [(section, below) for section in sections if section not in models]
        meaning = (
            field.description or docs.get(name, "") or (inspect.getdoc(sections[0]) or "" if sections else "")
        )
        meaning = _sentence(meaning, below)
        cells = (f"`{key}`", _value(field.annotation), _default(field), meaning)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    tables.append("\n\n".join([*heading, "\n".join(rows)]))
    for section, below in inner:
        _add_section((*models, section), below, tables)


def _sentence(docstring: str, path: str) -> str:
    """Return the first paragraph of a docstring, without the section's name before it."""
    text = " ".join(docstring.split("\n\n")[0].split()).removeprefix(f"{path}: ")
    return text[:1].upper() + text[1:] if docstring.startswith(f"{path}: ") else text


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
    if origin in (tuple, list, frozenset):
        return f"list of {_value(inner[0])}"
    if origin is dict:
        return f"mapping of {_value(inner[0])} to {_value(inner[1])}"
    if hasattr(annotation, "__metadata__"):
        return _value(inner[0])
    if inner and origin is not None and (origin is Union or type(None) in inner or "Union" in str(origin)):
        return " or ".join(dict.fromkeys(_value(part) for part in inner if part is not type(None)))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    return _NAMES[annotation]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined or value is None or value == "" or isinstance(value, BaseModel):
        return ""
    text = yaml.safe_dump(_plain(value), default_flow_style=True, sort_keys=False, width=1000)
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
    """Return a block per public name, from which mkdocstrings makes heading, signature and docstring."""
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
        options = f"    options: {{heading: nextset.{name}, toc_label: nextset.{name}}}"
        kinds[kind].append(f"::: {value.__module__}.{value.__qualname__}\n{options}")
    return "\n\n".join(f"## {kind}\n\n" + "\n\n".join(blocks) for kind, blocks in kinds.items())


def stale_pages() -> dict[Path, str]:
    """Return the pages whose parts from the code are out of date, with their new text."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
    return {path: new for path, text in pages.items() if (new := updated(text)) != text}


if __name__ == "__main__":
    for page, text in stale_pages().items():
        page.write_text(text, encoding="utf-8")
