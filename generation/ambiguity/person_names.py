"""The parts of a person's name: titles, given names, family name."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from nextset.generation.ambiguity.folded_words import Word, folded_words
from nextset.word_lists.person_mentions import MentionRules

__all__ = ["NameParts", "name_key", "name_parts"]


@dataclass(frozen=True)
class NameParts:
    """A name, its words without accents."""

    text: str
    """The name as it is written."""
    titles: tuple[Word, ...]
    """The titles before it, with their places in the name."""
    given: tuple[Word, ...]
    """The given names and initials."""
    particles: tuple[str, ...]
    """Particles of the family name, such as von, case-folded."""
    family: tuple[str, ...]
    """The family name without particles, each word of a name with hyphens; a name of one word is one."""
    family_first: bool
    """Whether the family name comes before the given names."""


def name_key(name: str) -> str:
    """Return ``name`` as names are compared: in NFC, regardless of capitals, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def name_parts(name: str, family: str, rules: MentionRules) -> NameParts | None:
    """Return the parts of ``name``; None if ``family``, which may be empty, is not its beginning or end.

    Without ``family`` the family name is the last word, words that hyphens join to it, and particles before.
    A name without letters has no parts.
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
