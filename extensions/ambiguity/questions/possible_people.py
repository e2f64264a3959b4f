"""Words of a context, names or nouns, that may be someone other than the question's people."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from nextset.extensions.ambiguity.person_mentions import MentionRules
from nextset.extensions.ambiguity.questions.folded_words import Word
from nextset.extensions.ambiguity.questions.name_mentions import NameMention

__all__ = ["PossiblePeople", "TextVocabulary"]

_SPACES = re.compile(r"[ \u00a0]+")
_WITHIN_NAMES = re.compile(r"[. \u00a0-]+")
_ARTICLES = frozenset(["a", "an", "the"])
_COPULAS = frozenset(["was", "is", "became", "remained", "been"])
_AFTER_AS = frozenset(["in", "at", "of", "for", "with", "from", "under", "until", "and", "to"])
_MOST_ADJECTIVES = 3
_BEFORE_MONTHS = frozenset(["since", "until", "the"])


@dataclass(frozen=True)
class TextVocabulary:
    """Words of a language, in small letters, that distinguish names and people from other words."""

    functions: frozenset[str] = frozenset()
    """Function words and numbers."""
    first_names: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    """Nouns and adverbs that can begin a sentence without an article, such as plurals."""
    places: frozenset[str] = frozenset()
    """Countries."""
    people: frozenset[str] = frozenset()
    """Nouns for people, in the singular."""


@dataclass(frozen=True)
class PossiblePeople:
    """A search for further people in a context, after the right answers were found by name.

    A word that is not known to be anything else may be a person, and a pronoun near it may be that person's.
    """

    words: tuple[Word, ...]
    """The words of the context."""
    begins: tuple[int, ...]
    """The indices of the words that begin sentences, in order."""
    mentions: tuple[NameMention, ...]
    """The mentions by name, in the order of the text."""
    item: tuple[str, ...]
    """The words of the item, in small letters."""
    rules: MentionRules
    """The language's rules for mentions of people."""
    vocabulary: TextVocabulary
    """The words of the language."""

    def places(self) -> Iterator[tuple[int, bool]]:
        """Yield the index of each possible person, and whether only its own sentence can refer to it."""
        at = 0
        while at < len(self.words):
            end = at + 1
            if at not in self.taken:
                end = self._end_of_capitals(at)
                if self._is_law(at, end):
                    yield at, True
                elif self._is_somebody(at, end) or self._is_nameless(at):
                    yield at, False
            at = end

    @functools.cached_property
    def taken(self) -> frozenset[int]:
        """The indices of the words in mentions and their titles."""
        return frozenset(i for m in self.mentions for i in (*m.titles, *range(m.first, m.after)))

    @functools.cached_property
    def _first(self) -> frozenset[int]:
        return frozenset(self.begins)

    def _end_of_capitals(self, at: int) -> int:
        """Return the index after the capital words from ``at`` on, without a comma between them."""
        end = at + 1
        while (
            self.words[at].is_capital
            and end < len(self.words)
            and end not in self.taken
            and end not in self._first
            and self.words[end].is_capital
            and not self.words[end - 1].possessive
            and _WITHIN_NAMES.fullmatch(self.words[end].glue)
        ):
            end += 1
        return end

    def _is_somebody(self, at: int, end: int) -> bool:
        """Return whether the capital words from ``at`` to ``end`` may be a person's name."""
        words = list(self.words[at:end])
        if not any(c.isupper() for c in words[0].text):
            return False
        begins = at in self._first
        if len(words) > 1 and words[0].small in self.vocabulary.functions:
            words, begins, at = words[1:], False, at + 1
        if all(map(self._is_no_person, words)):
            if len(words) > 1:
                return words[-1].text in self.rules.surnames_too - self.rules.institutions
            return self._is_surname(at, begins) or self._is_citizen(at)
        if len(words) > 1:
            return not (words[-1].text in self.rules.institutions or self._is_term(at, end))
        return self._is_lone_name(at, begins) and not self._is_term(at, end)

    def _is_no_person(self, word: Word) -> bool:
        return word.text in self.rules.not_people or word.small in self.vocabulary.places

    def _is_surname(self, at: int, begins: bool) -> bool:
        """Return whether a single word that is a place, an institution or a month may be a name here."""
        word = self.words[at]
        if word.text not in self.rules.surnames_too:
            return False
        if begins:
            return True
        before, following = self.words[at - 1], self.words[at + 1] if at + 1 < len(self.words) else None
        if following is not None and following.text[:1].isdigit():
            return False
        located = before.small in self.rules.before_places or before.small in _BEFORE_MONTHS
        located |= before.small == "of" and at > 1 and self.words[at - 2].is_capital  # University of London
        return not (located or before.text[:1].isdigit()) or word.possessive

    def _is_citizen(self, at: int) -> bool:
        """Return whether the word is a noun for a person of a nation, as in: an Italian praised it."""
        word = self.words[at]
        if word.text in self.rules.institutions or not word.small.endswith(self.rules.nation_endings):
            return False
        if at == 0 or self.words[at - 1].small not in _ARTICLES:
            return False
        return word.possessive or self._has_verb(at)

    def _has_verb(self, at: int) -> bool:
        """Return whether ``at`` is followed by a function word or a verb, not by a noun that it describes."""
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        if following is None or at + 1 in self._first or not _SPACES.fullmatch(following.glue):
            return True
        verb = following.small.endswith("ed") or following.small in self.rules.past_tenses
        return verb or following.small in self.vocabulary.functions

    def _is_lone_name(self, at: int, begins: bool) -> bool:
        """Return whether a single capital word may be a name."""
        word = self.words[at]
        if word.small in self.vocabulary.functions or self.rules.genders_of(word.text.partition("'")[0]):
            return False
        if word.is_initial:  # an initial has a stop; vitamin C has none
            return at + 1 < len(self.words) and self.words[at + 1].glue[:1] == "."
        if begins:
            return word.possessive or word.text in self.rules.surnames_too or not self._opens(word.small)
        before = self.words[at - 1]
        located = before.small in self.rules.before_places or (
            at > 1 and before.small == "to" and self.words[at - 2].small in self.rules.moving_verbs
        )
        return word.possessive or not (located and _SPACES.fullmatch(word.glue))

    def _opens(self, small: str) -> bool:
        """Return whether a word that is not a name can begin a sentence without an article."""
        rules = self.rules
        known = small in rules.before_names or small in rules.subordinators
        plural = small.endswith("s") and rules.is_term(small, possessive=True)
        return known or plural or small in self.vocabulary.openers

    def _is_term(self, at: int, end: int) -> bool:
        """Return whether the capital words from ``at`` to ``end`` are in the name of a thing."""
        words = self.words[at:end]
        if len(words) > 1 and all(word.small in self.item for word in words):
            return True
        last = words[-1]
        if last.possessive:
            return False
        following = self.words[end] if end < len(self.words) else None
        if following is None or following.is_capital or not _SPACES.fullmatch(following.glue):
            return False
        if following.small in self.rules.past_tense_nouns:
            return False
        return self.rules.is_term(following.text, possessive=False)

    def _is_law(self, at: int, end: int) -> bool:
        """Return whether the words are the possessive in a law's name that does not begin a sentence."""
        last = self.words[end - 1]
        if at in self._first or not self.words[at].is_capital or not last.possessive:
            return False
        for word in self.words[end : end + 2]:
            if not _SPACES.fullmatch(word.glue) or word.is_capital:
                return False
            if word.small in self.rules.laws or word.small.removesuffix("s") in self.rules.laws:
                return True
        return False

    def _is_nameless(self, at: int) -> bool:
        """Return whether the word is a noun for a person whom neither it nor the word after it identifies."""
        small = self.words[at].small
        if small in self.rules.indefinite_people and at in self._first:
            return self.words[at].possessive or self._has_verb(at)
        if small in self.vocabulary.functions and small not in self.rules.other_people:
            return False
        if not (small in self.vocabulary.people or self.rules.is_other_person(small)):
            return False
        if at + 1 in self.taken and _SPACES.fullmatch(self.words[at + 1].glue):
            return False
        return not self._describes(at)

    def _describes(self, at: int) -> bool:
        """Return whether the noun at ``at`` describes a person who is mentioned before it.

        Biot was a student; Biot, a physicist in Paris, …; Biot came as a student to ….
        """
        begin = at
        while begin > 0 and begin not in self._first and at - begin <= _MOST_ADJECTIVES:
            if self.words[begin].small in _ARTICLES:
                break
            if not _SPACES.fullmatch(self.words[begin].glue):
                return False
            begin -= 1
        if begin == 0 or begin in self._first or self.words[begin].small not in _ARTICLES:
            return False
        if any(self.words[i].small in self.vocabulary.functions for i in range(begin + 1, at)):
            return False
        before = self.words[begin - 1]
        spaced = _SPACES.fullmatch(self.words[begin].glue) is not None
        if before.small in _COPULAS and spaced:
            return self._is_subject(begin - 2)
        if before.small == "as" and spaced and begin - 1 not in self._first:
            return self._ends_phrase(at)
        if begin - 1 in self.taken and self.words[begin].glue.strip() == ",":
            mention = next(m for m in self.mentions if m.first <= begin - 1 < m.after)
            return min((mention.first, *mention.titles)) in self._first
        return False

    def _is_subject(self, at: int) -> bool:
        """Return whether the word at ``at``, or before an adverb there, is a mention or pronoun."""
        for i in (at, at - 1):
            if i < 0:
                return False
            if i in self.taken or self._is_subject_pronoun(self.words[i]):
                return True
            if self.words[i].small not in ("then", "later", "also", "had", "has", "still"):
                return False
        return False

    def _is_subject_pronoun(self, word: Word) -> bool:
        return any(form.role == "subject" for form in self.rules.roles_of(word.text))

    def _ends_phrase(self, at: int) -> bool:
        following: Word | None = self.words[at + 1] if at + 1 < len(self.words) else None
        if following is None or at + 1 in self._first:
            return True
        return not _SPACES.fullmatch(following.glue) or following.small in _AFTER_AS
