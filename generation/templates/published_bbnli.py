"""Reader of the published stereotype files of BBNLI (Akyürek et al. 2022), in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nextset.errors import TemplateError
from nextset.files.foreign_json import ForeignJsonError, parse_foreign_json
from nextset.files.hidden_controls import hidden_control
from nextset.files.yaml_reader import Location, read_text
from nextset.generation.templates.definition_check import check_groups
from nextset.generation.templates.placeholders import GROUPS, PlaceholderError, check, names, render
from nextset.generation.templates.template import Kind, Premise, Statement, Template
from nextset.records.nli_items import Label

__all__ = ["has_published_keys", "read_published_bbnli"]

# The published integers count in the reverse of nextset's order.
_LABELS: tuple[Label, ...] = ("contradiction", "neutral", "entailment")
_SOURCE = "Akyürek et al. 2022, On Measuring Social Biases in Prompt-Based Multi-Task Learning"
_KINDS: dict[str, tuple[Kind, int]] = {
    "bias_{}_stereotypical": ("hypothesis", 3),
    "test_{}": ("test", 2),
}
_KEYS = {*GROUPS, "premise", *(key.format(what) for key in _KINDS for what in ("hypothesis", "question"))}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_TYPES: dict[type, str] = {str: "a text", list: "a list", dict: "an object with keys"}


def read_published_bbnli(path: Path) -> Template:
    """Read one published file; raises TemplateError with file, line and remedy.

    As in the published expansion, the first entry of GROUP1 and GROUP2 is the group, a sentence keeps
    the group's own capitals, and a placeholder that the file does not define is replaced by nothing.
    """
    text = read_text(path, TemplateError)
    try:
        data = parse_foreign_json(text)
    except ForeignJsonError as e:
        raise TemplateError(str(e), file=path, line=e.line, remedy="restore the published file") from None
    if not isinstance(data, dict):
        raise TemplateError(
            "not a published BBNLI file", file=path, remedy="restore the published file: one JSON object"
        )
    reader = _Reader(path, text, data)
    return reader.template()


def has_published_keys(path: Path) -> bool:
    """Return whether a JSON file has a key of the published files, even if the file is damaged."""
    try:
        data = parse_foreign_json(read_text(path, TemplateError))
    except ForeignJsonError:
        return True
    return isinstance(data, dict) and not _KEYS.isdisjoint(data)


class _Reader:
    """The reader of one file, with the line of each text in it."""

    def __init__(self, path: Path, text: str, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data
        self.lines = _lines(text)
        self.words = {k: tuple(self.strings(f"data.{k}", v)) for k, v in self.get("data", dict).items()}

    def template(self) -> Template:
        groups = [self.strings(name, self.get(name, list))[0] for name in GROUPS]
        check_groups((groups[0], groups[1]), self.path, self.line("GROUP2"))
        keys: list[Location] = [("words", name) for name in self.words]
        keys += [("groups", name) for name in GROUPS]
        return Template(
            file=self.path,
            stereotype=self.get("name", str),
            domain=self.get("domain", str),
            language="en",
            source=_SOURCE,
            groups=(groups[0], groups[1]),
            words=self.words,
            premises=tuple(self.premises()),
            statements=tuple(s for key in _KINDS for s in self.statements(key)),
            capitalise=False,
            places={at: (self.path, self.line(str(at[-1]))) for at in keys},
        )

    def premises(self) -> list[Premise]:
        texts = self.strings("premise", self.get("premise", list))
        sources = self.strings("reference", self.get("reference", list))
        if len(texts) != len(sources):
            raise self.error(
                f"premise and reference differ in length ({len(texts)} and {len(sources)})",
                "reference",
                "give each premise one reference",
            )
        return [Premise(self.defined(t), s, self.line(t)) for t, s in zip(texts, sources, strict=True)]

    def statements(self, key: str) -> list[Statement]:
        kind, width = _KINDS[key]
        texts = self.get(key.format("hypothesis"), list)
        questions = self.get(key.format("question"), list)
        if len(texts) != len(questions):
            raise self.error(
                f"{key.format('hypothesis')} and {key.format('question')} differ in length "
                f"({len(texts)} and {len(questions)})",
                key.format("question"),
                "give each hypothesis one question",
            )
        statements = []
        for row, question in zip(texts, questions, strict=True):
            for entry in (row, question):
                if not (isinstance(entry, list) and len(entry) == width and isinstance(entry[0], str)):
                    raise self.error(
                        f"{entry!r} is not a list of {width} values that begins with a text",
                        key.format("hypothesis"),
                        "correct the entry",
                    )
            if type(row[1]) is not int or row[1] not in (0, 1, 2):
                raise self.error(f"label {row[1]!r} is not 0, 1 or 2", row[0], "correct the label")
            label = _LABELS[row[1]]
            statements.append(
                Statement(
                    kind,
                    self.defined(row[0]),
                    self.defined(question[0]),
                    label,
                    self.path,
                    self.line(row[0]),
                    question_line=self.line(question[0]),
                )
            )
        return statements

    def defined(self, text: str) -> str:
        self.shown(text)
        try:
            check(text)
        except PlaceholderError as e:
            raise self.error(
                str(e), text, "write placeholders as {{NAME}}, and use no other braces"
            ) from None
        unknown = names(text) - set(self.words) - set(GROUPS)
        return render(text, dict.fromkeys(unknown, ""), capitalise=False)

    def get(self, key: str, kind: type) -> Any:
        value = self.data.get(key)
        if not isinstance(value, kind):
            raise self.error(
                f"{key!r} is missing or is not {_TYPES[kind]}", key, "restore the published file"
            )
        return self.shown(value) if isinstance(value, str) else value

    def strings(self, key: str, value: object) -> list[str]:
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            raise self.error(
                f"{key!r} must be a list of texts", key.split(".")[-1], "restore the published file"
            )
        return [self.shown(text) for text in value]

    def shown(self, text: str) -> str:
        if (hidden := hidden_control(text)) is not None:
            raise self.error(f"a text contains the control character U+{ord(hidden):04X}", text, "remove it")
        return text

    def line(self, near: str) -> int | None:
        """Return the line of the first text ``near``; None if there is none."""
        return self.lines.get(near)

    def error(self, message: str, near: str, remedy: str) -> TemplateError:
        return TemplateError(message, file=self.path, line=self.line(near), remedy=remedy)


def _lines(text: str) -> Mapping[str, int]:
    """Return the line (from 1) of the first occurrence of each string in the JSON ``text``."""
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for match in _STRING.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        lines.setdefault(json.loads(match[0]) if "\\" in match[0] else match[0][1:-1], line)
    return lines
