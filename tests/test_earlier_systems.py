"""docs/reference/earlier_systems.md: everything that it names here exists, and no row is empty."""

from __future__ import annotations

import re
import shlex
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin

import click
import pytest
import typer
import yaml
from pydantic import BaseModel, TypeAdapter
from typer.main import get_command

import nextset
from nextset.auditing.measures.choice_measures import S_AMB, S_DIS
from nextset.auditing.nli.answer_counts import MEASURES as OF_ITEMS
from nextset.auditing.quads.quad_values import ANSWERS
from nextset.auditing.quads.quad_values import MEASURES as OF_QUADS
from nextset.cli.app import app
from nextset.extensions.interventions.audit.twin_series import TWIN_ACCURACY
from nextset.study.study_sections import study_file_model
from nextset.study.training_settings import TrainingFile
from tests.docs_pages import ROOT

PAGE = ROOT / "docs" / "reference" / "earlier_systems.md"
REFERENCE = ROOT / "docs" / "reference"
FOLDERS = (REFERENCE / "output_folders.md").read_text(encoding="utf-8")
TABLES = "\n".join(path.read_text(encoding="utf-8") for path in sorted((REFERENCE / "tables").glob("*.md")))
MEASURES = {
    *OF_ITEMS,
    "swapped_premise_gap",
    *OF_QUADS,
    *ANSWERS,
    TWIN_ACCURACY,
    "mu_pooled",
    "eta_pooled",
    S_AMB.name,
    S_DIS.name,
}
CLASSES = yaml.safe_load((ROOT / "word_lists" / "en" / "pack.yaml").read_text(encoding="utf-8"))["classes"]
_LISTED = r"(?:`[^`]*`|,|and|or|\s)*"
"""What can stand between the word that says what names are and one of the names."""
_KINDS = re.compile(r"\b(tables?|columns?|measures?|training keys?|class(?:es)?)\s" + _LISTED + r"$", re.I)


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    there: str
    here: str

    def __str__(self) -> str:
        return self.there[:60]


@dataclass(frozen=True)
class Name:
    """A name in backticks, with the word before it that says what it is of."""

    text: str
    kind: str
    table: str
    """The table that was named last in the cell."""


def _rows() -> list[Row]:
    """The rows of the tables whose last column says what to use here."""
    rows, is_table = [], False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            is_table = False
        elif cells[-1] in ("here", "begin with"):
            is_table = True
        elif is_table and set(cells[0]) != {"-"}:
            rows.append(Row(cells[0], cells[-1]))
    return rows


def _names(cell: str) -> Iterator[Name]:
    table = ""
    for match in re.finditer(r"`([^`]+)`", cell):
        text = match[1]
        found = _KINDS.search(cell[: match.start()])
        kind = found[1].lower().removesuffix("es").removesuffix("s") if found else ""
        kind = {"tabl": "table", "clas": "class", "measur": "measure"}.get(kind, kind)
        if text.startswith(("nextset ", "nextset.")) or "/" in text.split(" ")[0] or "." in text:
            kind = ""  # it says itself what it is
        if kind == "table":
            table = text
        yield Name(text, kind, table)


ROWS = _rows()


def _check(name: Name) -> bool:
    """Check that ``name`` is there; return whether it is something to use: a command, function or key."""
    text = name.text
    if text.startswith("nextset "):
        _check_command(text)
    elif text.startswith("nextset."):
        assert text.removeprefix("nextset.") in nextset.__all__
    elif name.kind == "table":
        assert _is_table(text), text
        return False
    elif name.kind == "column":
        assert name.table, f"{text}: which table?"
        assert f"\n| `{text}` | " in _section(name.table), f"{name.table}.{text}"
        return False
    elif name.kind == "measure":
        assert text in MEASURES, text
        return False
    elif name.kind == "class":
        assert text in CLASSES, text
        return False
    elif name.kind == "training key":
        _check_key(TrainingFile, text)
    elif text.startswith("--"):  # of the earlier code, repeated to say which it is
        return False
    elif "/" in text.split(" ")[0]:
        assert (ROOT / text).exists(), text
    else:
        _check_key(study_file_model(), text)
    return True


def _check_command(line: str) -> None:
    command: Any = get_command(app)
    words = shlex.split(line)[1:]
    while hasattr(command, "commands"):
        assert words[0] in command.commands, line
        command = command.commands[words.pop(0)]
    assert not command.hidden
    given, left, _ = command.make_parser(click.Context(command)).parse_args(list(words))
    assert not left, f"{line}: too many words"
    lacking = [p.name for p in command.params if p.required and given.get(p.name) in (None, ())]
    assert not lacking, f"{line}: {', '.join(lacking)} is missing"


