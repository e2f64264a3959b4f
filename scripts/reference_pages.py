"""The parts of the docs that are made from the code: columns, keys of settings, commands and functions.

A comment on a page names what follows it. `<!-- columns: nextset.records.nli_items.NliItem -->` comes
before one table, as do comments with `own columns`, with `lint rules` and their kinds, and with
`sound rules` and `changes` or `examples`. After a comment with `shared columns` is a table of the columns
that two or more tables of the page describe in the same words; those tables only name them. `most studies`
comes before a block of YAML. A comment with `settings`, `commands` or `functions` comes before everything up
to the end of the page.

python -m scripts.reference_pages
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.cli import get_docs_for_click
from typer.main import get_command

from nextset.generation.sound_rules.rule_names import SOUND_RULES
from nextset.lint_rules import lint_rules
from nextset.pipeline.stage_list import STAGES, ordered_stages
from nextset.readable_signature import show_readable_signature
from nextset.records.column_docs import attribute_docs, column_docs, column_table, joined_ends
from nextset.study.study_sections import StudyFile, study_file_model

__all__ = ["short_part", "stale_pages", "updated"]

DOCS = Path(__file__).parents[1] / "docs"
_TABLE = re.compile(
    r"(<!-- (columns|own columns|shared columns|lint rules|sound rules|stages): (\S+) -->\n\n)(?:\|.*\n)+"
)
_BLOCK = re.compile(r"(<!-- most studies: (\S+) -->\n\n)```yaml\n.*?```\n", re.S)
_REST = re.compile(r"(<!-- (settings|commands|functions): (\S+) -->\n\n).*", re.S)


def updated(page: str) -> str:
    """Return the text of a page with everything in it that is made from the code."""
    shared = _shared_columns(page) if "<!-- shared columns: " in page else {}
    tables: dict[str, Callable[[str], str]] = {
        "columns": lambda path: _columns(_described(path), shared),
        "own columns": lambda path: _columns(_described(path, own=True), shared),
        "shared columns": lambda _: column_table(shared),
        "lint rules": _lint_rules,
        "sound rules": _sound_rules,
        "stages": lambda package: _stages(),
    }
    makers = {"settings": _settings, "commands": _commands, "functions": _functions}
    page = _TABLE.sub(lambda found: f"{found[1]}{tables[found[2]](found[3])}\n", page)
    page = _BLOCK.sub(lambda block: f"{block[1]}{_most_studies(_named(block[2]))}\n", page)
    return _REST.sub(lambda found: f"{found[1]}{makers[found[2]](_named(found[3])).rstrip()}\n", page)


def _named(path: str) -> Any:
    if path == "study.yaml":
        return study_file_model()
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name) if module else importlib.import_module(name)


def _described(path: str, *, own: bool = False) -> dict[str, str]:
    """Return the columns of the record ``path``, or only those that it adds to the record that it extends."""
    source = _named(path)
    if own:
        source = attribute_docs(source)
    return joined_ends(source if isinstance(source, Mapping) else column_docs(source))


def _shared_columns(page: str) -> dict[str, str]:
    """Return the columns that two or more tables of ``page`` describe in the same words: one per name."""
    marks = re.findall(r"<!-- (own )?columns: (\S+) -->", page)
    counts = Counter(entry for own, path in marks for entry in _described(path, own=bool(own)).items())
    shared: dict[str, str] = {}
    for (name, text), tables in counts.most_common():
        if tables > 1:
            shared.setdefault(name, text)
    return dict(sorted(shared.items()))


def _columns(entries: Mapping[str, str], shared: Mapping[str, str]) -> str:
    """Return the table of a record's columns; those in ``shared`` are only named, in the last row."""
    own = {name: text for name, text in entries.items() if shared.get(name) != text}
    others = "`, `".join(name for name in entries if name not in own)
    return column_table(own | ({others: "[Shared columns](#shared-columns)"} if others else {}))


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


