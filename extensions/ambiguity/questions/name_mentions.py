"""Mentions of people by name: full names, family names and given names. Names of laws are not mentions."""

from __future__ import annotations

import difflib
import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from nextset.extensions.ambiguity.person_mentions import MentionRules
from nextset.extensions.ambiguity.questions.folded_words import Word, folded_words
from nextset.extensions.ambiguity.questions.person_names import NameParts

__all__ = ["GivenPart", "NameMention", "NameSearch"]

Kind = Literal["full", "family", "given"]
_JOINS = re.compile(r"[ \u00a0]|[.]?[ \u00a0]?-[ \u00a0]?|[.][ \u00a0]?")
"""The characters that can be between two words of a name."""
_SPACES = re.compile(r"[ \u00a0]+")
_SPACE = re.compile(r"[ \u00a0]+|[.][ \u00a0]*")
_COMPOUND = re.compile(r"[.]?[-/][^\s]*$|^-$")
_MOST_MIDDLES = 5
"""The most words between the first given name and the family name."""
_SIMILAR = 0.8
"""After the same given name, two family names are spellings of one name from this ratio on: Bogolyubov."""


@dataclass(frozen=True)
class GivenPart:
    """A given name or an initial in a mention."""

    at: int
    """The index of the word."""
    word: Word
    name: str
    """The given name, or the name of the initial; empty for an initial of an unknown name."""


@dataclass(frozen=True)
class NameMention:
    """A mention of a person by name."""

    person: int
    """The person's place in the question's list."""
    first: int
    """The index of the first word."""
    after: int
    """The index of the word after the last word."""
    kind: Kind
    """full, family (only the family name) or given (only given names)."""
    given: tuple[GivenPart, ...]
    """The given names and initials in the mention."""
    titles: tuple[int, ...]
    """The indices of the titles before the mention."""
    family_at: int
    """The index of the family name's first word without particles; of a given name only, its own index."""
    namesake: bool = False
    """True if a given name that is not the person's is before the family name."""


