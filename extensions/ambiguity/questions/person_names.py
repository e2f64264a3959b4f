"""The parts of a person's name: titles, given names, family name."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from nextset.extensions.ambiguity.person_mentions import MentionRules
from nextset.extensions.ambiguity.questions.folded_words import Word, folded_words
from nextset.letter_case import folded

__all__ = ["NameParts", "name_key", "name_parts"]


@dataclass(frozen=True)
class NameParts:
    """A name, with its words without accents."""

    text: str
    """The name as it is written."""
    titles: tuple[Word, ...]
    """The titles before the name, with their positions in it."""
    given: tuple[Word, ...]
    """The given names and initials."""
    particles: tuple[str, ...]
    """Particles of the family name, such as von, case-folded."""
    family: tuple[str, ...]
    """The words of the family name, also those that hyphens join, without particles. A name of one word is a
    family name."""
    family_first: bool
    """True if the family name comes before the given names."""


def name_key(name: str) -> str:
    """Return ``name`` in the form for comparisons: in NFC, in small letters, with single spaces."""
    return " ".join(folded(unicodedata.normalize("NFC", name)).split())


def name_parts(name: str, family: str, rules: MentionRules) -> NameParts | None:
    """Return the parts of ``name``; None if ``name`` does not begin or end with ``family``.

    If ``family`` is empty, the family name is the last word, with the words that hyphens join to it and the
    particles before it. None also for a name without letters.
    """
    words = folded_words(name)
    titles: list[Word] = []
    while len(words) > 1 and rules.is_title(words[0].text):
        titles.append(words[0])
        words = words[1:]
    while len(words) > 1 and words[-1].text in rules.suffixes:
        words = words[:-1]
    if not words:
        return None
    if family:
        return _split(name, tuple(titles), words, folded_words(family), rules)
    begin = len(words) - 1
    while begin > 0 and words[begin].glue == "-" and words[begin - 1].small not in rules.particles:
        begin -= 1
    core = begin
    while begin > 0 and words[begin - 1].small in rules.particles:
        begin -= 1
    return NameParts(
        name,
        tuple(titles),
        words[:begin],
        tuple(w.small for w in words[begin:core]),
        tuple(w.text for w in words[core:]),
        False,
    )


def _split(
    name: str,
    titles: tuple[Word, ...],
    words: tuple[Word, ...],
    family: tuple[Word, ...],
    rules: MentionRules,
) -> NameParts | None:
    wanted = [w.text for w in family]
    n = len(wanted)
    if not n:
        return None
    core = next((i for i, w in enumerate(family[:-1]) if w.small not in rules.particles), n - 1)
    particles, of_family = tuple(w.small for w in family[:core]), tuple(wanted[core:])
    if [w.text for w in words[-n:]] == wanted:
        return NameParts(name, titles, words[:-n], particles, of_family, False)
    if [w.text for w in words[:n]] == wanted:
        return NameParts(name, titles, words[n:], particles, of_family, True)
    return None
