"""The command `import`: your own NLI pairs, or an earlier release, become items of a study."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from nextset.errors import ImportedDataError, examples
from nextset.files.atomic_files import parquet_bytes, write_atomically
from nextset.files.row_files import FileRow
from nextset.folded_names import ascii_name
from nextset.generation.imports.column_names import FileColumns, refuse_misnamed
from nextset.generation.imports.pair_files import rows
from nextset.letter_case import spelling
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.class_labels import is_no_class
from nextset.records.content_ids import item_ids
from nextset.records.nli_items import LABELS, Bindings, NliItem, Stance
from nextset.records.short_repr import short_repr
from nextset.study.imported_models import with_models
from nextset.study.imported_version import check_version_files
from nextset.study.item_tables import imported_ids, with_ids
from nextset.study.study_folder import Study, of_study
from nextset.word_lists.protected_groups import unlike_groups, unlike_people

__all__ = ["COLUMNS", "ImportResult", "ReadPairs", "import_pairs", "read_pairs"]

_STEP = 8192
_READ_BY_MODELS = ("premise", "hypothesis", "question")
"""The columns whose texts keep the blanks around them."""

COLUMNS = {
    "premise": "a fact (required)",
    "hypothesis": "a statement that may follow from it (required)",
    "stereotype": "the stereotype's name (required, here or with --value)",
    "domain": "gender, race, religion, or your own (required, here or with --value)",
    "question": "the hypothesis as a yes/no question",
    "label": "the right label: entailment, neutral or contradiction; default without the column: neutral",
    "stance_design": "pro, anti or test; default without the column: pro",
    "group1": "the group that the hypothesis is about",
    "group2": "the group that takes its place in the counterfactual",
    "language": "language tag; default without the column: the study's",
    "premise_source": "where the fact is published",
}
"""The columns of pairs that are read. Others are ignored, unless their names resemble one of these."""


_CLASSES = ("label", "stance_design", "domain", "stereotype", "language", "group1", "group2")
"""The columns with one of few values. If the file has such a column, a row without a value is refused, except
that a row may lack both groups."""
_SAME_GROUPS = "write the hypothesis as a question about the same groups, or leave the question empty"
_OF_TEXTS = ("label", "domain", "bindings")
"""The columns in which rows with the same texts cannot differ."""
_REMOVE = "correct or remove the row"
_KNOWN = {"label": LABELS, "stance_design": get_args(Stance)}
"""The values of the columns with a fixed choice."""


@short_repr
@dataclass(frozen=True)
class ImportResult:
    """The file that an import wrote, and its counts."""

    file: Path
    """The Parquet file in the study's folder imported/."""
    items: int
    """The number of items in the file."""
    merged: int
    """The number of rows that had the same text as an earlier row."""
    ignored: tuple[str, ...]
    """The columns of the imported file that were not read."""
    replaced: int = 0
    """The number of items of an earlier import to the same file that this import does not have."""
    unnamed: tuple[int, ...] = ()
    """The lines of the rows with groups whose hypothesis names neither group by its own word."""


@dataclass(frozen=True)
class ReadPairs:
    """The pairs of a file."""

    table: pa.Table
    """NLI items, without ids."""
    ignored: tuple[str, ...]
    """The columns of the file that were not read."""
    unnamed: tuple[int, ...] = ()
    """The lines of `ImportResult.unnamed`."""


