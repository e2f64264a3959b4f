"""A small grammar: patterns with slots such as ``{person1:pl}``, filled with words of the lexicon.

A slot names a kind of word, a number that distinguishes words of a kind, and a form. One draw fills all texts
of a pattern, so that the same slot gets the same word in premise and hypothesis.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from nextset.word_lists.lexicon import Lexicon

__all__ = ["SLOT", "Grammar", "Part", "build_grammar", "forms_of", "same_kind_of_group"]

Part = Literal["train", "test", "all"]

SLOT: re.Pattern[str] = re.compile(r"\{([a-z]+)(\d)(?::([a-z]+))?\}")
VERB_FORMS = ("base", "third", "past", "part", "ing")
TEST_SHARE = 5
"""One word in five is kept for the test."""


@dataclass(frozen=True)
class Grammar:
    """Words by kind; each word is a mapping from form to text."""

    kinds: Mapping[str, tuple[Mapping[str, str], ...]]

    def draw(self, texts: Sequence[str], rng: random.Random) -> list[str]:
        """Return the texts with their slots filled; different numbers of a kind get different words."""
        chosen: dict[tuple[str, str], Mapping[str, str]] = {}
        for text in texts:
            for kind, number, _ in SLOT.findall(text):
                if (kind, number) not in chosen:
                    chosen[kind, number] = self._other(kind, list(chosen.values()), rng)
        return [_tidy(SLOT.sub(lambda m: chosen[m[1], m[2]][m[3] or "sg"], t)) for t in texts]

    def _other(self, kind: str, taken: Sequence[Mapping[str, str]], rng: random.Random) -> Mapping[str, str]:
        while True:
            word = rng.choice(self.kinds[kind])
            if word not in taken:
                return word


def build_grammar(lexicon: Lexicon, part: Part) -> Grammar:
    """Return the words for training, for the test, or all words; each part has groups and numbers."""
    nouns, verbs = lexicon.nouns, lexicon.verbs
    kinds = {
        "person": _countable({**nouns.occupations, **nouns.people}),
        "job": _countable(nouns.occupations),
        "thing": _countable(nouns.things),
        "place": _countable(nouns.places),
        "issue": _countable(nouns.issues),
        "activity": _plain(lexicon.mass_nouns.activities),
        "quality": _plain(lexicon.mass_nouns.qualities),
        "adjp": _plain(lexicon.adjectives.people),
        "adjt": _plain(lexicon.adjectives.things),
        "vt": _verbs(verbs.with_things),
        "vp": _verbs(verbs.with_people),
        "vi": _verbs(verbs.alone),
        "adv": _plain(lexicon.adverbs),
        "name": _plain((*lexicon.names.female, *lexicon.names.male)),
        "country": _plain(lexicon.countries),
    }
    split = {kind: tuple(w for w in words if _belongs(w, part)) for kind, words in kinds.items()}
    closed = {
        "gender": _plain(lexicon.groups["gender"]),
        "race": _plain(lexicon.groups["race"]),
        "faith": _plain(lexicon.groups["religion"]),
        "number": _plain(tuple(str(n) for n in range(10, 91))),
        "few": _plain(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")),
        "year": _plain(tuple(str(n) for n in range(1990, 2026))),
    }
    return Grammar({**split, **closed})


def forms_of(grammar: Grammar, kinds: Sequence[str], form: str) -> frozenset[str]:
    """Return the words of some kinds in one form, which fit at a mask."""
    return frozenset(word[form] for kind in kinds for word in grammar.kinds[kind])


def same_kind_of_group(texts: Sequence[str], rng: random.Random) -> list[str]:
    """Return the texts with all ``group`` slots changed to gender, race or faith, so that groups compare."""
    kind = rng.choice(("gender", "race", "faith"))
    return [t.replace("{group", f"{{{kind}") for t in texts]


def _belongs(word: Mapping[str, str], part: Part) -> bool:
    first = next(iter(word.values()))
    kept = blake2b(first.encode(), digest_size=2).digest()[0] % TEST_SHARE == 0
    return part == "all" or kept == (part == "test")


def _plain(words: Sequence[str]) -> tuple[Mapping[str, str], ...]:
    return tuple({"sg": w} for w in words)


def _countable(words: Mapping[str, str]) -> tuple[Mapping[str, str], ...]:
    return tuple({"sg": one, "pl": many} for one, many in words.items())


def _verbs(words: Mapping[str, Sequence[str]]) -> tuple[Mapping[str, str], ...]:
    return tuple(dict(zip(VERB_FORMS, (base, *rest), strict=True)) for base, rest in words.items())


def _tidy(text: str) -> str:
    """Return ``text`` with a capital at the start of each sentence, and ``an`` before a vowel."""
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)
    return re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text)
