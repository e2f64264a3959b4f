"""Words that are dropped as fills, each for a named reason, unless the study allows them."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nextset.generation.templates.placeholders import MASK
from nextset.generation.word_forms import english_words, english_words_digest, is_english
from nextset.letter_case import begins_sentence, folded
from nextset.word_lists.closed_class import closed_class_words
from nextset.word_lists.opposite_words import negation_digest
from nextset.word_lists.proper_names import english_names
from nextset.word_lists.protected_groups import protected_groups

__all__ = ["REASONS", "SentenceDrops", "drop_digests"]

REASONS = {
    "groups": "fills that name a group, dropped",
    "other_groups": "fills that name another group, dropped",
    "closed_class": "fills that are function words, dropped",
    "template_words": "fills that repeat a word of their sentence, dropped",
    "names": "fills that are names, dropped",
    "numbers": "fills that are numbers, dropped",
    "fragments": "fills that are fragments or unknown words, dropped",
}
"""The reasons in their order, by their names in fill.allow; the values are the names of the counts."""

_OF_ANY_LIST = ("groups", "other_groups", "template_words")
"""The reasons that apply even to the words of a mask's list, which people chose."""
_CAPITAL_NOUNS = ("de", "lb")
"""Languages that write every noun with a capital."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MASK = f"{{{{{MASK}}}}}"


@dataclass(frozen=True)
class SentenceDrops:
    """The check for reasons to drop a fill of one masked hypothesis."""

    language: str
    """BCP 47 tag."""
    groups: frozenset[str]
    """The words of the hypothesis's groups, in small letters."""
    words: frozenset[str]
    """The words of hypothesis and question, without function words; in English, their lexicon entries."""
    begins: tuple[bool, ...]
    """For each mask, True if it begins a sentence."""
    allowed: tuple[str, ...]
    """The reasons that the study ignores, by their names in fill.allow."""

    @classmethod
    def of(cls, row: Mapping[str, Any], allowed: Sequence[str]) -> SentenceDrops:
        """Return the check for ``row``, a MaskedItem."""
        language, text = row["language"], row["hypothesis"]
        places = [m.start() for m in re.finditer(re.escape(_MASK), text)]
        groups = (word for name in ("group1", "group2") for word in row["bindings"][name].split())
        words = _WORD.findall(f"{text} {row['question']}".replace(_MASK, " "))
        return cls(
            language,
            frozenset(folded(word, language) for word in groups),
            frozenset(e for w in words if not _is_function_word(language, w) for e in _entries(language, w)),
            tuple(begins_sentence(text, at, language) for at in places),
            tuple(allowed),
        )

    def reason(self, mask: int, word: str, *, takes_verbs: bool, listed: bool) -> str | None:
        """Return why ``word`` is dropped at mask number ``mask`` (from 0), a key of `REASONS`; None if kept.

        If the mask ``takes_verbs``, *like* is not a function word. ``listed`` says whether the mask takes the
        words of a list.
        """
        for name in REASONS:
            if name in self.allowed or (listed and name not in _OF_ANY_LIST):
                continue
            if self._holds(name, mask, word, takes_verbs):
                return name
        return None

    def _holds(self, name: str, mask: int, word: str, takes_verbs: bool) -> bool:
        language = self.language
        if name == "groups":
            return folded(word, language) in self.groups
        if name == "other_groups":
            return folded(word, language) not in self.groups and _names_group(language, word)
        if name == "closed_class":
            return _is_function_word(language, word, takes_verbs)
        if name == "template_words":
            return not self.words.isdisjoint(_entries(language, word))
        if name == "names":
            return _is_name(language, word, self.begins[mask])
        if name == "numbers":
            closed = closed_class_words(language)
            return closed is not None and word.lower() in closed.numbers
        return is_english(language) and (len(word) == 1 or not _is_known(word))


def drop_digests(language: str) -> dict[str, str]:
    """Return the digests of the lists that decide which words are dropped in ``language``, by name."""
    digests = {}
    if groups := protected_groups(language):
        digests[f"protected groups, {language}"] = groups.digest
    if closed := closed_class_words(language):
        digests[f"closed classes, {language}"] = closed.digest
    if is_english(language):
        digests[f"names, {language}"] = english_names().digest
        digests[f"lexicon, {language}"] = english_words_digest()
    if negation := negation_digest(language):
        digests[f"negation, {language}"] = negation
    return digests


@functools.lru_cache(maxsize=100_000)
def _names_group(language: str, word: str) -> bool:
    groups = protected_groups(language)
    return groups is not None and any(map(groups.named_by, {word, *word.split()}))


def _is_function_word(language: str, word: str, takes_verbs: bool = False) -> bool:
    closed = closed_class_words(language)
    return (
        closed is not None
        and word.lower() in closed.functions
        and not (takes_verbs and word.lower() in closed.verbs_too)
    )


@functools.lru_cache(maxsize=100_000)
def _entries(language: str, word: str) -> frozenset[str]:
    """Return the lexicon entries of ``word``; in languages without a lexicon, the word itself."""
    if not is_english(language):
        return frozenset({folded(word, language)})
    return frozenset(english_words().lemmas(_without_possessive(word)))


def _without_possessive(word: str) -> str:
    return re.sub(r"(?<=\w)['’]s?\Z", "", word)


def _is_name(language: str, word: str, begins: bool) -> bool:
    """Return whether ``word`` has a capital within a sentence, as names have, or is a listed name."""
    capital = word[:1].isupper() and not (len(word) > 1 and word.isupper())
    if capital and not begins and language.partition("-")[0].lower() not in _CAPITAL_NOUNS:
        return True
    if not is_english(language):
        return False
    listed, known, lower = english_names(), english_words(), _without_possessive(word.lower())
    is_word = lower in known.readings  # mark, hope
    return lower in listed.countries or (not is_word and lower in listed.people | known.names)


def _is_known(word: str) -> bool:
    return english_words().has(_without_possessive(word))
