"""The lexicon of a language (lexicon.yaml): its words by part of speech."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from nextset.errors import WordListError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml
from nextset.word_lists import FOLDER

__all__ = ["ENGLISH", "Adjectives", "Lexicon", "MassNouns", "Names", "Nouns", "Verbs", "read_lexicon"]

ENGLISH = FOLDER / "en" / "lexicon.yaml"
"""The English lexicon, which the built-in models are trained on."""

Words = tuple[str, ...]
Location = tuple[str | int, ...]


class Nouns(HandWritten):
    """Countable nouns, singular: plural."""

    occupations: dict[str, str]
    people: dict[str, str]
    things: dict[str, str]
    places: dict[str, str]
    issues: dict[str, str]


class MassNouns(HandWritten):
    """Nouns without a plural."""

    activities: Words
    qualities: Words


class Adjectives(HandWritten):
    """Adjectives, by the nouns that they describe."""

    people: Words
    things: Words


class Verbs(HandWritten):
    """Verbs by their object: base form: (third person, past, participle, -ing form)."""

    with_things: dict[str, tuple[str, str, str, str]]
    with_people: dict[str, tuple[str, str, str, str]]
    alone: dict[str, tuple[str, str, str, str]]


class Names(HandWritten):
    """First names, by the gender of most people with that name."""

    female: Words
    male: Words


class Lexicon(HandWritten):
    """The content of lexicon.yaml."""

    format: Literal[1]
    language: str
    nouns: Nouns
    mass_nouns: MassNouns
    adjectives: Adjectives
    verbs: Verbs
    adverbs: Words
    groups: dict[str, Words]
    countries: Words
    names: Names
    sentence_starts: Words
    other_words: Words


def read_lexicon(path: Path = ENGLISH) -> Lexicon:
    """Return the lexicon in ``path``.

    Raises WordListError, with file and line, if a word is listed twice in one list, is not in Unicode NFC,
    or has spaces at its ends or two in a row.
    """
    lexicon, located = read_model(path, Lexicon, WordListError)
    _check_words(path, located)
    return lexicon


def _check_words(path: Path, located: LocatedYaml) -> None:
    for at, word in _words(located.data, ()):
        problem = _problem(word)
        if problem:
            raise WordListError(
                f"{word!r} {problem}",
                file=path,
                line=located.line(at),
                remedy="write the word in NFC, without extra spaces",
            )
    for at, words in _lists(located.data, ()):
        seen: set[object] = set()
        for i, entry in enumerate(words):
            if entry in seen:
                raise WordListError(
                    f"{entry!r} is listed twice in {'.'.join(map(str, at))}", file=path,
                    line=located.line((*at, i)), remedy="remove one of them",
                )  # fmt: skip
            seen.add(entry)


def _problem(word: str) -> str | None:
    if not unicodedata.is_normalized("NFC", word):
        return "is not in Unicode NFC"
    if not word or word != " ".join(word.split()):
        return "has extra spaces"
    return None


def _words(data: object, at: Location) -> Iterator[tuple[Location, str]]:
    """Yield each key and each text, with its location."""
    if isinstance(data, str):
        yield at, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield (*at, key), str(key)
            yield from _words(value, (*at, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _words(value, (*at, i))


def _lists(data: object, at: Location) -> Iterator[tuple[Location, list[object]]]:
    """Yield each list, except those of verbs, whose forms may be identical."""
    if isinstance(data, dict) and at != ("verbs",):
        for key, value in data.items():
            yield from _lists(value, (*at, key))
    elif isinstance(data, list):
        yield at, data
