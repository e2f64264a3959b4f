"""Facts about languages before their packs are written: genders, cases, rules and a question word."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, Prose, read_model

__all__ = ["KnownLanguage", "known_language"]

_FILE = Path(__file__).with_name("known_languages.yaml")


class KnownLanguage(HandWritten):
    """The usual features of a language's packs."""

    genders: tuple[str, ...] = ()
    """The genders that words for people agree with."""
    cases: tuple[str, ...] = ()
    """The cases, beyond the nominative, that contexts are likely to need."""
    rules: tuple[str, ...] = ()
    """The sound rules, in their order."""
    derive: tuple[str, ...] = ()
    """The rules for forms that need not be listed."""
    who: Prose = ""
    """The question after a person, with [p_act]; empty if no one has written it yet."""


class _File(HandWritten):
    languages: dict[str, KnownLanguage] = Field(default_factory=dict)


def known_language(language: str) -> KnownLanguage | None:
    """Return the facts about the BCP 47 tag ``language``, or None. For pt-BR, pt is tried too."""
    languages = read_model(_FILE, _File, WordListError)[0].languages
    return languages.get(language) or languages.get(language.split("-")[0])