def _is_table(name: str) -> bool:
    listed = [line.split("|")[2] for line in FOLDERS.splitlines() if re.match(r"\| `out/", line)]
    return any(f"`{name}`" in cell for cell in listed)


def _section(table: str) -> str:
    """Return the sections of the reference on the columns of tables called ``table``."""
    found = re.findall(rf"^## [^\n]*table `{table}` of.*?(?=^#|\Z)", TABLES, re.M | re.S)
    assert found, f"the reference has no section on the table {table}"
    return "".join(found)


def _check_key(top: type[BaseModel], written: str) -> None:
    """Check that the settings ``top`` have the key, and take the value after its colon, if there is one."""
    dotted, colon, value = written.partition(": ")
    model: Any = top
    *sections, last = dotted.split(".")
    for name in sections:
        annotation = _mapped(model) if name == "NAME" else _field(model, name, written).annotation
        model = _model_in(annotation)
        assert model is not None, f"{written}: {name} has no keys"
    field = _field(model, last, written)
    if colon:
        TypeAdapter(field.rebuild_annotation()).validate_python(yaml.safe_load(value))


def _field(model: Any, name: str, written: str) -> Any:
    fields = {field.alias or key: field for key, field in getattr(model, "model_fields", {}).items()}
    assert name in fields, f"{written}: {name} is not one of {', '.join(fields)}"
    return fields[name]


def _mapped(model: Any) -> Any:
    return model.values


@dataclass(frozen=True)
class _Mapping:
    values: Any


def _model_in(annotation: Any) -> Any:
    """The settings that ``annotation`` has, in whatever it is wrapped; None if it has none."""
    if get_origin(annotation) is dict:
        return _Mapping(get_args(annotation)[1])
    if get_origin(annotation) in (Union, types.UnionType, tuple):
        return next((found for x in get_args(annotation) if (found := _model_in(x)) is not None), None)
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_everything_that_a_row_names_is_there(row: Row) -> None:
    usable = [_check(name) for name in _names(row.here)]
    assert any(usable), f"{row.there}: no command, function or key"


def test_the_page_has_every_system() -> None:
    assert len(ROWS) > 140
    text = PAGE.read_text(encoding="utf-8")
    for title in ("UnQover", "BBNLI", "BBNLI-next", "Ambiguity", "Interventions"):
        assert f"\n## {title}\n" in text


def test_no_script_or_option_has_two_rows_in_a_section() -> None:
    for section in re.split(r"^#+ ", PAGE.read_text(encoding="utf-8"), flags=re.M):
        first = re.findall(r"^\| ([^|]+) \|", section, re.M)
        assert len(first) == len(set(first))


def test_figures_that_are_named_are_in_the_report() -> None:
    report = (ROOT / "docs" / "how_to" / "report.md").read_text(encoding="utf-8")
    known = " ".join(re.findall(r"^\| ([^|]+) \|", report, re.M))
    named = [
        name
        for row in ROWS
        for found in re.findall(r"figures? ((?:\*[^*]+\*(?:, | and )?)+)", row.here)
        for name in re.findall(r"\*([^*]+)\*", found)
    ]
    assert len(named) > 4
    assert [name for name in named if name not in known] == []


def test_links_lead_to_headings() -> None:
    for page, anchor in re.findall(r"\]\(([\w./]+)(?:#([\w-]+))?\)", PAGE.read_text(encoding="utf-8")):
        headings = re.findall(r"^#+ (.+)$", (PAGE.parent / page).read_text(encoding="utf-8"), re.M)
        if anchor:
            assert anchor in {_slug(heading) for heading in headings}, f"{page}#{anchor}"


def _slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_page_is_short() -> None:
    prose = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if not line.startswith("|")]
    assert len(" ".join(prose).split()) < 1500


@pytest.mark.parametrize(
    "wrong",
    [
        "`nextset scores STUDY`",
        "`nextset score --modle STUDY`",
        "`nextset audit DATASET --model`",
        "`nextset score`",
        "`nextset score STUDY STUDY`",
        "`nextset models evaluate MODEL`",
        "`nextset.nothing`",
        "`filter.modles`",
        "`filter.models.name`",
        "`scoring.precision: float8`",
        "`models.NAME.too_longs`",
        "training key `model_name`",
        "training key `task: translation`",
        "table `nothing`",
        "table `preferences`, column `delta`",
        "measure `pi`",
        "the class `age`",
        "`studies/nothing`",
        "`mu`",
    ],
)
def test_what_is_not_there_is_found(wrong: str) -> None:
    usage_error = typer.BadParameter.__base__
    assert usage_error is not None
    with pytest.raises((AssertionError, usage_error, ValueError)):
        assert [_check(name) for name in _names(wrong)] == []
