"""Reads a language pack: pack.yaml, subjects/, attributes/, templates/ (docs/language_packs.md shows one)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from generation.questions.resolve import Written, check_subjects, resolve
from generation.questions.sets import Attribute, Pairing, QuestionSet, SetTemplate, Subject
from generation.questions.slots import Features, SlotError, features
from generation.questions.sounds import RULES
from nextset.errors import WordListError
from nextset.located_yaml import HandWritten, LocatedYaml, Location, read_model

__all__ = ["Pack", "is_pack", "read_pack"]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Text = Annotated[str, Field(min_length=1)]


class _Class(HandWritten):
    subjects: tuple[Name, ...] = Field(min_length=1)
    pairs: Pairing


class _PackFile(HandWritten):
    format: Literal[1]
    language: str = Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
    direction: Literal["ltr", "rtl"] = "ltr"
    join: Literal[" ", ""] = " "
    checked_by: str = ""
    rules: tuple[Literal["a-an"], ...] = ()
    prefixes: dict[Name, Text] = Field(default_factory=dict)
    classes: dict[Name, _Class] = Field(min_length=1)


class _Subject(HandWritten):
    forms: dict[str, Text] = Field(default_factory=dict)
    cluster: str = ""
    gender: str = Field(default="", pattern=r"^[a-z]*$")


class _SubjectsFile(HandWritten):
    format: Literal[1]
    about: str = ""
    subjects: dict[str, _Subject] = Field(min_length=1)


class _Attribute(HandWritten):
    kind: Name
    cluster: str = ""
    source: Text
    forms: dict[str, Text] = Field(min_length=2)


class _AttributesFile(HandWritten):
    format: Literal[1]
    about: str = ""
    attributes: dict[Name, _Attribute] = Field(min_length=1)


class _Question(HandWritten):
    takes: Name
    context: Text
    question: Text
    negated: Text


class _Statement(HandWritten):
    takes: Name
    context: Text
    statement: Text
    negated: Text


class _TemplatesFile(HandWritten):
    format: Literal[1]
    class_: Name = Field(alias="class")
    templates: dict[Name, _Question] = Field(default_factory=dict)
    statements: dict[Name, _Statement] = Field(default_factory=dict)


@dataclass(frozen=True)
class Pack:
    """What a folder of word lists holds."""

    language: str
    """BCP 47 tag."""
    checked_by: str
    """Who checked it as a native speaker; empty: nobody."""
    sets: tuple[QuestionSet, ...]
    """Its classes, as questions and as statements."""
    files: tuple[Path, ...]
    """Every file that was read."""


def is_pack(folder: Path) -> bool:
    """Whether ``folder`` holds a language pack."""
    return (folder / "pack.yaml").is_file()


def read_pack(folder: Path, prefix: str = "") -> Pack:
    """Read the pack in ``folder``; ``prefix`` names one of its prefixes.

    Raises WordListError with file, line and remedy; nothing is read in half.
    """
    head_file = folder / "pack.yaml"
    head, located = read_model(head_file, _PackFile, WordListError)
    if prefix and prefix not in head.prefixes:
        known = ", ".join(head.prefixes) or "none"
        raise WordListError(f"there is no prefix {prefix!r}", file=head_file, remedy=f"known here: {known}")
    start = _nfc(head.prefixes[prefix], head_file, located.line(("prefixes", prefix))) if prefix else ""
    attributes, attribute_files = _attributes(folder)
    templates = _templates(folder, head, head_file)
    files = [head_file, *attribute_files, *templates]
    rules = tuple(RULES[name] for name in head.rules)
    sets = []
    for name, written in head.classes.items():
        lists = []
        for listed in written.subjects:
            file = folder / "subjects" / f"{listed}.yaml"
            lists.append((file, _subjects(file)))
        check_subjects(lists, written.pairs)
        files += [file for file, _ in lists]
        subjects = tuple(tuple(s) for _, s in lists)
        of_class = [(f, t, at) for f, (t, at) in templates.items() if t.class_ == name]
        for form in ("question", "statement"):
            found: list[SetTemplate] = []
            by_kind = {kind: found_ for kind, (_, found_) in attributes.items()}
            for template in (w for f, t, at in of_class for w in _written(f, t, at, form)):
                of_kind = attributes.get(template.takes, (head_file, []))[0]
                found += resolve(template, subjects, by_kind, rules, of_kind)
            if found:
                joined = start + head.join if start else ""
                sets.append(
                    QuestionSet(
                        of_class[0][0], head.language, name, form, subjects, written.pairs,
                        tuple(found), rules, joined,
                    )
                )  # fmt: skip
        if not of_class:
            raise WordListError(
                f"the class {name!r} has no templates",
                file=head_file,
                line=located.line(("classes", name)),
                remedy=f"write templates/{name}.yaml, or leave the class out",
            )
    return Pack(head.language, head.checked_by, tuple(sets), tuple(dict.fromkeys(files)))


def _below(folder: Path, what: str) -> list[Path]:
    found = sorted((folder / what).glob("*.yaml"))
    if not found:
        raise WordListError(f"no {what}/*.yaml", file=folder, remedy="see docs/language_packs.md for a pack")
    return found


def _attributes(folder: Path) -> tuple[dict[str, tuple[Path, list[Attribute]]], list[Path]]:
    """Attributes by kind, each kind with the file that holds it, and the files."""
    by_kind: dict[str, tuple[Path, list[Attribute]]] = {}
    seen: dict[str, Path] = {}
    files = _below(folder, "attributes")
    for file in files:
        written, located = read_model(file, _AttributesFile, WordListError)
        for name, a in written.attributes.items():
            line = located.line(("attributes", name))
            if name in seen:
                raise WordListError(
                    f"the attribute {name!r} stands in {seen[name].name} too",
                    file=file, line=line, remedy="keep one",
                )  # fmt: skip
            seen[name] = file
            forms = _forms(a.forms, file, located, ("attributes", name, "forms"))
            if frozenset() not in forms or frozenset({"neg"}) not in forms:
                raise WordListError(
                    f"{name!r} has no negation" if frozenset() in forms else f"{name!r} has no base form",
                    file=file,
                    line=line,
                    remedy='list the forms "" and neg',
                )
            at, listed = by_kind.setdefault(a.kind, (file, []))
            if at != file:
                raise WordListError(
                    f"attributes of the kind {a.kind!r} stand in {at.name} too",
                    file=file, line=line, remedy="keep a kind in one file",
                )  # fmt: skip
            listed.append(Attribute(name, a.kind, a.cluster, a.source, forms, line))
    return by_kind, files


def _subjects(file: Path) -> list[Subject]:
    written, located = read_model(file, _SubjectsFile, WordListError)
    subjects = []
    for name, s in written.subjects.items():
        line = located.line(("subjects", name))
        forms = _forms(s.forms, file, located, ("subjects", name, "forms"))
        base = {} if frozenset() in forms else {frozenset[str](): _nfc(name, file, line)}
        subjects.append(Subject(name, s.cluster, s.gender, {**base, **forms}, line))
    return subjects


def _forms(written: dict[str, str], file: Path, located: LocatedYaml, at: Location) -> dict[Features, str]:
    forms: dict[Features, str] = {}
    for key, text in written.items():
        line = located.line((*at, key))
        try:
            wanted = features(key)
        except SlotError as e:
            raise WordListError(
                str(e), file=file, line=line, remedy="see docs/language_packs.md for forms"
            ) from None
        if wanted in forms:
            raise WordListError(
                f"the form {key!r} stands twice", file=file, line=line, remedy="keep one: the order is free"
            )
        if any(c in text for c in "[]{}"):
            raise WordListError(
                f"a bracket in {text!r}", file=file, line=line, remedy="slots belong into templates"
            )
        forms[wanted] = _nfc(text, file, line)
    return forms


def _templates(
    folder: Path, head: _PackFile, head_file: Path
) -> dict[Path, tuple[_TemplatesFile, LocatedYaml]]:
    templates = {}
    for file in _below(folder, "templates"):
        written, located = read_model(file, _TemplatesFile, WordListError)
        if written.class_ not in head.classes:
            raise WordListError(
                f"the class {written.class_!r} is not in {head_file.name}",
                file=file,
                line=located.line(("class",)),
                remedy=f"known there: {', '.join(head.classes)}",
            )
        templates[file] = (written, located)
    return templates


def _written(file: Path, written: _TemplatesFile, located: LocatedYaml, form: str) -> Iterator[Written]:
    entries: Sequence[tuple[str, _Question | _Statement]]
    key = "templates" if form == "question" else "statements"
    entries = [*(written.templates if form == "question" else written.statements).items()]
    for name, t in entries:
        line = located.line((key, name))
        asked = t.question if isinstance(t, _Question) else t.statement
        texts = [_nfc(text, file, line) for text in (t.context, asked, t.negated)]
        yield Written(name, t.takes, texts[0], texts[1], texts[2], form == "statement", file, line)


def _nfc(text: str, file: Path, line: int | None) -> str:
    if not unicodedata.is_normalized("NFC", text):
        raise WordListError(
            f"{text!r} is not in Unicode's NFC", file=file, line=line, remedy="save the text in NFC"
        )
    if any(unicodedata.category(c) in ("Cc", "Cf") and c not in "\u200c\u200d" for c in text):
        raise WordListError(
            f"a control character or direction mark in {text!r}", file=file, line=line, remedy="remove it"
        )
    if text != " ".join(text.split()):
        raise WordListError(f"stray blanks in {text!r}", file=file, line=line, remedy="remove them")
    return text
