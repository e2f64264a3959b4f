"""Spanish *y* and *o* before the same sound: *e Irene*, *u Olga*."""

from __future__ import annotations

import re
import unicodedata

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit
from nextset.letter_case import cased_like

__all__ = ["SPANISH_CONJUNCTIONS", "spanish_conjunctions"]

_CONJUNCTION = re.compile(r"(?<![\w’'-])([yo]) (?=[«“\"(¿¡]*(\w[\w.]*))", re.IGNORECASE)
# An i that is a syllable: Irene, hindú, Yves; not the i of hierro, ionosfera, Yemen. Ian has two syllables.
_I = re.compile(r"(?:hi|i|y)(?![aeiouy])|ian(?!\w)")
_O = re.compile(r"h?o")
# ocho, ochenta, ochocientos, ocho mil; once, once mil
_O_NUMBER = re.compile(r"8|11(?:[. ]?000)?(?!\d)")
_ROMAN = re.compile(r"[IVX]{2,}\Z")


def spanish_conjunctions(text: str) -> list[Edit]:
    """Return edits of *y* to *e* before the vowel i, and of *o* to *u* before the vowel o, also in numbers.

    *y* stays before a diphthong (*y hierro*, *y hiato*), before *y* with a consonant sound (*y Yemen*), and
    as the first word of a question (*¿Y Inés?*), following the Diccionario panhispánico de dudas (RAE).
    """
    edits = []
    for match in _CONJUNCTION.finditer(text):
        word = match[1]
        folded = unicodedata.normalize("NFD", match[2]).casefold()
        if word in "yY":
            asks = text[: match.start()].endswith("¿")
            change = bool(_I.match(folded)) and not asks and not _ROMAN.match(match[2])
        else:
            change = bool(_O.match(folded) or _O_NUMBER.match(match[2]))
        if change:
            new = cased_like("e" if word in "yY" else "u", word)
            edits.append(Edit(match.start(), match.start() + 1, new, match.start(2)))
    return edits


SPANISH_CONJUNCTIONS = NamedSoundRule(
    "spanish-conjunctions",
    spanish_conjunctions,
    change="*y* → *e* before *i-, hi-*; *o* → *u* before *o-, ho-*",
    examples=("Ana y Irene", "Juan o Olga"),
    languages=("es",),
    after=("spanish-contraction",),
)
