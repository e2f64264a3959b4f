"""The sound rules that a language pack can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from nextset.generation.sound_rules.arabic_prefixes import arabic_prefixes
from nextset.generation.sound_rules.english_articles import articles_by_sound
from nextset.generation.sound_rules.french_contractions import french_contractions
from nextset.generation.sound_rules.french_elision import french_elision
from nextset.generation.sound_rules.german_contractions import german_contractions
from nextset.generation.sound_rules.italian_contractions import italian_contractions
from nextset.generation.sound_rules.italian_elision import italian_elision
from nextset.generation.sound_rules.korean_particles import korean_particles
from nextset.generation.sound_rules.russian_prepositions import russian_prepositions
from nextset.generation.sound_rules.spanish_conjunctions import spanish_conjunctions
from nextset.generation.sound_rules.spanish_contractions import spanish_contractions
from nextset.generation.sound_rules.text_edits import SoundRule

__all__ = ["OF_LANGUAGES", "RULES", "RuleName", "named_rules"]

RuleName = Literal[
    "a-an",
    "arabic-prefixes",
    "french-contraction",
    "french-elision",
    "german-contraction",
    "italian-contraction",
    "italian-elision",
    "korean-particles",
    "russian-prepositions",
    "spanish-conjunctions",
    "spanish-contraction",
]
"""A key of `RULES`."""

Aspirated = frozenset[str]
"""Words, in lower case, that begin with a consonant sound but not with a consonant letter."""


def _plain(rule: SoundRule, _: Aspirated) -> SoundRule:
    return rule


RULES: Mapping[str, Callable[[Aspirated], SoundRule]] = {
    "a-an": partial(_plain, articles_by_sound),
    "french-contraction": partial(_plain, french_contractions),
    "french-elision": french_elision,
    "italian-contraction": partial(_plain, italian_contractions),
    "italian-elision": partial(_plain, italian_elision),
    "spanish-contraction": partial(_plain, spanish_contractions),
    "spanish-conjunctions": partial(_plain, spanish_conjunctions),
    "german-contraction": partial(_plain, german_contractions),
    "russian-prepositions": partial(_plain, russian_prepositions),
    "korean-particles": partial(_plain, korean_particles),
    "arabic-prefixes": partial(_plain, arabic_prefixes),
}
"""Functions that make each rule, by its name, from the words that a pack marks with ``h: aspire``."""

OF_LANGUAGES: Mapping[str, tuple[RuleName, ...]] = {
    "ar": ("arabic-prefixes",),
    "de": ("german-contraction",),
    "en": ("a-an",),
    "es": ("spanish-contraction", "spanish-conjunctions"),
    "fr": ("french-contraction", "french-elision"),
    "it": ("italian-contraction", "italian-elision"),
    "ru": ("russian-prepositions",),
}
"""The rules that normal spelling needs, by the language's subtag. Their order matters: *da il Iran* becomes
first *dal Iran* and then *dall’Iran*."""


def named_rules(names: Sequence[str], aspirated: Aspirated = frozenset()) -> tuple[SoundRule, ...]:
    """Return the rules ``names`` in their order; raises KeyError for an unknown name."""
    return tuple(RULES[name](aspirated) for name in names)
