"""Reader of nextset's own template files (``format: 1``); docs/formats.md shows one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from nextset.errors import TemplateError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.generation.templates.definition_check import check_defined, check_groups, check_words
from nextset.generation.templates.placeholders import PlaceholderError, check
from nextset.generation.templates.template import Kind, Place, Premise, Statement, Template
from nextset.records.nli_items import Label
from nextset.study.field_types import Language

__all__ = ["MaskedEntry", "places_of", "read_yaml_template", "statements_of"]

Words = dict[str, tuple[str, ...]]


class _Groups(HandWritten):
    GROUP1: str = Field(min_length=1)
    GROUP2: str = Field(min_length=1)


class _PremiseEntry(HandWritten):
    text: str = Field(min_length=1)
    source: str = Field(min_length=1)


class MaskedEntry(HandWritten):
    """A hypothesis or masked hypothesis as its file has it."""

    text: str = Field(min_length=1)
    question: str = ""


class _TestEntry(MaskedEntry):
    label: Label


class _TemplateFile(HandWritten):
    format: Literal[1]
    stereotype: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    language: Language = "en"
    about: str = ""
    source: str = Field(min_length=1)
    groups: _Groups
    words: Words = Field(default_factory=dict)
    premises: tuple[_PremiseEntry, ...] = Field(min_length=1)
    hypotheses: tuple[MaskedEntry, ...] = ()
    masked: tuple[MaskedEntry, ...] = ()
    tests: tuple[_TestEntry, ...] = ()


def statements_of(
    kind: Kind, key: str, entries: tuple[MaskedEntry, ...], file: Path, located: LocatedYaml
) -> list[Statement]:
    """Return the entries under ``key`` as statements of ``kind``; raises TemplateError on a stray brace."""
    statements = []
    for i, entry in enumerate(entries):
        line = located.line((key, i))
        _check(entry.text, file, line)
        _check(entry.question, file, line)
        label = entry.label if isinstance(entry, _TestEntry) else "neutral"
        statements.append(Statement(kind, entry.text, entry.question, label, file, line))
    return statements


def places_of(path: Path, located: LocatedYaml) -> dict[Location, Place]:
    """Return the places of the source, the groups and the word lists in the file ``path``."""
    named = ("source", "groups", "words")
    return {at: (path, line) for at, line in located.lines.items() if at and at[0] in named}


def read_yaml_template(path: Path) -> Template:
    """Read one template file; raises TemplateError with file, line and remedy."""
    written, located = read_model(path, _TemplateFile, TemplateError)
    groups = (written.groups.GROUP1, written.groups.GROUP2)
    check_words(written.groups.model_dump(), written.words, path, located)
    check_groups(groups, path, located.line(("groups", "GROUP2")))
    premises = []
    for i, entry in enumerate(written.premises):
        line = located.line(("premises", i))
        _check(entry.text, path, line)
        premises.append(Premise(entry.text, entry.source, line))
    statements = [
        *statements_of("hypothesis", "hypotheses", written.hypotheses, path, located),
        *statements_of("masked", "masked", written.masked, path, located),
        *statements_of("test", "tests", written.tests, path, located),
    ]
    template = Template(
        file=path,
        stereotype=written.stereotype,
        domain=written.domain,
        language=written.language,
        source=written.source,
        groups=groups,
        words=dict(written.words),
        premises=tuple(premises),
        statements=tuple(statements),
        capitalise=True,
        places=places_of(path, located),
        about=written.about,
    )
    return check_defined(template)


def _check(text: str, file: Path, line: int | None) -> None:
    try:
        check(text)
    except PlaceholderError as e:
        raise TemplateError(
            str(e),
            file=file,
            line=line,
            remedy="write placeholders as {{NAME}}, in capitals, and use no other braces",
        ) from None
