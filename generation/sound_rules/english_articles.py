"""English *a* and *an*: the first sound of a word decides, not its first letter."""

from __future__ import annotations

import re
import unicodedata

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit

__all__ = ["A_AN", "articles_by_letter", "articles_by_sound", "begins_with_vowel_sound"]

_ARTICLE = re.compile(r"(?<![^\s(\"“])([Aa])n? (?=[\"“(]?(\w[\w-]*))")
_BARE_ARTICLE = re.compile(r"(?<![^ ])([Aa]) (?=[aeiouAEIOU])")

# A letter's name has its own first sound: an FBI agent, a US senator.
_VOWEL_NAMED = frozenset("AEFHILMNORSX")
_CAPITALS = re.compile(r"([A-Z]{2,})(?:['’]?s)?\Z|([A-Z]{2,}|[A-Z](?=\d)|[a-z](?=[A-Z]))|([A-Za-z])\Z")
# Sources of what is read as a word: Merriam-Webster.com and The Chicago Manual of Style.
_ACRONYM = re.compile(
    r"(?:[B-DF-HJ-NP-TV-Z]|[BCFGKP][LR]|[DT]R|S[CKLMNPTW]|[CST]H|WH)?(?:[AEIOUY]{1,2}[B-DF-HJ-NP-TV-XZ]{1,2})*?"
    r"[AEIOUY]{1,2}(?:[B-DF-HJ-NP-TV-XZ]|[LNR][DKST]|[LR][FMP]|R[BCN]|N[GN]|S[KPST]|[CFP]T|[CST]H|CK|LL|MP|TT)?"
)
"""A row of capitals that can be read as a word, such as NATO or STEM; not HBCU, NAACP or LAPD."""
_READ_AS_WORDS = frozenset({
    "FAR", "FAT", "FEW", "FIT", "FOIA", "FUN", "HER", "HIS", "HOT", "HUD", "LAN", "LAW", "LOW", "MADD",
    "MAN", "MEN", "MOM", "NEW", "NOAA", "NOW", "NUN", "RAM", "RED", "ROM", "SAD", "SHE", "SHY", "SIM",
    "SIN", "SIX", "SNCC", "SON",
})  # fmt: skip
_SPELT = frozenset({"UCLA", "UEFA", "UNAM", "USAID", "UNHCR", "USDA", "USMC", "USPS"})
_SILENT_H = re.compile(r"h(?:our|onest|onou?r|eir)")
# eight, eleven, eighteen, years of those centuries, and thousands
_VOWEL_NUMBER = re.compile(r"8|1[18](?:\d\d\d?)?(?!\d)")
_CONSONANT_SOUND = re.compile(
    r"""
    uni(?!n|de|m[^o]|rr|ro|ss)          # union, uniform; but uninformed, unimportant, unironed
    | unanim | unesco
    | us[aeiu]                          # use, usual, usury; but us, usher
    | ubi | ufo | ugand | uvula
    | uk[ru]                            # Ukrainian, ukulele
    | ur(?:a[ln]|e[atm]|i[cn]|olog|ugu) # uranium, urine, Uruguayan; but urban, urge
    | ut[aeio]                          # Utah, uterus, utility, utopia; but utter, utmost
    | u[iy]gh?ur
    | eu(?!ler) | ewe
    | one(?:\b|self|ness) | once\b      # one-off; but onerous
    | ouija | oaxac
    """,
    re.VERBOSE,
)


def begins_with_vowel_sound(word: str) -> bool:
    """Return whether ``word`` takes English *an*: an hour, a union, an FBI agent, an 18-year-old.

    If British and American pronunciation differ (herb, homage), the British one counts. Up to three
    capitals, and longer rows that cannot be read as a word (LGBTQ, NAACP), are read letter by letter.
    Punctuation before the first letter or digit is ignored; a word without letters and digits does not begin
    with a vowel sound.
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    match = re.search(r"[^\W_].*", bare, re.DOTALL)
    if match is None:
        return False
    bare = match[0]
    if bare[0].isdigit():
        return bool(_VOWEL_NUMBER.match(bare))
    first = re.split(r"[^\w'’]", bare)[0]
    if match := _CAPITALS.match(first):
        row = match[1] or match[2] or match[3]
        long = len(row) > 3 and _ACRONYM.fullmatch(row)
        if row in _SPELT or (row not in _READ_AS_WORDS and not long):
            return row[0].upper() in _VOWEL_NAMED
    folded = bare.casefold()
    if folded[0] in "aeiouøæœ":
        return not _CONSONANT_SOUND.match(folded)
    return bool(_SILENT_H.match(folded))


def articles_by_sound(text: str) -> list[Edit]:
    """Return edits to English *a* before a consonant sound and *an* before a vowel sound."""
    edits = []
    for match in _ARTICLE.finditer(text):
        article = match[1] + ("n" if begins_with_vowel_sound(match[2]) else "")
        if article != match[0][:-1]:
            edits.append(Edit(match.start(), match.end() - 1, article, match.start(2)))
    return edits


def articles_by_letter(text: str) -> list[Edit]:
    """Return edits by UnQover's rule: *a* becomes *an* before a vowel letter, *an* never becomes *a*."""
    return [Edit(m.start(), m.start() + 1, m[1] + "n", m.end()) for m in _BARE_ARTICLE.finditer(text)]


A_AN = NamedSoundRule(
    "a-an",
    articles_by_sound,
    change="English *a* or *an*, by the sound of the next word",
    examples=("a Asian", "an Turk"),
    languages=("en",),
)
