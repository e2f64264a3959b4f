"""Pronouns of one gender, their functions, and the people whom they refer to, by cautious rules."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nextset.extensions.ambiguity.person_mentions import Gender, MentionRules, PronounForm
from nextset.extensions.ambiguity.questions.folded_words import Word
from nextset.extensions.ambiguity.questions.name_mentions import NameMention
from nextset.extensions.ambiguity.questions.possible_people import PossiblePeople

__all__ = ["PronounSearch", "Reference"]

_SOMEBODY_ELSE = -1
_BEFORE_NOUN = re.compile(r"[ \u00a0]+[\"'(\[“«]?")
_SENTENCES_BACK = 2
"""The number of sentences without mentions that a pronoun may refer back across."""


@dataclass(frozen=True)
class Reference:
    """A pronoun of one gender."""

    at: int
    """The index of the word."""
    base: str
    """The pronoun as it is written, without contractions such as 's."""
    genders: tuple[Gender, ...]
    """The genders of the pronoun."""
    form: PronounForm | None
    """The pronoun's function; None if an object and a possessive cannot be distinguished."""
    person: int | None
    """The person whom it refers to, by the place in the question's list; None if that is not certain."""
    several: bool
    """True if it may refer to more than one person."""


@dataclass(frozen=True)
class PronounSearch:
    """A search for pronouns in a context whose people were found by name."""

    words: tuple[Word, ...]
    """The words of the context."""
    begins: tuple[int, ...]
    """The indices of the words that begin sentences, in order."""
    mentions: tuple[NameMention, ...]
    """The mentions by name, in the order of the text."""
    rules: MentionRules
    """The language's rules for mentions of people."""
    functions: frozenset[str]
    """The function words and numbers of the language, in small letters."""
    others: PossiblePeople
    """The words that may be other people."""

    def references(self) -> tuple[Reference, ...]:
        """Return the pronouns, in the order of the text.

        A pronoun refers to a person if no one else is named in the places where its person can be: before the
        pronoun in its sentence, else in the last sentence that mentions anyone. For an object both places
        count. For a pronoun before the first name of a sentence, the words after it count too, if this
        pronoun can come before its name.
        """
        people = dict(self._named_people())
        references: list[Reference] = []
        for at, word in enumerate(self.words):
            base = word.text.partition("'")[0]
            forms = self.rules.roles_of(base)
            if not forms or at in self._taken or (word.is_initial and len(base) > 1):
                continue
            genders = tuple(self.rules.genders_of(base))
            form = self._form(at, base, forms)
            near = self._candidates(at, form, people)
            person = next(iter(near)) if len(near) == 1 and not self._is_of_both(at, genders) else None
            known = person if person is not None and person != _SOMEBODY_ELSE else None
            references.append(Reference(at, base, genders, form, known, len(near) > 1))
            people[at] = _SOMEBODY_ELSE if known is None else known
        return tuple(references)

    @functools.cached_property
    def _taken(self) -> frozenset[int]:
        return self.others.taken

    def _form(self, at: int, base: str, forms: Sequence[PronounForm]) -> PronounForm | None:
        """Return the function of a pronoun that has several by what is before and after it."""
        if len(forms) == 1:
            return forms[0]
        by_role = {form.role: form for form in forms}
        possessive = by_role.get("possessive")
        other = next((form for form in forms if form is not possessive), None)
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        if following is None or at + 1 in self.begins or not _BEFORE_NOUN.fullmatch(following.glue):
            return other
        if following.small in ("and", "or"):
            return None
        if following.small in self.functions and following.small not in self.rules.after_possessive:
            return other
        before = self.words[at - 1] if at and at not in self.begins else None
        if by_role.get("object") is not None:
            unclear = before is not None and before.small in self.rules.unclear_before_noun
            if unclear or (following.small.endswith("ly") and following.small not in ("early",)):
                return None
        return possessive

    def _is_of_both(self, at: int, genders: Sequence[Gender]) -> bool:
        """Return whether a pronoun of the other gender is next to it, as in he or she, or (s)he."""
        for i in (at - 2, at + 2, at - 1, at + 1):
            if 0 <= i < len(self.words) and abs(i - at) <= 2:
                between = self.words[max(i, at) - 1].small if abs(i - at) == 2 else ""
                if between not in ("or", "and", ""):
                    continue
                others = self.rules.genders_of(self.words[i].text)
                if others and not set(others) & set(genders):
                    return True
        return False

    def _candidates(self, at: int, form: PronounForm | None, people: dict[int, int]) -> set[int]:
        sentence = self._sentence(at)
        begin, end = self._range(sentence)
        before = {p for i, p in people.items() if begin <= i < at}
        if any(begin <= i < at for i in self._laws):
            before.add(_SOMEBODY_ELSE)
            before |= self._earlier(sentence, people)
        after = {p for i, p in people.items() if at < i < end}
        earlier = self._earlier(sentence, people)
        role = None if form is None else form.role
        if before:
            return before | earlier if role in ("object", None) else before
        fronted = at != begin and self.words[begin].small in self.rules.subordinators
        return earlier if role == "subject" and not fronted else earlier | after

    def _earlier(self, sentence: int, people: dict[int, int]) -> set[int]:
        """Return the people in the last sentence before ``sentence`` that mentions anyone."""
        for back in range(1, min(_SENTENCES_BACK, sentence) + 1):
            first, last = self._range(sentence - back)
            if mentioned := {p for i, p in people.items() if first <= i < last}:
                return mentioned
        return set()

    def _sentence(self, at: int) -> int:
        return bisect.bisect_right(self.begins, at) - 1

    def _range(self, sentence: int) -> tuple[int, int]:
        end = self.begins[sentence + 1] if sentence + 1 < len(self.begins) else len(self.words)
        return self.begins[sentence], end

    def _named_people(self) -> Iterator[tuple[int, int]]:
        """Yield the index and the person of each mention, and of each word that may be another person."""
        for mention in self.mentions:
            yield mention.first, mention.person
        for at, nearby in self.others.places():
            if not nearby:
                yield at, _SOMEBODY_ELSE

    @functools.cached_property
    def _laws(self) -> tuple[int, ...]:
        return tuple(at for at, nearby in self.others.places() if nearby)
