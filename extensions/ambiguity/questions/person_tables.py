"""Your own tables: one row per person who is a right answer, with item, context, name and group."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nextset.errors import ImportedDataError, examples
from nextset.extensions.ambiguity.person_mentions import MentionRules, mention_rules
from nextset.extensions.ambiguity.questions.person_names import name_key, name_parts
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson, SourceQuestion
from nextset.files.hidden_controls import hidden_control, without_hidden_controls
from nextset.files.row_files import FileRow, columns_line
from nextset.files.similar_column import similar_column
from nextset.records.class_labels import is_no_class
from nextset.word_lists.group_labels import UNKNOWN

__all__ = ["table_questions"]

_REQUIRED = ("item", "context", "name")
_OPTIONAL = ("question", "key", "language", "family", "aliases")
_USUAL = {
    "law": "item",
    "topic": "item",
    "text": "context",
    "passage": "context",
    "person": "name",
    "answer": "name",
    "lang": "language",
    "surname": "family",
    "lastname": "family",
    "familyname": "family",
    "alias": "aliases",
}
"""The column names of other tables, in lower case without separators, and nextset's names for them."""


_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*")


@dataclass
class _Group:
    """The rows of one question."""

    line: int
    texts: Mapping[str, str]
    people: dict[str, SourcePerson] = field(default_factory=dict)


def table_questions(
    file: Path, origin: str, rows: Iterator[FileRow], attribute: str, language: str
) -> tuple[SourceQuestion, ...]:
    """Return the questions of ``rows``, which have their lines; rows of a question may be in any order.

    Rows with the same item, context, question, key and language are one question; white space is ignored. A
    control character becomes a space, and overrides of the direction are removed. The compared attribute is
    the column ``attribute``, else the column group. Raises ImportedDataError with file and line.
    """
    groups: dict[tuple[str, ...], _Group] = {}
    keys: dict[str, tuple[tuple[str, ...], int]] = {}
    for line, row in rows:
        at = _Row(file, line, row)
        at.check_columns(attribute)
        texts = at.texts(language)
        place = tuple(" ".join(text.split()) for text in texts.values())
        group = groups.setdefault(place, _Group(line, texts))
        person = at.person(attribute, texts["language"])
        if name_key(person.name) in group.people:
            raise at.error(
                f"the name {person.name!r} is repeated for {texts['item']!r}", "write each person once"
            )
        group.people[name_key(person.name)] = person
        if key := texts["key"]:
            earlier, first = keys.setdefault(key, (place, line))
            if earlier != place:
                raise at.error(
                    f"the question in line {first} also has the key {key!r}",
                    "give each question one key",
                )
    return tuple(
        SourceQuestion(
            group.texts["language"],
            group.texts["item"],
            group.texts["question"],
            group.texts["context"],
            origin,
            group.texts["key"] or _free_key(number, keys),
            tuple(group.people.values()),
            file,
            group.line,
        )
        for number, group in enumerate(groups.values(), 1)
    )


def _free_key(number: int, keys: Mapping[str, object]) -> str:
    key = str(number)
    while key in keys:
        key += "-"
    return key


