"""Spanish plurals of single words: *alemanes*, *jueces*, *jóvenes*, *marroquíes*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.derived_forms.form_parts import DerivedForm, base_form
from nextset.generation.slots import Features

__all__ = ["spanish_plurals", "syllable_vowels"]

_WORD = re.compile(r"[a-záéíóúüñ]+")
_STRONG = frozenset("aeoáéóíú")
_PLAIN = str.maketrans("áéíóúÁÉÍÓÚ", "aeiouAEIOU")
_ACCENTED = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")
# menús, not menúes; the others in -í and -ú have -es in careful use
_ONLY_S = re.compile(
    r"""
    menú | champú | vermú | interviú | tutú | canesú | ambigú | popurrí | benjuí | gilí | pirulí
    """,
    re.VERBOSE,
)
_SHIFTS = re.compile(
    r"""
    carácter | júnior | sénior | influencer | hacker | manager | youtuber | gamer
    """,
    re.VERBOSE,
)
# The old words in -j; later ones have only -s (sijs), or either ending.
_J = frozenset({"reloj", "boj", "carcaj", "troj"})
_Y = frozenset({"rey", "ley", "grey", "buey", "virrey", "convoy"})


def spanish_plurals(forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the plural for a ``key`` with the feature pl, by the rules of the RAE.

    None for several words, for foreign endings (*club*, *gay*), for most words in -j, and for words whose
    stress moves (*carácter*, *régimen*).
    """
    text = base_form(forms, key - {"pl"}) if "pl" in key else None
    if text is None or not _WORD.fullmatch(text.lower()):
        return None
    plural = _plural(text)
    return DerivedForm(plural, "") if plural else None


def syllable_vowels(word: str) -> list[tuple[int, int]]:
    """Return the start and end of the vowels in each syllable of ``word``, which is in lower case."""
    syllables: list[tuple[int, int]] = []
    for i, letter in enumerate(word):
        silent = letter == "u" and (word[i - 1 : i] == "q" or re.match(r"gu[eiéí]", word[max(0, i - 1) :]))
        # An h between vowels is silent: truhan has one syllable, mohín has two because of its accent.
        vowel = letter in "aeiouáéíóúü" or (letter == "y" and i == len(word) - 1)
        if not vowel or silent:
            continue
        beside = bool(syllables) and (
            syllables[-1][1] == i or (syllables[-1][1] == i - 1 and word[i - 1] == "h")
        )
        if beside and not (letter in _STRONG and word[syllables[-1][1] - 1] in _STRONG):
            syllables[-1] = (syllables[-1][0], i + 1)
        else:
            syllables.append((i, i + 1))
    return syllables


def _plural(text: str) -> str | None:
    word = text.lower()
    vowels = syllable_vowels(word)
    accents = [i for i, letter in enumerate(word) if letter in "áéíóú"]
    if not vowels or _SHIFTS.fullmatch(word) or len(accents) > 1:
        return None
    if accents and len(vowels) > 2 and accents[0] < vowels[-2][0] and word[-1] in "nlrdz":
        return None
    stressed_at_end = len(vowels) == 1 or (bool(accents) and accents[0] >= vowels[-1][0])
    last = word[-1]
    if last in "íú":
        return text + ("s" if _ONLY_S.fullmatch(word) else "es")
    if last in "aeiouáéó":
        return f"{text}s"
    if last in "sx" and (accents or len(vowels) == 1 or last == "s"):
        return f"{_without_accent(text)}es" if stressed_at_end else text
    if word == "sij":
        return f"{text}s"
    if last == "z":
        return f"{text[:-1]}ces"
    if last == "n" and not stressed_at_end:
        return None if accents else _with_accent(text, vowels[-2])
    if last in "nlrd" or word in _J:
        return f"{_without_accent(text) if last == 'n' else text}es"
    return f"{text}es" if word in _Y else None


def _without_accent(text: str) -> str:
    """Return ``text`` without its accent, except the accent of an *í* or *ú* after a vowel: *países*."""
    if re.search(r"[aeo]h?[íú]", text.lower()):
        return text
    return text.translate(_PLAIN)


def _with_accent(text: str, syllable: tuple[int, int]) -> str | None:
    """Return the plural of ``text`` with an accent on the vowel of ``syllable``; None for a diphthong."""
    start, end = syllable
    if end - start > 1:
        return None
    return f"{text[:start]}{text[start].translate(_ACCENTED)}{text[end:]}es"
