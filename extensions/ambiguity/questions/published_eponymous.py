"""The questions of Mao et al. (2021): JSON lines with name, question, context, options and id.

They are read as published, mistakes included: people whom the context does not mention or mentions by a
different name, questions with one answer, several questions about one item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nextset.errors import ImportedDataError, examples
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.files.hidden_controls import hidden_control, without_hidden_controls
from nextset.files.similar_column import similar_column
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["is_published_row", "published_questions"]

LANGUAGE = "en"
_TEXTS = ("name", "question", "context")
_LAYOUT = (
    'write {"name": "ITEM", "question": "…", "context": "…", "options": [{"gender": "female", "name": "…"}, '
    '…], "id": 1}, one object per line'
)


def is_published_row(row: Mapping[str, Any]) -> bool:
    """Return whether ``row`` of a JSON lines file has the layout of the published questions."""
    return "options" in row


def published_questions(
    file: Path, origin: str, rows: Iterable[tuple[int, Mapping[str, Any]]], attribute: str
) -> tuple[SourceQuestion, ...]:
    """Return the questions of ``rows``, which have their lines, in English.

    A control character becomes a space, and overrides of the direction are removed. Raises ImportedDataError
    with file and line for a row with a different layout, for an id or a name that is repeated, for an id with
    a control character, and if no person in the file has ``attribute``.
    """
    questions: list[SourceQuestion] = []
    lines: dict[str, int] = {}
    attributes: dict[str, None] = {}
    for line, row in rows:
        name, question, context = (_text(file, line, row, key) for key in _TEXTS)
        key = _key(file, line, row.get("id"))
        if key in lines:
            raise _error(file, line, f"line {lines[key]} also has the id {key}", "change one of the two")
        lines[key] = line
        people = tuple(_people(file, line, row.get("options")))
        for person in people:
            attributes.update(dict.fromkeys(person.attributes))
        questions.append(SourceQuestion(LANGUAGE, name, question, context, origin, key, people, file, line))
    if attribute not in attributes:
        near = similar_column(attribute, tuple(attributes))
        known = f"use one of {examples(attributes, 12)}" if attributes else _LAYOUT
        raise ImportedDataError(
            f"no option has the attribute {attribute!r}, which ambiguity.selectional compares",
            file=file,
            remedy=f"did you mean group: {near}?" if near else f"group: {known}",
        )
    return tuple(questions)


def _people(file: Path, line: int, options: Any) -> Iterable[SourcePerson]:
    if not isinstance(options, list) or not options:
        raise _error(file, line, "options is not a list of right answers", _LAYOUT)
    seen: set[str] = set()
    for option in options:
        if not isinstance(option, dict):
            raise _error(file, line, f"an option is not an object: {str(option)[:60]}", _LAYOUT)
        name = _text(file, line, option, "name")
        if name in seen:
            raise _error(file, line, f"the name {name!r} is repeated", "write each person once")
        seen.add(name)
        attributes: dict[str, str] = {}
        for key, value in option.items():
            if value is not None and not isinstance(value, str):
                raise _error(file, line, f"{key[:40]} of {name!r} is not a text: {str(value)[:60]}", _LAYOUT)
            if key != "name":
                attributes[key] = without_hidden_controls(value or "").strip() or UNKNOWN
        yield SourcePerson(name, attributes)


def _text(file: Path, line: int, row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    text = without_hidden_controls(value) if isinstance(value, str) and "\0" not in value else ""
    if not text.strip():
        problem = f"{key} is missing" if value is None or value == "" else f"{key} is not a text"
        raise _error(file, line, problem, _LAYOUT)
    return text


def _key(file: Path, line: int, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise _error(file, line, "id is missing, or neither a whole number nor a text", _LAYOUT)
    if (hidden := hidden_control(str(value))) is not None:
        raise _error(file, line, f"id contains the control character U+{ord(hidden):04X}", "remove it")
    return str(value)


def _error(file: Path, line: int, message: str, remedy: str) -> ImportedDataError:
    return ImportedDataError(message, file=file, line=line, remedy=remedy)
