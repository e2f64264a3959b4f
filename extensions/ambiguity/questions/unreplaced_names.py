"""Names of people that would not be replaced: nicknames, separate initials, parts of longer names."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from nextset.extensions.ambiguity.questions.folded_words import Word
from nextset.extensions.ambiguity.questions.text_people import TextPeople

__all__ = ["UnreplacedNames"]

_JOINED = re.compile(r"[.]?[ \u00a0]?-?|[.][ \u00a0]")
"""The characters between the words of one name."""
_AFTER_NAMING = re.compile(r"[.]?[ \u00a0]+[\"'(\[“«]*")
_OPENED = re.compile(r"[ \u00a0]*[\"'(\[“«]+")
_CLOSED = re.compile(r"[\"')\]”»]")
_AFTER_FAMILY = re.compile(r",?[ \u00a0]+")
_LONGEST = 5
"""The most words from a given name to the family name."""


@dataclass(frozen=True)
class UnreplacedNames:
    """A search for other names of people in a context where they were found by name."""

    people: TextPeople
    """The people in the context."""
    given: tuple[tuple[str, ...], ...]
    """The given names of each person."""
    first_names: frozenset[str]
    """First names, in small letters."""

    def nicknames(self) -> Iterator[int]:
        """Yield the index of each word that is another name of a person, as in Robert (Bob) or alias Bob."""
        words = self.people.words
        for i in range(1, len(words)):
            kind = self._kinds.get(i)
            if kind not in (None, "given") or not words[i].is_capital or words[i].is_initial:
                continue
            if self._is_born(i) or self._is_called(i) or (kind is None and self._is_beside(i)):
                yield i

    def initials(self) -> Iterator[int]:
        """Yield the index of each initial after a family name, as in Biot, J.; and of separate initials."""
        words = self.people.words
        for i, word in enumerate(words):
            if i in self._kinds or not word.is_initial or not self._has_stop(i):
                continue
            after = i + 1
            while after < len(words) and words[after].is_initial and self._is_joined(after):
                after += 1
            if after < len(words) and self._continues_name(after):
                continue
            if self._follows_family(i) or (after - i > 1 and self._are_initials(i, after)):
                yield i

    def strays(self) -> Iterator[int]:
        """Yield the index of each given name that would stay.

        Such a name is before the person's family name, as in the Right Honourable Robert Jackson, or by
        itself in a text with another bearer of the name.
        """
        words = self.people.words
        others = set()
        for i, word in enumerate(words):
            if i in self._kinds or not any(word.text in given for given in self.given):
                continue
            if self._begins_own_name(i):
                yield i
            if i + 1 < len(words) and self._continues_name(i + 1):
                others.add(word.text)
        for mention in self.people.mentions:
            if mention.kind == "given" and words[mention.first].text in others:
                yield mention.first

    @functools.cached_property
    def _kinds(self) -> dict[int, str]:
        """The kind of the mention that each word is in."""
        return {i: m.kind for m in self.people.mentions for i in range(m.first, m.after)}

    @functools.cached_property
    def _persons(self) -> dict[int, int]:
        return {i: m.person for m in self.people.mentions for i in range(m.first, m.after)}

    def _is_born(self, i: int) -> bool:
        words, rules = self.people.words, self.people.rules
        if words[i - 1].small not in rules.before_birth_names or not _AFTER_NAMING.fullmatch(words[i].glue):
            return False
        if words[i - 1].is_capital and i > 1 and "." not in words[i - 1].glue:
            return False  # the family name Born
        following = words[i + 1].text if i + 1 < len(words) else ""
        return words[i].text not in self.people.rules.not_people and not following[:1].isdigit()

    def _is_called(self, i: int) -> bool:
        word, rules = self.people.words[i], self.people.rules
        before = [w.small for w in self.people.words[max(0, i - 3) : i]]
        if not _AFTER_NAMING.fullmatch(word.glue):
            return False
        if before[-1] in rules.before_nicknames or before == ["a", "k", "a"]:
            return True
        called = before[-1] in rules.before_other_names or before[-2:] == ["known", "as"]
        return called and (self._may_be_own(i) or self._is_quoted(i))

    def _may_be_own(self, i: int) -> bool:
        """Return whether word ``i`` is a given name of a person, or a first name that nothing continues."""
        words = self.people.words
        if any(words[i].text in given for given in self.given):
            return True
        alone = i + 1 == len(words) or not self._continues_name(i + 1)
        return alone and words[i].small in self.first_names

    def _is_beside(self, i: int) -> bool:
        """Return whether word ``i`` is in quotation marks or brackets after a name, or within one."""
        words = self.people.words
        if i - 1 not in self._persons or not _OPENED.fullmatch(words[i].glue):
            return False
        within = self._is_quoted(i) and self._persons.get(i + 1) == self._persons[i - 1]
        return within or self._may_be_own(i)

    def _is_quoted(self, i: int) -> bool:
        """Return whether word ``i`` is by itself in quotation marks or brackets."""
        words = self.people.words
        closed = i + 1 == len(words) or _CLOSED.match(words[i + 1].glue) is not None
        return closed and _OPENED.fullmatch(words[i].glue) is not None

    def _follows_family(self, i: int) -> bool:
        """Return whether initial ``i`` is the initial of the person whose family name is right before it."""
        if self._kinds.get(i - 1) != "family" or not _AFTER_FAMILY.fullmatch(self.people.words[i].glue):
            return False
        return any(name[:1] == self.people.words[i].text for name in self.given[self._persons[i - 1]])

    def _are_initials(self, i: int, after: int) -> bool:
        """Return whether the initials from ``i`` to ``after`` are those of a person's whole name."""
        words = self.people.words
        if i and words[i - 1].is_capital and self._is_joined(i):
            return False
        return any(
            parts is not None
            and words[after - 1].text == parts.family[0][:1].upper()
            and given[:1] != ()
            and given[0][:1] == words[i].text
            for parts, given in zip(self.people.names, self.given, strict=True)
        )

    def _begins_own_name(self, i: int) -> bool:
        """Return whether the name at ``i`` continues to the family name of a person with that given name."""
        words = self.people.words
        families = {
            parts.family[0]
            for parts, given in zip(self.people.names, self.given, strict=True)
            if parts is not None and words[i].text in given
        }
        for j in range(i + 1, min(i + 1 + _LONGEST, len(words))):
            if not self._is_joined(j) or words[j - 1].possessive:
                return False
            if words[j].text in families:
                return True
            if not words[j].is_capital and words[j].small not in self.people.rules.particles:
                return False
        return False

    def _continues_name(self, i: int) -> bool:
        """Return whether word ``i`` is a capital word that continues the name of the word before it."""
        words = self.people.words
        return words[i].is_capital and self._is_joined(i) and not words[i - 1].possessive

    def _is_joined(self, i: int) -> bool:
        word: Word = self.people.words[i]
        return i not in self.people.begins and _JOINED.fullmatch(word.glue) is not None

    def _has_stop(self, i: int) -> bool:
        words = self.people.words
        return i + 1 == len(words) or words[i + 1].glue[:1] == "."
