"""A lint finding, and the texts of a template as lint rules read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextset.generation.templates.placeholders import render
from nextset.generation.templates.template import Template

__all__ = ["Finding", "Rule", "Text", "is_english", "renderings", "statements_and_premises", "texts"]


@dataclass(frozen=True)
class Finding:
    """A probable mistake in a file."""

    file: Path
    line: int | None
    """The line, from 1."""
    rule: str
    """The rule's name."""
    message: str
    """The problem."""
    name: str = ""
    """The subject, attribute or template of a language pack with the finding; packs accept findings by it."""


Rule = Callable[[Template], Iterator[Finding]]
"""A function that returns the findings in a template with the overlays that extend it."""


@dataclass(frozen=True)
class Text:
    """A text with placeholders, and its file and line."""

    text: str
    file: Path
    """The text's file: the template's, or an overlay's."""
    line: int | None
    """The line, from 1."""


def statements_and_premises(template: Template) -> Iterator[Text]:
    """Yield the premises and the statements, without their questions."""
    yield from (Text(p.text, template.file, p.line) for p in template.premises)
    yield from (Text(s.text, s.file, s.line) for s in template.statements)


def texts(template: Template) -> Iterator[Text]:
    """Yield premises, statements and questions."""
    yield from statements_and_premises(template)
    yield from (Text(s.question, s.file, s.question_line) for s in template.statements if s.question)


def renderings(template: Template, text: str) -> Iterator[str]:
    """Yield ``text`` with each word of its lists, in both orders of the groups."""
    rules = template.sound_rules
    pairs = (each.groups for each in template.by_contrast)
    for groups in (order for pair in pairs for order in (pair, pair[::-1])):
        base = dict(zip(("GROUP1", "GROUP2"), groups, strict=True))
        lists = {name: template.words[name] for name in template.used_words(text)}
        longest = max((len(words) for words in lists.values()), default=1)
        for i in range(longest):
            words = {name: values[i % len(values)] for name, values in lists.items()}
            values, language = {**base, **words}, template.language
            yield render(text, values, capitalise=template.capitalise, language=language, rules=rules)


def is_english(template: Template) -> bool:
    """Return whether the template's language is English, of any region."""
    return template.language.split("-")[0] == "en"
