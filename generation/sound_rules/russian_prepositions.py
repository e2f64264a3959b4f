"""Russian prepositions by the sounds after them: *со Швецией*, *об Италии*, *во Франции*, *ко льву*."""

from __future__ import annotations

import re
from functools import partial

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit
from nextset.letter_case import cased_like

__all__ = ["RUSSIAN_PREPOSITIONS", "russian_prepositions"]

_PREPOSITION = re.compile(
    r"(?<![\w-])(обо?|о|со?|во?|ко?|изо?|ото?|подо?|надо?|передо?|безо?) (?=[«„“\"(]*([а-яё][\w-]*))",
    re.IGNORECASE,
)
_C = "[бвгджзклмнпрстфхцчшщьъ]"
# льва, льда, лба, лжи, льна, рта, ржи, мха: words that lost the vowel of лев, лёд, лоб; and мной
_FLEETING = (
    r"(?:(?:льв|льд)(?:а|у|ом|е|ы|ов|ам|ами|ах)|(?:лб|рт|мх)(?:а|у|ом|е|ы|и|ах)|льн(?:а|у|ом|е)"
    r"|(?:лж|рж)(?:и|ью)|мн(?:е|ой|ою))(?!\w)"
)
_ALL = r"вс(?:ех|ем|еми|ему|его|ё|ём|ей|ею|ю|як\w+)(?!\w)"
_MANY = r"множ|мног(?!о(?!\w))"
_SECOND = r"втор(?:о[йгме]|ы|ая|ую|ник)"
_LONG = {
    "с": rf"[сзшж]{_C}|{_FLEETING}|{_ALL}|{_MANY}|{_SECOND}",
    "в": rf"[вф]{_C}|{_FLEETING}|{_MANY}|(?:двор(?:е|ы|ах)?|сне|тьме|мгле|мраке)(?!\w)",
    "к": rf"{_FLEETING}|{_ALL}|{_MANY}|{_SECOND}|(?:сну|дну|дню|двору)(?!\w)",
    "из": r"рта(?!\w)",
    "под": r"мно[йю](?!\w)",
    "над": r"мно[йю](?!\w)",
    "перед": r"мно[йю](?!\w)",
}
"""By preposition, a pattern for the beginning of the words before which it ends in о."""
_CLUSTER = "[лмр][бвгджзклмнпрстфхцчшщ]|ль[внд]"
_EITHER = {
    "с": rf"щ|в[сзтм]|дн|двор|пс|{_CLUSTER}",
    "в": rf"двор|сн|зл|чт|христ|{_CLUSTER}",
    "к": rf"в[сзт]|дн|христ|{_CLUSTER}",
}
"""By preposition, a pattern for words before which both forms are right: *ко Всеволоду*, *к Всеволоду*."""
_EITHER_OTHERS = rf"в[сзт]|дн|сн|двор|{_CLUSTER}"
_ABOUT_ALL = r"(?:мне|вс(?:ех|ём|ем|ей|як\w+))(?!\w)"
# МГУ, СССР, СМИ: read letter by letter or as a word
_INITIALS = re.compile(r"[БВГДЖЗКЛМНПРСТФХЦЧШЩ]{2}[А-ЯЁ]*(?!\w)")


def russian_prepositions(text: str) -> list[Edit]:
    """Return edits that choose between с and со, в and во, о, об and обо, к and ко, из and изо and the like.

    The written form stays if both forms are right before a word, or if the word is a row of capitals that
    begins with two consonants.
    """
    edits = []
    for match in _PREPOSITION.finditer(text):
        written, word = match[1].lower(), match[2]
        if _INITIALS.match(word):
            continue
        new = (_about if written in ("о", "об", "обо") else partial(_form, written))(word.lower())
        if new != written:
            edits.append(Edit(match.start(), match.end() - 1, cased_like(new, match[1]), match.start(2)))
    return edits


def _about(word: str) -> str:
    if re.match(_ABOUT_ALL, word):
        return "обо"
    return "об" if word[0] in "аоуэи" else "о"


def _form(written: str, word: str) -> str:
    """Return the form of a preposition before ``word``, both in lower case; ``written`` if both are right."""
    short = written.removesuffix("о")
    if short in _LONG and re.match(_LONG[short], word):
        return f"{short}о"
    return written if re.match(_EITHER.get(short, _EITHER_OTHERS), word) else short


RUSSIAN_PREPOSITIONS = NamedSoundRule(
    "russian-prepositions",
    russian_prepositions,
    change="*с/со, о/об/обо, в/во, к/ко, из/изо …* by the sounds that follow",
    examples=("с Швецией", "о Италии", "в Франции"),
    languages=("ru",),
)
