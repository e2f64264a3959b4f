"""Checks of the texts that are typed for a probe, and their placeholders {subject1} and {subject2}."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.errors import InputError
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["MOST_CHARACTERS", "PLACEHOLDERS", "PlacedContext", "article_note", "checked_statement",
           "checked_subjects", "checked_text", "named_placeholders", "place_subjects",
           "with_subjects"]  # fmt: skip

PLACEHOLDERS = ("{subject1}", "{subject2}")
"""The placeholders for the first and the second subject in a typed text."""
MOST_CHARACTERS = 20_000
"""The length of the longest text that is accepted; models read far less."""
_BRACES = re.compile(r"\{+[^\W\d]\w*\}+")
"""A name in braces; any other braces are text."""

_ARTICLE = re.compile(r"\ban?\s+\{subject[12]\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlacedContext:
    """A context with both subjects in it."""

    text: str
    first: tuple[int, int]
    """The position of the subject in {subject1}: its first character, and the character after its last."""
    second: tuple[int, int]
    """The position of the subject in {subject2}."""


def checked_text(name: str, text: str, allowed: Sequence[str] = ()) -> str:
    """Return ``text`` without white space around it; ``name`` is its name in errors.

    Raises InputError if it is empty or too long, has a character that is not text, or a placeholder that is
    not among ``allowed``.
    """
    text = text.strip()
    if not text:
        raise InputError(f"the {name} is empty", remedy=f"type the {name}")
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"the {name} has {len(text):,} characters, but at most {MOST_CHARACTERS:,} are allowed",
            remedy=f"shorten the {name}",
        )
    wrong = next((c for c in text if c == "\0" or unicodedata.category(c) == "Cs"), None)
    if wrong is not None:
        raise InputError(
            f"the {name} has a character that is not text: {wrong!a}",
            remedy=f"type the {name} again, in UTF-8",
        )
    stray = next((brace for brace in _BRACES.findall(text) if brace not in allowed), None)
    if stray is not None:
        may = f"{' and '.join(allowed)} can be used there" if allowed else "placeholders cannot be used there"
        raise InputError(
            f"the {name} has the placeholder {stray}, which cannot be used there",
            remedy=f"write a word in its place; {may}",
        )
    return text


def checked_subjects(subjects: Sequence[str]) -> tuple[str, str]:
    """Return the two subjects; raises InputError unless they are two different names."""
    if isinstance(subjects, str) or len(subjects) != 2:
        raise InputError("a comparison needs two subjects", remedy="give two names, such as Maria and Thomas")
    first, second = (
        checked_text(f"{place} subject", subject)
        for place, subject in zip(("first", "second"), subjects, strict=True)
    )
    if first == second:
        raise InputError(f"both subjects are {first!r}", remedy="give two different subjects")
    return first, second


def checked_statement(name: str, text: str) -> str:
    """Return the masked statement ``text``; raises InputError also if {{MASK}} is not in it exactly once."""
    text = checked_text(name, text, (MASK,))
    if text.count(MASK) != 1:
        raise InputError(
            f"the {name} has {text.count(MASK) or 'no'} mask{'s' * (text.count(MASK) != 1)}",
            remedy=f"write {MASK} once, in the place of the subject",
        )
    return text


def named_placeholders(text: str) -> tuple[str, ...]:
    """Return those of `PLACEHOLDERS` that are in ``text``."""
    return tuple(place for place in PLACEHOLDERS if place in text)


def place_subjects(context: str, first: str, second: str) -> PlacedContext:
    """Return ``context`` with the subjects in place of the placeholders, and the positions of the subjects.

    Raises InputError if the context does not have each placeholder exactly once.
    """
    for place in PLACEHOLDERS:
        if context.count(place) != 1:
            raise InputError(
                f"the context has {place} {context.count(place)} times",
                remedy=f"write {' and '.join(PLACEHOLDERS)} once each, where the context names the subjects",
            )
    text, spans = "", {}
    for part in re.split(r"(\{subject[12]\})", context):
        if part in PLACEHOLDERS:
            subject = first if part == PLACEHOLDERS[0] else second
            spans[part] = (len(text), len(text) + len(subject))
            text += subject
        else:
            text += part
    return PlacedContext(text, *(spans[place] for place in PLACEHOLDERS))


def article_note(context: str) -> str:
    """Return a warning if an article is before a placeholder of ``context``, since a and an are not adapted;
    else ""."""
    if not _ARTICLE.search(context):
        return ""
    return "subjects are inserted as typed: “a” or “an” before them is kept, and may be wrong in one order"


def with_subjects(text: str, first: str, second: str) -> str:
    """Return ``text`` with ``first`` at each {subject1} and ``second`` at each {subject2}."""
    subjects = dict(zip(PLACEHOLDERS, (first, second), strict=True))
    return re.sub(r"\{subject[12]\}", lambda found: subjects[found[0]], text)
