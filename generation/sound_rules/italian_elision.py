"""Italian articles by the sound after them: *il studente* is *lo studente*, *la amica* is *l’amica*."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit
from nextset.letter_case import cased_like

__all__ = ["ITALIAN_ELISION", "Onset", "italian_elision", "onset"]

Onset = Literal["vowel", "heavy", "light", "unknown"]
"""The first sound of a word: a vowel (*l’amico*), consonants that take *lo* (*lo studente*), consonants that
take *il*, or a sound that the spelling does not show (*j*, a digit, *FBI*)."""

_COMPOUND = "de|a|da|ne|su|que|be"
_ARTICLE = re.compile(
    rf"""
    (?<![\w’'-])
    (?: (?P<il>il | (?:{_COMPOUND})l)
      | (?P<lo>lo | (?:{_COMPOUND})llo)
      | (?P<la>la | (?:{_COMPOUND})lla)
      | (?P<i>i | (?:{_COMPOUND})i)
      | (?P<un>(?:ness|alc|ciasc)?un)
      | (?P<una>(?:ness|alc|ciasc)?una) )
    \ (?=[«“"(]*(\w+))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_KINDS = ("il", "lo", "la", "i", "un", "una")
_HEAVY = re.compile(r"s[^aeiouy\W\d]|z|gn|p[nst]|x|y[aeiou]|i[aeou]|bd|ct|ft|mn|tm")
_SPELT = re.compile(r"[B-DF-HJ-NP-TV-Z]{2}[A-Z]*\Z")


def onset(word: str) -> Onset:
    """Return the first sound of ``word``: *ebreo*, *Honduras*: vowel; *svizzero*, *yemenita*: heavy."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).casefold()
    if _SPELT.match(word):
        return "unknown"
    if bare[:1] == "h":
        return "vowel"
    if _HEAVY.match(bare):
        return "heavy"
    if bare[:1] in ("a", "e", "i", "o", "u", "y"):
        return "vowel"
    return "unknown" if not bare[:1].isalpha() or bare[0] == "j" else "light"


def italian_elision(text: str) -> list[Edit]:
    """Return edits to articles, articulated prepositions, *quel*, *bel*, *un*, *nessun* and the like.

    Write *il*, *i* and *un*: the rule turns them into *lo*, *gli*, *uno* and *l’* if the sound requires it.
    It never turns *lo* into *il* or *gli* into *i*, since *lo* and *gli* can be pronouns (*chi lo vede?*).
    """
    edits = []
    for match in _ARTICLE.finditer(text):
        article = match[0][:-1]
        new = _agreed(next(kind for kind in _KINDS if match[kind]), article.casefold(), onset(match[7]))
        if new is not None:
            edits.append(Edit(match.start(), match.end(), cased_like(new, article), match.start(7)))
    return edits


def _agreed(kind: str, article: str, sound: Onset) -> str | None:
    """Return the form of ``article`` before ``sound``, with its space if any; None if it does not change."""
    if sound in ("light", "unknown"):
        return None
    vowel = sound == "vowel"
    if kind == "il":
        stem = "" if article == "il" else f"{article[:-1]}l"
        return f"{stem}l’" if vowel else f"{stem}lo "
    if kind == "i":
        return f"{article[:-1]}gli "
    if kind == "un":
        return None if vowel else f"{article}o "
    return f"{article[:-1]}’" if vowel else None


ITALIAN_ELISION = NamedSoundRule(
    "italian-elision",
    italian_elision,
    change="*lo, la, una, dello …* → *l’, un’, dell’ …* before a vowel; *il* or *lo*, *un* or *uno* by sound",
    examples=("il studente", "la amica", "del Iran", "i ebrei"),
    languages=("it",),
    after=("italian-contraction",),
)