@of_study
def import_pairs(
    study: Study,
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    defaults: Mapping[str, str] | None = None,
) -> ImportResult:
    """Import the pairs of ``path`` (CSV, TSV, JSONL or Parquet) into ``study``: all of them, or none.

    ``columns`` maps nextset's names (`COLUMNS`) to those of the file; ``defaults`` gives a column one value
    for all rows that have none. A file with all columns of an earlier release keeps them. Raises
    ImportedDataError for a wrong file (docs/reference/files.md#pairs-for-nextset-import), and for a default
    that no row needs.
    """
    path = Path(path)
    check_version_files(path)
    read = read_pairs(path, columns or {}, defaults or {}, study.settings.language)
    _refuse_contradictions(path, read.table)
    items = with_ids(read.table)
    name = ascii_name(path.name if path.is_dir() else path.stem, "_").strip(".") or "pairs"
    target = study.imported / f"{name}.parquet"
    with study.held("import"):
        earlier = imported_ids(target)
        write_atomically(target, parquet_bytes(with_models(items, path)))
    merged, lost = read.table.num_rows - items.num_rows, len(earlier.difference(items["id"].to_pylist()))
    return ImportResult(target, items.num_rows, merged, read.ignored, lost, read.unnamed)


def read_pairs(
    path: Path, columns: Mapping[str, str], defaults: Mapping[str, str], language: str
) -> ReadPairs:
    """Return the pairs of ``path``; raises ImportedDataError.

    ``language`` is the default language of rows.
    """
    unknown = sorted((set(columns) | set(defaults)) - set(COLUMNS))
    if unknown:
        raise ImportedDataError(f"unknown column {unknown[0]!r}", remedy=f"use one of {', '.join(COLUMNS)}")
    there = FileColumns.of(rows(path))
    if not there.first:
        raise ImportedDataError("the file has no rows", file=path, remedy="add at least one pair")
    released = arrow_schema(NliItem).names
    if there.first.issuperset(released):
        _refuse_unused(path, (*columns, *defaults), "the file is an earlier release, which keeps its columns")
        tables = (_release(path, part) for part in _in_steps(rows(path)))
        return ReadPairs(pa.concat_tables(tables), there.without(released))
    names = {name: columns.get(name, name) for name in COLUMNS}
    ignored = there.without(names.values())
    wanted = [name for name in COLUMNS if name not in {*there.lines, *columns, *defaults}]
    refuse_misnamed(path, there, ignored, wanted)
    filled = [name for name in defaults if names[name] in there.complete]
    _refuse_unused(path, filled, "every row has its own value")
    usual = {"label": "neutral", "stance_design": "pro", "language": language}
    defaults = {**{name: text for name, text in usual.items() if names[name] not in there.lines}, **defaults}
    spelt, unnamed = dict[tuple[str, str], str](), list[int]()
    tables = (
        table_of((_item(_Fields(path, *row, names, defaults, spelt), unnamed) for row in part), NliItem)
        for part in _in_steps(rows(path))
    )
    table = pa.concat_tables(tables)
    return ReadPairs(table, ignored, tuple(unnamed))


def _in_steps(found: Iterator[FileRow]) -> Iterator[list[FileRow]]:
    """Yield ``found`` in parts, so that not all rows are in memory as Python objects at once."""
    while part := list(itertools.islice(found, _STEP)):
        yield part


def _refuse_contradictions(path: Path, items: pa.Table) -> None:
    """Raise ImportedDataError for a row that repeats the texts of an earlier one with another value."""
    values = items.select(_OF_TEXTS).to_pylist()
    for row in values:  # the published expansion has some texts for both orders of the groups
        row["bindings"] = row["bindings"] and {row["bindings"]["group1"], row["bindings"]["group2"]}
    first: dict[str, int] = {}
    for i, item_id in enumerate(item_ids(items)):
        before = first.setdefault(item_id, i)
        for name in _OF_TEXTS:
            if values[before][name] != values[i][name]:
                lines = [line for line, _ in itertools.islice(rows(path), i + 1)]
                raise ImportedDataError(
                    f"the pair of row {lines[before]:,} again, with another value of {name}",
                    file=path,
                    line=lines[i],
                    remedy="remove one of the two rows, or correct it",
                )