@dataclass(frozen=True)
class _Row:
    file: Path
    line: int
    row: Mapping[str, Any]

    def error(self, message: str, remedy: str, line: int | None = None) -> ImportedDataError:
        return ImportedDataError(message, file=self.file, line=line or self.line, remedy=remedy)

    def check_columns(self, attribute: str) -> None:
        """Raise ImportedDataError for a missing column, and for one that looks like one of nextset's."""
        header = columns_line(self.file, self.line)
        wanted = [name for name in (*_REQUIRED, *_OPTIONAL, attribute, "group") if name not in self.row]
        for name in self.row:
            if name in (*_REQUIRED, *_OPTIONAL, attribute, "group"):
                continue
            ours = similar_column(name, wanted, _USUAL)
            if ours is not None and (ours != "group" or attribute not in self.row):
                raise self.error(
                    f"the column {name!r} is not one of nextset's, but looks like {ours}",
                    f"rename the column to {ours} (or to something else if it is an attribute)",
                    header,
                )
        for name in _REQUIRED:
            if name not in self.row:
                raise self.error(
                    f"there is no column {name!r}",
                    f"write the columns item, context, name and {attribute}, one row per person; the file "
                    f"has {examples(self.row, 12)}",
                    header,
                )
        if attribute not in self.row and "group" not in self.row:
            raise self.error(
                f"there is no column {attribute!r}, which ambiguity.selectional compares",
                f"name the column {attribute} or group, or write ambiguity.selectional.group: COLUMN",
                header,
            )

    def texts(self, language: str) -> dict[str, str]:
        """Return the texts that are the same in all rows of a question."""
        item, context = (self._text(name) for name in _REQUIRED[:2])
        language = self._text("language", required=False) or language
        if not _LANGUAGE.fullmatch(language):
            raise self.error(f"{language[:40]!r} is not a language tag", "write a language tag, such as en")
        question = self._text("question", required=False)
        if not question:
            rules = mention_rules(language)
            if rules is None or not rules.question:
                raise self.error(
                    f"the question is missing, and nextset has no default question in {language!r}",
                    "add a column question",
                )
            question = rules.question.format(item=item)
        key = self._text("key", required=False)
        return {"item": item, "context": context, "question": question, "key": key, "language": language}

    def person(self, attribute: str, language: str) -> SourcePerson:
        """Return the person of the row."""
        name, family = self._text("name").strip(), self._text("family", required=False)
        if name_parts(name, family, mention_rules(language) or MentionRules()) is None:
            raise self.error(
                f"{name!r} does not begin or end with its family name {family!r}"
                if family
                else f"{name!r} is not a name",
                "write the family name as it is in the name",
            )
        own = {n: self._value(n) for n in self.row if n not in (*_REQUIRED, *_OPTIONAL)}
        if attribute not in own:
            own = {attribute: own.pop("group"), **own}
        attributes = {n: value or UNKNOWN for n, value in own.items()}
        return SourcePerson(name, attributes, family, self._aliases(), self.line)

    def _text(self, name: str, *, required: bool = True) -> str:
        value = self.row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and name == "key":
            value = str(value)
        if value is not None and (not isinstance(value, str) or "\0" in value):
            raise self.error(f"{name} is not a text: {str(value)[:60]!r}", "write the value as text")
        text = self._shown(name, value or "")
        text = text if text.strip() else ""
        if required and not text:
            raise self.error(f"{name} is empty", f"write the {name}")
        return text if name in ("context", "question") else text.strip()

    def _shown(self, name: str, text: str) -> str:
        """Return ``text`` without invisible characters; raises ImportedDataError for a key that has any."""
        if name == "key" and (hidden := hidden_control(text)) is not None:
            raise self.error(f"{name} contains the control character U+{ord(hidden):04X}", "remove it")
        return without_hidden_controls(text)

    def _value(self, name: str) -> str:
        value = self.row[name]
        if value is None:
            return ""
        finite = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        if not finite or "\0" in str(value):
            raise self.error(f"{name} is not a text: {str(value)[:60]!r}", "write the value as text")
        if value != "" and is_no_class(value):
            raise self.error(
                f"{name} is {str(value)!r}, which is not a group", "leave the cell empty if it is not known"
            )
        return self._shown(name, str(value)).strip()

    def _aliases(self) -> tuple[str, ...]:
        value = self.row.get("aliases")
        listed = value.split("|") if isinstance(value, str) else value or []
        if not isinstance(listed, list) or not all(isinstance(alias, str) for alias in listed):
            raise self.error("aliases is neither a list of names nor names separated by |", "write A|B")
        shown = (self._shown("aliases", alias).strip() for alias in listed)
        return tuple(dict.fromkeys(alias for alias in shown if alias))
