"""Reader of nextset's own template files (``format: 1``); docs/reference/files.md shows one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from nextset.errors import TemplateError
from nextset.files.yaml_model import HandWritten, Prose, read_model
from nextset.files.yaml_reader import LocatedYaml, Location
from nextset.files.yaml_values import WrongValue
from nextset.generation.sound_rules.rule_names import RuleName
from nextset.generation.templates.definition_check import (
    check_defined,
    check_groups,
    check_lists,
    check_words,
    filled_sentences,
)
from nextset.generation.templates.group_contrasts import (
    Contrast,
    CrossedGroups,
    NamedGroups,
    compared,
    contrasts_of,
    crossed_contrasts,
)
from nextset.generation.templates.placeholders import PlaceholderError, check, plain_masks
from nextset.generation.templates.template import Kind, Place, Premise, Statement, Template
from nextset.records.nli_items import Label
from nextset.study.field_types import Language
from nextset.study.mask_constraint import parse_constraint, parse_form
from nextset.study.stereotype_sentences import StereotypeSentences

__all__ = ["MaskedEntry", "places_of", "read_yaml_template", "statements_of"]

Words = dict[str, tuple[str, ...]]
T = TypeVar("T")


class _PremiseEntry(HandWritten):
    text: str = Field(min_length=1)
    source: Prose = Field(min_length=1)


class MaskedEntry(HandWritten):
    """A hypothesis or masked hypothesis as it is written in its file."""

    text: str = Field(min_length=1)
    question: str = ""


class _TestEntry(MaskedEntry):
    label: Label


class _TemplateFile(HandWritten):
    format: Literal[1]
    stereotype: str = Field(min_length=1)
    sentences: StereotypeSentences | None = None
    domain: str = Field(min_length=1)
    language: Language = "en"
    about: Prose = ""
    rules: tuple[RuleName, ...] = ()
    source: Prose = Field(min_length=1)
    groups: NamedGroups | None = None
    crossed: CrossedGroups | None = None
    words: Words = Field(default_factory=dict)
    lists: Words = Field(default_factory=dict)
    premises: tuple[_PremiseEntry, ...] = Field(min_length=1)
    hypotheses: tuple[MaskedEntry, ...] = ()
    masked: tuple[MaskedEntry, ...] = ()
    tests: tuple[_TestEntry, ...] = ()


def statements_of(
    kind: Kind, key: str, entries: tuple[MaskedEntry, ...], file: Path, located: LocatedYaml
) -> list[Statement]:
    """Return the entries under ``key`` as statements of ``kind``.

    Raises TemplateError for a stray brace, and if the text at a mask is not a constraint or a form.
    """
    statements = []
    for i, entry in enumerate(entries):
        line, question_line = (located.line((key, i, name)) for name in ("text", "question"))
        text, constraints = _read(entry.text, parse_constraint, file, line)
        question, forms = _read(entry.question, parse_form, file, question_line)
        forms = forms if question else ("",) * len(constraints)
        label = entry.label if isinstance(entry, _TestEntry) else "neutral"
        statements.append(
            Statement(kind, text, question, label, file, line, constraints, forms, question_line)
        )
    return statements


def places_of(path: Path, located: LocatedYaml) -> dict[Location, Place]:
    """Return the places of the stereotype, domain, source, the groups and the words in the file ``path``."""
    named = ("stereotype", "domain", "sentences", "source", "groups", "crossed", "words", "lists")
    return {at: (path, line) for at, line in located.lines.items() if at and at[0] in named}


def read_yaml_template(path: Path) -> Template:
    """Read one template file; raises TemplateError with file, line and remedy."""
    written, located = read_model(path, _TemplateFile, TemplateError)
    contrasts = _contrasts(written, path, located)
    check_lists(written.lists, path, located)
    premises = []
    for i, entry in enumerate(written.premises):
        line = located.line(("premises", i, "text"))
        text, _ = _read(entry.text, parse_constraint, path, line)
        premises.append(Premise(text, entry.source, line))
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
        groups=contrasts[0],
        words=dict(written.words),
        premises=tuple(premises),
        statements=tuple(statements),
        capitalise=True,
        lists=dict(written.lists),
        places=places_of(path, located),
        about=written.about,
        rules=written.rules,
        every_group=compared(contrasts) if len(contrasts) > 1 else (),
        contrasts=contrasts if len(contrasts) > 1 else (),
    )
    return check_defined(filled_sentences(template, written.sentences, path, located))


def _contrasts(written: _TemplateFile, path: Path, located: LocatedYaml) -> tuple[Contrast, ...]:
    """Return the pairs of groups that a file compares; raises TemplateError."""
    if (written.groups is None) == (written.crossed is None):
        raise TemplateError(
            "'groups' is missing" if written.groups is None else "there are both groups and crossed",
            file=path,
            line=located.line(("crossed",)),
            remedy="write groups: {GROUP1: …, GROUP2: …}, or crossed: {attributes: …, text: …}",
        )
    if written.crossed is not None:
        check_words({}, written.words, path, located)
        return crossed_contrasts(written.crossed, path, located.line(("crossed",)))
    assert written.groups is not None
    named = written.groups.named
    check_words(named, written.words, path, located)
    for one, other in itertools.combinations(named, 2):
        check_groups((named[one], named[other]), path, located.line(("groups", other)), (one, other))
    return contrasts_of(tuple(named.values()))


def _read(text: str, parse: Callable[[str], T], file: Path, line: int | None) -> tuple[str, tuple[T, ...]]:
    """Return ``text`` with plain masks, and the results of ``parse`` for the texts after their colons."""
    plain, written = plain_masks(text)
    try:
        check(plain)
        if "" in written:
            raise WrongValue("a mask has nothing after its colon", "write {{MASK}} or {{MASK:adj}}")
        return plain, tuple(parse(each or "") for each in written)
    except PlaceholderError as e:
        remedy = "use braces only for placeholders, as in {{NAME}}, in capitals, and for {{MASK:adj}}"
        raise TemplateError(str(e), file=file, line=line, remedy=remedy) from None
    except WrongValue as e:
        raise TemplateError(str(e), file=file, line=line, remedy=e.remedy) from None