def _refuse_unused(path: Path, names: Collection[str], why: str) -> None:
    """Raise ImportedDataError if the command gives ``names`` that the import would ignore."""
    for name in names:
        raise ImportedDataError(
            f"the options for {name} would have no effect: {why}",
            file=path,
            remedy=f"remove --value {name}=… and --column {name}=… from the command, or change the file",
        )


@dataclass(frozen=True)
class _Fields:
    """A row, read by nextset's names for its columns."""

    path: Path
    line: int
    row: Mapping[str, Any]
    names: Mapping[str, str]
    defaults: Mapping[str, str]
    spelt: dict[tuple[str, str], str]
    """The first spelling of each domain and stereotype, by column and `spelling`."""

    def get(self, name: str) -> str | None:
        """Return the text of a column, else its default, else None; a text of blanks is missing."""
        value = self.row.get(self.names[name])
        value = self.defaults.get(name) if value is None or value == "" else value
        if name in _CLASSES and value and is_no_class(value):
            raise self.error(
                f"{self.names[name]} is {str(value).strip()!r}, which says that the row has none", _REMOVE
            )
        if value is not None and (not isinstance(value, str) or "\0" in value):
            remedy = f"use one of {', '.join(_KNOWN[name])}" if name in _KNOWN else "write the value as text"
            raise self.error(f"{self.names[name]} is not a text: {value!r}", remedy)
        if value is None or not value.strip():
            return None
        return value if name in _READ_BY_MODELS else value.strip()

    def required(self, name: str) -> str:
        """Return the text of a column; raises ImportedDataError if there is none."""
        value = self.get(name)
        if value is None:
            column = self.names[name]
            if column in self.row and name in _CLASSES:
                remedy = f"{_REMOVE}, or give such rows a value with --value {name}=…"
                raise self.error(f"{column} is empty", remedy)
            if column in self.row:
                raise self.error(f"{column} is missing in this row: the cell is blank", _REMOVE)
            if column != name:
                raise self.error(f"there is no column {column!r}", f"use one of {examples(self.row, 12)}")
            remedy = f"add a column {name}, or name yours with --column {name}=YOURS"
            raise self.error(f"{name} is missing", remedy)
        return value

    def one_of(self, name: str) -> Any:
        """Return the value of a column with a fixed choice, in upper or lower case."""
        value = self.required(name).lower()
        if value not in _KNOWN[name]:
            raise self.error(f"{name} is {value!r}", f"use one of {', '.join(_KNOWN[name])}")
        return value

    def in_one_spelling(self, name: str) -> str:
        """Return the text of a column; raises ImportedDataError if an earlier row spells it differently."""
        value = self.required(name)
        before = self.spelt.setdefault((name, spelling(value)), value)
        if value != before:
            raise self.error(f"{name} is {value!r}, and {before!r} in an earlier row", "use one spelling")
        return value

    def bindings(self) -> Bindings | None:
        """Return the two groups; None if the row has none."""
        group1, group2 = self.get("group1"), self.get("group2")
        if (group1 is None) != (group2 is None):
            raise self.error("only one of group1 and group2 is given", "give both, or neither")
        if group1 and group2 and spelling(group1) == spelling(group2):
            raise self.error(
                f"group1 and group2 are both {group2!r}, so the item would not differ from its counterpart",
                "write two different groups, or neither",
            )
        return Bindings(group1, group2) if group1 and group2 else None

    def error(self, message: str, remedy: str) -> ImportedDataError:
        """Return an error at this row."""
        return ImportedDataError(message, file=self.path, line=self.line, remedy=remedy)