def _stages() -> str:
    """Return one row per stage of nextset, in their order: its inputs and its command."""
    rows = ["| stage | reads, if a study has it | command |", "|---|---|---|"]
    for stage in ordered_stages():
        if stage.name in STAGES.own_names:
            inputs = ", ".join(f"`{name}`" for name in stage.inputs)
            rows.append(f"| `{stage.name}` | {inputs} | `nextset {stage.command}` |")
    return "\n".join(rows)


_MOST_STUDIES = """\
format: 1
name: my-study
about: Whether language models hold stereotypes about carers.
templates: [templates, "builtin:bbnli"]
fill:
  model: builtin:masked-lm
  top_k: 10
filter:
  models: [builtin:nli-electra, builtin:nli-roberta, builtin:nli-bart]
  held_out: [builtin:nli-albert]
  rule: majority_wrong
validate:
  judge: people
  session:
    consent: "Ana Example studies … with your answers. You can stop any time."
    support: "Talk to Ana Example, +00 000 000."
    budget:
      batch: 50
      person: 400
    overlap: 3
release:
  name: my-dataset
  license: cc-by-4.0
  authors: [A. Author]
  draft: true
audit:
  models: [./models/mine]
"""
"""A study with the keys that most studies need; the tables of the others leave them out."""


def short_part() -> set[str]:
    """Return the keys that most studies need, such as filter.models."""
    return set(_paths(yaml.safe_load(_MOST_STUDIES)))


