"""The keys and values of a language pack's files, as people write them."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from nextset.files.yaml_model import EXACT, HandWritten, Prose
from nextset.files.yaml_values import WrongValue, written_as
from nextset.generation.questions.derived_subjects import Suffixes
from nextset.generation.questions.question_set import Overlapping, Pairing
from nextset.generation.sound_rules.rule_names import RuleName
from nextset.study.field_types import Language

__all__ = [
    "NAME_OF_SPEAKER",
    "Acceptance",
    "AttributesFile",
    "NativeCheck",
    "PackFile",
    "Question",
    "Statement",
    "SubjectsFile",
    "TemplatesFile",
]


def _filled(value: object) -> object:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise WrongValue(
            "the cell is empty",
            "fill it in; `nextset language status FOLDER --missing FILE` writes a sheet of all empty cells",
        )
    return value


Name = Annotated[str, written_as(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "gender")]
Text = Annotated[str, BeforeValidator(_filled), Field(min_length=1)]
Prefix = Annotated[str, Field(min_length=1)]
Note = Annotated[Prose, BeforeValidator(_filled), Field(min_length=1)]
Feature = Annotated[str, written_as(r"[A-Za-z0-9]+", "nom")]
Derivation = Literal["french-plurals", "russian-surnames", "spanish-plurals", "turkish-cases"]
"""A set of regular forms: a key of `nextset.generation.derived_forms.derivation.DERIVATIONS`."""
Aspirate = Literal["", "aspire"]


class _Class(HandWritten):
    subjects: tuple[Name, ...] = Field(min_length=1)
    pairs: Pairing
    overlapping: Overlapping = "apart"


NAME_OF_SPEAKER = r"[^()\[\]{}<>;]{1,100}"
"""The pattern of a native speaker's name."""


def _as_date(value: object) -> object:
    """Accept YAML dates and texts in their form; pydantic would accept numbers as seconds since 1970."""
    if type(value) is date or (isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value)):
        return value
    raise WrongValue("it is not a date", "write a date such as 2026-11-23")


class NativeCheck(HandWritten):
    """A check by a native speaker, who read the pack's rendered texts."""

    name: Annotated[str, written_as(NAME_OF_SPEAKER, "A. Speaker")]
    """The name, as the person wants to be named."""
    date: Annotated[date, BeforeValidator(_as_date)]
    seen: float = Field(gt=0, le=1, strict=True)
    """The share of the rows of the review sheet that the person ticked, from 0 to 1."""
    texts: Annotated[str, written_as(r"[0-9a-f]{16}|", "0123456789abcdef")] = ""
    """The digest of the pack's texts on that date, which `nextset language review` writes; may be empty."""

    def of_earlier_texts(self, digest: str) -> bool:
        """Return whether the pack's texts have changed since; their digest now is ``digest``."""
        return bool(self.texts) and self.texts != digest


class Acceptance(HandWritten):
    """A lint finding that a person has accepted."""

    rule: Text
    """The rule's name."""
    name: str = ""
    """The subject, attribute or template; empty for every finding of the rule."""
    reason: Note
    """The reason, which the dataset card lists."""


class PackFile(HandWritten):
    """The content of pack.yaml: the language, and the classes of subjects."""

    format: Literal[1]
    language: Language
    direction: Literal["ltr", "rtl"] = "ltr"
    join: Annotated[Literal[" ", ""], EXACT] = " "
    checked_by: tuple[NativeCheck, ...] = ()
    rules: tuple[RuleName, ...] = ()
    derive: tuple[Derivation, ...] = ()
    suffixes: Suffixes = "inside"
    defaults: tuple[Feature, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    prefixes: Annotated[dict[Name, Prefix], EXACT] = Field(default_factory=dict)
    forms: dict[Name, tuple[str, ...]] = Field(default_factory=dict)
    classes: dict[Name, _Class] = Field(default_factory=dict)


class _Subject(HandWritten):
    forms: dict[str, Text] = Field(default_factory=dict)
    cluster: str = ""
    gender: Annotated[str, written_as(r"[a-z]*", "f")] = ""
    within: tuple[str, ...] = ()
    h: Aspirate = ""


class SubjectsFile(HandWritten):
    """The content of subjects/LIST.yaml."""

    format: Literal[1]
    about: Prose = ""
    subjects: dict[str, _Subject] = Field(min_length=1)


class _Attribute(HandWritten):
    kind: Name
    cluster: str = ""
    source: Note
    forms: dict[str, Text]
    h: Aspirate = ""


class AttributesFile(HandWritten):
    """The content of attributes/NAME.yaml."""

    format: Literal[1]
    about: Prose = ""
    attributes: dict[Name, _Attribute] = Field(min_length=1)


class Question(HandWritten):
    """A question template."""

    takes: Name
    context: Text
    question: Text
    negated: Text

    @property
    def text(self) -> str:
        """The question."""
        return self.question


class Statement(HandWritten):
    """A template of masked statements."""

    takes: Name
    context: Text
    statement: Text
    negated: Text

    @property
    def text(self) -> str:
        """The statement."""
        return self.statement


class TemplatesFile(HandWritten):
    """The content of templates/NAME.yaml: the templates of one class."""

    format: Literal[1]
    class_: Name = Field(alias="class")
    templates: dict[Name, Question] = Field(default_factory=dict)
    statements: dict[Name, Statement] = Field(default_factory=dict)