def _item(fields: _Fields, unnamed: list[int]) -> NliItem:
    """Return the row as an item; its line is added to ``unnamed`` if the hypothesis has neither group."""
    bindings = fields.bindings()
    premise, hypothesis = fields.required("premise"), fields.required("hypothesis")
    named = (bindings.group1.lower(), bindings.group2.lower()) if bindings else ()
    question, language = fields.get("question") or "", fields.required("language")
    _check_question(fields, hypothesis, question, language, named)
    if named and not re.search(rf"(?<![a-z])(?:{'|'.join(map(re.escape, named))})", hypothesis.lower()):
        unnamed.append(fields.line)
    return NliItem(
        id="",
        language=language,
        domain=fields.in_one_spelling("domain"),
        stereotype=fields.in_one_spelling("stereotype"),
        template_id=None,
        premise=premise,
        hypothesis=hypothesis,
        question=question,
        label=fields.one_of("label"),
        stance_design=fields.one_of("stance_design"),
        bindings=bindings,
        premise_swapped=False,
        names_group=any(group in f"{premise} {hypothesis}".lower() for group in named),
        set_id=None,
        parent_id=None,
        supersedes=None,
        premise_source=fields.get("premise_source"),
    )


def _check_question(
    fields: _Fields, hypothesis: str, question: str, language: str, named: tuple[str, ...]
) -> None:
    """Raise ImportedDataError if the question names only other groups than the hypothesis."""
    other = unlike_groups(language, question, hypothesis, named) if question else []
    if other and unlike_groups(language, hypothesis, question, named):
        raise fields.error(
            f"the question names {other[0]!r}, and the hypothesis does not: {question[:80]!r}",
            _SAME_GROUPS,
        )
    if question and (words := unlike_people(language, hypothesis, question)):
        raise fields.error(
            f"the question is about {words[1]!r} people, and the hypothesis about {words[0]!r} people: "
            f"{question[:80]!r}",
            _SAME_GROUPS,
        )


def _release(path: Path, found: list[FileRow]) -> pa.Table:
    schema = arrow_schema(NliItem)
    for line, row in found:
        _check_released(path, line, row)
    values = [{name: row.get(name) for name in schema.names} for _, row in found]
    try:
        return pa.Table.from_pylist(values, schema=schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        for (line, _), row in zip(found, values, strict=True):
            for field in schema:
                _check_type(path, line, row[field.name], field)
        raise


def _check_type(path: Path, line: int, value: Any, field: pa.Field) -> None:
    """Raise ImportedDataError unless ``value`` is of the type of ``field``."""
    try:
        pa.array([value], field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        message = f"{field.name} has a value of the wrong type: {value!r:.60}"
        raise ImportedDataError(message, file=path, line=line, remedy=_AS_PUBLISHED) from None


_AS_PUBLISHED = "import the release's Parquet file as it was published"


def _check_released(path: Path, line: int, row: Mapping[str, Any]) -> None:
    """Raise ImportedDataError if a required value is null, even within a column, or if a name is unknown."""
    for field in arrow_schema(NliItem):
        if missing := _missing(row.get(field.name), field, field.name):
            raise ImportedDataError(f"{missing} is missing", file=path, line=line, remedy=_AS_PUBLISHED)
    for name in _CLASSES[:5]:
        if is_no_class(row[name]):
            message = f"{name} is {row[name]!r}, so the row has none"
            raise ImportedDataError(message, file=path, line=line, remedy=_AS_PUBLISHED)
    for name, known in _KNOWN.items():
        if row[name] not in known:
            message = f"{name} is {row[name]!r}, not one of {', '.join(known)}"
            raise ImportedDataError(message, file=path, line=line, remedy=_AS_PUBLISHED)


def _missing(value: Any, field: pa.Field, name: str) -> str | None:
    """Return the name of the first required value that is null: ``name``, or a name within it; else None."""
    if value is None:
        return None if field.nullable else name
    if pa.types.is_struct(field.type) and isinstance(value, dict):
        inside = ((value.get(part.name), part, f"{name}.{part.name}") for part in field.type)
    elif pa.types.is_list(field.type) and isinstance(value, list):
        inside = ((entry, field.type.value_field, name) for entry in value)
    else:
        return None
    return next(filter(None, (_missing(*part) for part in inside)), None)