def _paths(settings: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key, value in settings.items():
        yield from _paths(value, f"{path}{key}.") if isinstance(value, dict) else (path + key,)


def _most_studies(top: type[BaseModel]) -> str:
    """Return `_MOST_STUDIES` with the meaning of each key as a comment above it."""
    lines: list[str] = []
    places: list[tuple[type[BaseModel], str]] = [(top, "")]
    for line in _MOST_STUDIES.splitlines():
        key, _, value = line.strip().partition(":")
        indent = line[: len(line) - len(line.lstrip())]
        model, path = places[len(indent) // 2]
        path = f"{path}.{key}" if path else key
        comment = f"{indent}# "
        meaning = _described_key(model, key, path)
        lines += textwrap.wrap(meaning, 80, initial_indent=comment, subsequent_indent=comment)
        lines.append(line)
        if not value:
            section = _sections(_keys(model)[key].annotation)[0]
            places[len(indent) // 2 + 1 :] = [(section, path)]
    return "\n".join(["```yaml", *lines, "```"])


def _settings(top: type[BaseModel]) -> str:
    """Return one table of keys per section, each section after the one that has it."""
    tables: list[str] = []
    _add_section((top,), "", "", tables, short_part() if issubclass(top, StudyFile) else set())
    return "\n\n".join(tables)


def _add_section(
    models: tuple[type[BaseModel], ...], path: str, about: str, tables: list[str], omitted: Collection[str]
) -> None:
    """Add the table of the last of ``models``, if it has keys; the others are the sections that it is in."""
    model, rows = models[-1], ["| key | value | meaning |", "|---|---|---|"]
    inner: list[tuple[type[BaseModel], str, str]] = []
    for key, field in _keys(model).items():
        below = f"{path}.{key}" if path else key
        place = f"{below}.NAME" if get_origin(field.annotation) is dict else below
        for section in _sections(field.annotation):
            if section not in models:
                meaning = _sentence(inspect.getdoc(section) or "", place)
                inner.append((section, place, meaning + _earlier_names(model, key)))
        if below not in omitted and _value(field.annotation) not in ("section", "mapping of text to section"):
            cells = (f"`{key}`", _written(field), _described_key(model, key, below))
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if len(rows) > 2:
        described = not path or any(key.startswith(f"{path}.") for key in omitted)
        heading = [f"### `{path}`" if path else "### The study", *([] if described else [about])]
        tables.append("\n\n".join([*heading, "\n".join(rows)]))
    for section, place, meaning in inner:
        _add_section((*models, section), place, meaning, tables, omitted)


def _keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a section by their keys in the file."""
    fields = model.keys_in_file() if hasattr(model, "keys_in_file") else model.model_fields
    return {field.alias or name: field for name, field in fields.items()}


def _described_key(model: type[BaseModel], key: str, path: str) -> str:
    """Return the meaning of a key, with its earlier names."""
    field, sections = _keys(model)[key], _sections(_keys(model)[key].annotation)
    sentences: dict[str, str] = {}
    for part in reversed([part for part in model.__mro__ if BaseModel in part.__mro__[1:]]):
        sentences |= attribute_docs(part)
    docs = {(x.alias or name): sentences.get(name) for name, x in model.model_fields.items()}
    about = (inspect.getdoc(sections[0]) if sections else None) or ""
    return _sentence(field.description or docs.get(key) or about, path) + _earlier_names(model, key)


def _earlier_names(model: type[BaseModel], key: str) -> str:
    """Return a sentence with the earlier names of a key, by which readers may search for it; else nothing."""
    names = [name for name, now in getattr(model, "earlier_names", {}).items() if now == key]
    return "".join(f" Earlier name: `{name}`." for name in names)


def _sections(annotation: Any) -> list[type[BaseModel]]:
    """Return the sections in a type."""
    return [part for part in _parts(annotation) if issubclass(part, BaseModel)]


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
    Any: "any value",
}


def _value(annotation: Any) -> str:
    """Return the kind of a value as people write it in YAML."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{str(value).lower() if value is True else value}`" for value in inner)
    if origin in (tuple, list, frozenset):
        return f"list of {_value(inner[0])}".removesuffix(" of text")
    if origin is dict:
        return f"mapping of {_value(inner[0])} to {_value(inner[1])}"
    if hasattr(annotation, "__metadata__"):
        return _value(inner[0])
    if inner and origin is not None and (origin is Union or type(None) in inner or "Union" in str(origin)):
        return " or ".join(dict.fromkeys(_value(part) for part in inner if part is not type(None)))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    return _NAMES[annotation]


def _written(field: FieldInfo) -> str:
    """Return what a key can be: its choices with the default first, else its default, or else its kind."""
    default, kind = _default(field), _value(field.annotation)
    if kind.endswith(" or section"):
        return kind
    choices = kind.split(", ") if get_origin(field.annotation) is Literal else []
    if default in choices:
        return ", ".join([default, *(choice for choice in choices if choice != default)])
    if kind.startswith("list of `"):
        return f"{kind}; {default}" if default else kind
    return f"{kind}, required" if field.is_required() else default or kind


def _default(field: FieldInfo) -> str:
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    if value in (None, "", (), {}) or isinstance(value, BaseModel):
        return ""
    text = yaml.safe_dump(_plain(value), default_flow_style=True, sort_keys=False, width=1000)
    return f"`{text.removesuffix('...' + chr(10)).strip()}`"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value if isinstance(value, str | int | float) else str(value)


_SHARED = re.compile(
    r"^\* `(?:STUDY <path>|--trust-code|--json|--debug|-h, --help)`: .*\n"
    r"|^\* `(?:--labels LABELS <str>|--labels LABELS)`: The labels of the outputs.*\n"
    r"|^\* `--waive-canaries[^`]*`: .*\n",
    re.M,
)
"""The arguments and options of most commands, which the page describes once."""


def _commands(app: typer.Typer) -> str:
    """Return each command's help, below the page's own headings, without what most commands share."""
    command = get_command(app)
    context = typer.Context(command, info_name="nextset", help_option_names=["-h", "--help"])
    text = get_docs_for_click(obj=command, ctx=context, name="nextset")
    text = re.sub(r"^# `nextset`\n.*?(?=^## )", "", text, flags=re.M | re.S)
    return "".join(_command(part) for part in re.split(r"^(?=##+ `)", text, flags=re.M) if part)


def _command(written: str) -> str:
    """Return the section of a command: what it does, its own options, and an example of them."""
    about, _, rest = written.partition("**Usage**:")
    rest = rest.partition("**Commands**")[0]  # a group: each of its commands has its own section
    own = "".join(re.findall(r"^\* .*\n", _SHARED.sub("", rest), re.M))
    own = re.sub(r" <(?:path|str|list\[str\])>`:", "`:", own)
    example = re.findall(r"^Example: (.*)$", rest, re.M) if own else []
    return f"{about}{own}\n" + "".join(f"Example: `{line}`\n\n" for line in example)


_JOBS = {
    "Studies": ("nextset.study", "nextset.pipeline", "nextset.cli"),
    "Tables without a study": ("nextset.tables", "nextset.release.loaded_version"),
    "Generate": ("nextset.generation",),
    "Score": ("nextset.scoring",),
    "Filter": ("nextset.filtering",),
    "Validate": ("nextset.validation", "nextset.cli.validate"),
    "Release": ("nextset.release", "nextset.cli.release"),
    "Audit": ("nextset.auditing", "nextset.cli.audit"),
    "More audits": ("nextset.extensions",),
    "Train": ("nextset.training",),
}
"""The beginnings of the names of the modules of each job's functions; the longest one counts."""
_BRIEF = ("Studies", "Generate", "Score", "Validate", "Release", "Audit", "Train")
"""The jobs whose functions have a line each, because their commands have their own page."""
_RESULTS = ("Artifact", "Summary", "NamedTables", "LoadedTemplates", "LoadedVersion", "LoadedConfig")
"""The results that the page describes in full."""


def _functions(module: Any) -> str:
    """Return the signature and the docstring of every public name, by job; then results and errors.

    Functions of stages are only named, because the page of commands describes their commands.
    """
    jobs: dict[str, list[str]] = {job: [] for job in _JOBS}
    stages: dict[str, list[str]] = {job: [] for job in _JOBS}
    calls: dict[str, list[str]] = {job: [] for job in _JOBS}
    errors = ["| error | exit code | meaning |", "|---|--:|---|"]
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if isinstance(value, type) and issubclass(value, Exception):
            about = re.split(r"(?<=\.)\s", _markdown(inspect.getdoc(value) or ""))[0]
            errors.append(f"| `nextset.{name}` | {value.exit_code} | {about} |")  # type: ignore[attr-defined]
        else:
            home = inspect.unwrap(value).__module__
            fitting = (
                (max(filter(home.startswith, names), key=len, default=""), job)
                for job, names in _JOBS.items()
            )
            job = max(fitting, key=lambda x: len(x[0]))[1]
            if not isinstance(value, type) and _signature(name, value) == _STAGE_CALL.format(name):
                stages[job].append(f"`nextset.{name}`")
            elif not isinstance(value, type) and job in _BRIEF:
                call = _signature(f"nextset.{name}", value, one_line=True)
                summary = _markdown(inspect.getdoc(value) or "").split("\n\n")[0]
                calls[job].append(f"- `{call}`: {summary}")
            else:
                jobs[job].append(_public(f"nextset.{name}", value))
    results = [_public(name, _result(module, name)) for name in _RESULTS]
    for job, names in stages.items():
        jobs[job][:0] = [f"Stages: {', '.join(names)}."] if names else []
        jobs[job] += ["\n".join(calls[job])] if calls[job] else []
    sections = {**jobs, "Results": results, "Errors": ["\n".join(errors)]}
    return "\n\n".join(f"## {job}\n\n" + "\n\n".join(blocks) for job, blocks in sections.items())


def _result(module: Any, name: str) -> type:
    """Return the class ``name``, which a module of a public function defines or imports."""
    homes = {inspect.unwrap(getattr(module, public)).__module__ for public in module.__all__}
    classes = (vars(importlib.import_module(home)).get(name) for home in sorted(homes))
    return next(value for value in classes if isinstance(value, type))


def _public(name: str, value: Any) -> str:
    """Return the heading, the signature and the docstring of a function, or of a class and its members."""
    about = _without_errors(_markdown(inspect.getdoc(value) or ""))
    if not isinstance(value, type):
        return f"### {name}\n\n```python\n{_signature(name, value)}\n```\n\n{about}"
    fields = attribute_docs(value).items()
    members = [f"- `.{field}`: {_markdown(doc)}" for field, doc in fields if doc and field not in _OF_STAGES]
    for member, inner in vars(value).items():
        if member.startswith("_") or member in _OF_STAGES:
            continue
        function = inner.__func__ if isinstance(inner, classmethod | staticmethod) else inner
        about_member = " ".join(_without_errors(_markdown(inspect.getdoc(function) or "")).split())
        if inspect.isfunction(function):
            members.append(f"- `{_signature(f'.{member}', function, bound=True)}`: {about_member}")
        elif isinstance(inner, property | functools.cached_property):
            members.append(f"- `.{member}`: {about_member}")
    return "\n\n".join(filter(None, [f"### {name}", about, "\n".join(members)]))


_OF_STAGES = {"shards_of", "piece", "schema", "snapshots", "snapshot", "others", "check", "in_python"}
_OF_STAGES |= {"section", "held", "path", "remade", "damaged", "withdrawn"}
_OF_STAGES |= {"own_code", "model_label", "model_copies", "model_settings", "local_models"}
"""The members of results and studies that only stages use; the page leaves them out."""
_STAGE_CALL = "{}(study, progress, *, trust_code) -> Artifact"
"""The call of the functions of stages that have no arguments of their own."""
_EVERYWHERE = {
    "study: Study | Path | str": "study",
    "progress: Progress = SILENT": "progress",
    "trust_code: bool = False": "trust_code",
}
"""The parameters of most functions, which the page explains once."""


def _parameter(parameter: inspect.Parameter) -> str:
    """Return ``parameter`` with its type, if its default does not tell the type."""
    written, default = str(parameter), parameter.default
    if default is None:
        return written.replace(" | None = None", " = None")
    short = f"{parameter.name}={default!r}" if isinstance(default, str | int | float) else written
    return _EVERYWHERE.get(written, short)


def _signature(name: str, function: Any, *, bound: bool = False, one_line: bool = False) -> str:
    """Return the call of ``function`` with the types of its parameters, on several lines if it is long."""
    show_readable_signature(function)
    signature = inspect.signature(function)
    inner, star = [], False
    for parameter in list(signature.parameters.values())[1 if bound else 0 :]:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            inner.append("*")
            star = True
        star |= parameter.kind is parameter.VAR_POSITIONAL
        inner.append(_parameter(parameter))
    returned = str(signature.replace(parameters=())).removeprefix("()")
    line = f"{name}({', '.join(inner)}){returned}"
    if len(line) > 100 and not bound and not one_line:
        line = "\n".join([f"{name}(", *(f"    {x}," for x in inner), f"){returned}"])
    return line


def _markdown(docstring: str) -> str:
    """Return ``docstring`` in Markdown: one line per paragraph, with code between single backticks."""
    paragraphs = re.sub(r"``([^`]+)``", r"`\1`", docstring).split("\n\n")
    return "\n\n".join(
        paragraph if paragraph.startswith(" ") else " ".join(paragraph.split()) for paragraph in paragraphs
    )


def _without_errors(text: str) -> str:
    """Return ``text`` without its sentences and clauses on errors, which help() shows."""
    paragraphs = (
        " ".join(s for s in re.split(r"(?<=\.) (?=[A-Z`])", part) if not re.search(r"\braises\b", s, re.I))
        for part in re.sub(r"; raises [^.;]*", "", text).split("\n\n")
    )
    return "\n\n".join(filter(None, paragraphs))


def stale_pages() -> dict[Path, str]:
    """Return the pages whose parts from the code are out of date, with their new text."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
    return {path: new for path, text in pages.items() if (new := updated(text)) != text}


if __name__ == "__main__":
    for page, text in stale_pages().items():
        page.write_text(text, encoding="utf-8")