@dataclass(frozen=True)
class NameSearch:
    """A search for mentions in the words of a context and of the people's names."""

    words: tuple[Word, ...]
    """The words of the context."""
    begins: frozenset[int]
    """The indices of the words that begin sentences."""
    names: tuple[tuple[NameParts, ...], ...]
    """The names of each person: the name, then aliases."""
    item: str
    """The law or effect that the question asks about."""
    rules: MentionRules
    """The language's rules for mentions of people."""
    first_names: frozenset[str] = frozenset()
    """First names in small letters, which distinguish a name from the beginning of a sentence."""
    functions: frozenset[str] = frozenset()
    """Function words in small letters, which distinguish a noun from other words: the Church numerals."""

    def mentions(self) -> tuple[NameMention, ...]:
        """Return the mentions, in the order of the text, without overlaps."""
        taken: dict[int, NameMention] = {}
        for i in range(len(self.words)):
            if i not in taken and (mention := self._full(i)) is not None:
                taken.update(dict.fromkeys(range(mention.first, mention.after), mention))
        for i in range(len(self.words)):
            if i not in taken and (mention := self._family(i, taken)) is not None:
                taken.update(dict.fromkeys(range(mention.first, mention.after), mention))
        named = {m.person: m.after for m in reversed(taken.values()) if m.kind == "full"}
        for i in range(len(self.words)):
            if i not in taken and (mention := self._given(i, taken, named)) is not None:
                taken[i] = mention
        kept = self._without_namesakes(dict.fromkeys(taken[i] for i in sorted(taken)))
        return tuple(kept)

    def _without_namesakes(self, found: dict[NameMention, None]) -> Iterator[NameMention]:
        """Yield ``found`` without namesakes of people who are mentioned by their own name elsewhere."""
        named = {m.person for m in found if m.kind == "full"}
        for mention in found:
            if not mention.namesake or mention.person not in named:
                yield mention

    def _full(self, i: int) -> NameMention | None:
        mentions = [m for m in self._full_of_anyone(i) if m is not None]
        if len({m.person for m in mentions}) != 1:
            return None
        return max(mentions, key=lambda m: m.after)

    def _full_of_anyone(self, i: int) -> Iterator[NameMention | None]:
        for person, names in enumerate(self.names):
            for parts in names:
                if parts.family_first:
                    yield self._family_first(i, person, parts)
                elif parts.given:
                    yield self._given_first(i, person, parts)

    def _family_first(self, i: int, person: int, parts: NameParts) -> NameMention | None:
        after = self._family_at(i, parts)
        if after is None or not parts.given:
            return None
        given: list[GivenPart] = []
        for name in parts.given:
            if after >= len(self.words) or self.words[after].text != name.text:
                return None
            if not _JOINS.fullmatch(self.words[after].glue):
                return None
            given.append(GivenPart(after, self.words[after], name.text))
            after += 1
        return self._mention(person, i, after, "full", given, i)

    def _given_first(self, i: int, person: int, parts: NameParts) -> NameMention | None:
        word, left = self.words[i], list(parts.given)
        place = _place_of(word, left)
        if place is None or self._follows_a_name(i):
            return None
        if word.is_initial and not self._has_stop(i):  # "A Biot-Savart law"
            return None
        given = [GivenPart(i, word, left[place].text)]
        left = left[place + 1 :]
        at = i + 1
        while at < len(self.words) and at - i <= _MOST_MIDDLES + 1:
            word = self.words[at]
            if not self._is_joined(at) or self.words[at - 1].possessive:
                return None
            core = at
            while core < len(self.words) and self.words[core].small in parts.particles:
                core += 1
            for begin in dict.fromkeys((core, at)):
                after = self._family_at(begin, parts)
                if after is not None and (begin == at or _JOINS.fullmatch(self.words[begin].glue)):
                    return self._mention(person, i, after, "full", given, begin)
            if self._is_spelling(given[0], word, parts):
                return self._mention(person, i, at + 1, "full", given, at)
            if not word.is_capital or word.text in self.rules.not_people:
                return None
            if not word.is_initial and self._is_other_name(word, person):
                return None
            place = _place_of(word, left)
            if place is not None:
                given.append(GivenPart(at, word, left[place].text))
                left = left[place + 1 :]
            else:
                given.append(GivenPart(at, word, "" if word.is_initial else word.text))
            at += 1
        return None

    def _follows_a_name(self, i: int) -> bool:
        """Return whether the word before ``i`` seems to be the given name of someone else."""
        before = self.words[i - 1] if i else None
        if before is None or not self._is_joined(i) or before.possessive or i - 1 in self.begins:
            return False
        return self._may_be_name(before)

    def _has_stop(self, i: int) -> bool:
        return i + 1 < len(self.words) and self.words[i + 1].glue[:1] in (".", "-")

    def _is_spelling(self, first: GivenPart, word: Word, parts: NameParts) -> bool:
        family = parts.family[0]
        if first.word.is_initial or len(parts.family) > 1 or not word.is_capital or len(family) < 5:
            return False
        return difflib.SequenceMatcher(None, word.text, family, autojunk=False).ratio() >= _SIMILAR

    def _is_other_name(self, word: Word, person: int) -> bool:
        """Return whether ``word`` is a name of someone other than ``person``."""
        others = (parts for i, names in enumerate(self.names) if i != person for parts in names)
        return any(word.text in (*(g.text for g in p.given), *p.family) for p in others)

    def _family_at(self, i: int, parts: NameParts) -> int | None:
        """Return the index after the family name (without particles) at ``i``; None if it is not at ``i``."""
        n = len(parts.family)
        here = self.words[i : i + n]
        if len(here) < n or not _is_family_word(here[0].text, parts.family[0]):
            return None
        if any(word.text != name for word, name in zip(here[1:], parts.family[1:], strict=True)):
            return None
        if any(
            w.glue not in ("-", " ", "\u00a0") or before.possessive for before, w in itertools.pairwise(here)
        ):
            return None
        return i + n

    def _family(self, i: int, taken: dict[int, NameMention]) -> NameMention | None:
        candidates: list[tuple[int, NameParts, int]] = []
        for person, names in enumerate(self.names):
            for parts in names:
                after = self._family_at(i, parts)
                if after is not None:
                    candidates.append((person, parts, after))
        if len({person for person, _, _ in candidates}) != 1:
            return None
        person, parts, after = max(candidates, key=lambda f: f[2])
        begin = i
        while begin > 0 and self.words[begin - 1].small in parts.particles and self._spaced(begin):
            begin -= 1
        if any(j in taken for j in range(begin, after)) or self._is_term(begin, after):
            return None
        if self._is_saint(begin) and not any(w.text in self.rules.saints for w in parts.titles):
            return None
        return self._mention(person, begin, after, "family", (), i, self._is_namesake(begin, after))

    def _is_namesake(self, begin: int, after: int) -> bool:
        """Return whether a given name before, or a family name after, makes this the name of someone else."""
        before = self.words[begin - 1] if begin else None
        if before is None or not self._spaced(begin) or before.possessive or begin in self.begins:
            return False
        if not self._may_be_name(before):
            return False
        opens = begin - 1 in self.begins and before.small not in self.first_names and not before.is_initial
        return not (opens and (before.small in self.rules.before_names or before.small.endswith("ly")))

    def _may_be_name(self, word: Word) -> bool:
        """Return whether ``word`` has a capital and is not a title, a place or an institution."""
        return (
            word.is_capital and word.text not in self.rules.not_people and not self.rules.is_title(word.text)
        )

    def _given(self, i: int, taken: dict[int, NameMention], named: dict[int, int]) -> NameMention | None:
        word = self.words[i]
        people = {
            person
            for person, names in enumerate(self.names)
            if names and names[0].given and names[0].given[0].text == word.text and not word.is_initial
        }
        if len(people) != 1:
            return None
        (person,) = people
        if person not in named or i < named[person] or self._is_term(i, i + 1) or self._is_saint(i):
            return None
        before = self.words[i - 1] if i else None
        following = self.words[i + 1] if i + 1 < len(self.words) else None
        after_name = before is not None and self._is_joined(i) and self._may_be_name(before)
        if after_name and i - 1 not in self.begins and i - 1 not in taken:
            return None
        if following is not None and following.is_capital and self._is_joined(i + 1) and not word.possessive:
            return None
        return self._mention(person, i, i + 1, "given", (GivenPart(i, word, word.text),), i)

    def _is_saint(self, i: int) -> bool:
        """Return whether word ``i`` is in the name of a saint or of a place, such as Saint Robert."""
        return i > 0 and self._is_joined(i) and self.words[i - 1].text in self.rules.saints

    def _is_joined(self, i: int) -> bool:
        """Return whether only a space, a stop or a hyphen is before word ``i``."""
        return _JOINS.fullmatch(self.words[i].glue) is not None and i not in self.begins

    def _spaced(self, i: int) -> bool:
        return _SPACE.fullmatch(self.words[i].glue) is not None

    def _is_term(self, begin: int, after: int) -> bool:
        """Return whether the words from ``begin`` to ``after`` are part of the name of a thing.

        The thing is the item, or a compound such as Biot-Savart, or the words are before a noun such as law,
        or between an article and any noun: the Church numerals.
        """
        words = self.words
        if _within(words, begin, after, self._item_words):
            return True
        if begin and _COMPOUND.search(words[begin].glue) and begin not in self.begins:
            return True
        if after < len(words) and _COMPOUND.match(words[after].glue):
            return True
        if self._is_described(begin, after):
            return True
        reach = 3 if words[after - 1].possessive else 1
        for j in range(after, min(after + reach, len(words))):
            if not _SPACE.fullmatch(words[j].glue):
                return False
            if self.rules.is_term(words[j].text, possessive=words[after - 1].possessive):
                return True
            if words[j].is_capital or words[j].possessive:
                return False
        return False

    def _is_described(self, begin: int, after: int) -> bool:
        """Return whether an article is before the words from ``begin`` to ``after``, and a noun after."""
        words = self.words
        if not begin or after >= len(words) or begin in self.begins or words[after - 1].possessive:
            return False
        noun, article = words[after], words[begin - 1].small in ("a", "an", "the") and self._spaced(begin)
        is_noun = not noun.is_capital and noun.text.isalpha() and noun.small not in self.functions
        return bool(self.functions) and article and is_noun and _SPACES.fullmatch(noun.glue) is not None

    @functools.cached_property
    def _item_words(self) -> tuple[str, ...]:
        words = tuple(w.small for w in folded_words(self.item))
        return words[1:] if words and words[0] in self.rules.before_names else words

    def _mention(
        self,
        person: int,
        first: int,
        after: int,
        kind: Kind,
        given: Sequence[GivenPart],
        family_at: int,
        namesake: bool = False,
    ) -> NameMention:
        titles: list[int] = []
        at = first
        while (
            at > 0
            and self.rules.is_title(self.words[at - 1].text)
            and self._spaced(at)
            and at not in self.begins
        ):
            at -= 1
            titles.insert(0, at)
        return NameMention(person, first, after, kind, tuple(given), tuple(titles), family_at, namesake)


def _is_family_word(text: str, name: str) -> bool:
    """Return whether ``text`` is ``name``, or begins a sentence with it: D'Alembert."""
    return text == name or (text[1:] == name[1:] and text[:1] == name[:1].upper())


def _place_of(word: Word, given: Sequence[Word]) -> int | None:
    """Return the place of the first name in ``given`` that is ``word`` or has it as its initial, or None."""
    for i, name in enumerate(given):
        if word.text == name.text or (word.is_initial and name.text[:1] == word.text):
            return i
    return None


def _within(words: Sequence[Word], begin: int, after: int, item: Sequence[str]) -> bool:
    """Return whether the words from ``begin`` to ``after`` are part of ``item``, which has two or more."""
    n = len(item)
    if n < 2:
        return False
    for start in range(max(0, after - n), min(begin, len(words) - n) + 1):
        if [w.small for w in words[start : start + n]] == list(item):
            return True
    return False
