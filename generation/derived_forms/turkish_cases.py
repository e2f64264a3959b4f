"""Turkish case suffixes: vowel harmony, buffer letters, d and t, and the apostrophe after a name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.derived_forms.form_parts import DerivedForm, base_form
from nextset.generation.slots import Features

__all__ = ["lower_case", "turkish_cases"]

# By case: after a consonant, after a vowel, after the possessive (evi, evini). A is a or e, D is d or t,
# I is ı, i, u or ü.
_SUFFIXES = {
    "acc": ("I", "yI", "nI"),
    "dat": ("A", "yA", "nA"),
    "loc": ("DA", "DA", "ndA"),
    "abl": ("DAn", "DAn", "ndAn"),
    "gen": ("In", "nIn", "nIn"),
    "ins": ("lA", "ylA", "ylA"),
}
_VOWELS = "aeıioöuü"
_BACK = frozenset("aıou")
_FOURFOLD = {"a": "ı", "ı": "ı", "e": "i", "i": "i", "o": "u", "u": "u", "ö": "ü", "ü": "ü"}
_VOICELESS = frozenset("fstkçşhp")
_CIRCUMFLEX = str.maketrans("âîû", "aiu")
_LETTERS = re.compile(r"[abcçdefgğhıijklmnoöprsştuüvyzâîû-]+")
# The second word of these names is in the possessive: Çek Cumhuriyeti, Fildişi Sahili, Solomon Adaları.
_POSSESSIVE_HEAD = re.compile(
    r".*l[ae]r[ıi]|.*[aeıioöuü]s[ıiuü]|cumhuriyeti|krallığı|sahili|devleti|birliği|federasyonu"
)
_PLURAL = re.compile(r".{2,}l[ae]r")
# Jack, Beth, Bill, Lee: the spelling of foreign names does not show their last sound.
_FOREIGN = re.compile(r".*(?:ck|sh|th|ph|gh|ch|([bcdfgklmnprstz])\1)|.*(?:ee|oo|ck|sch).*")
_NOT_POSSESSIVE = frozenset({"asi", "siyasi", "vasi"})
# Loans with a soft l or t have front suffixes although their vowel is a back vowel: golü, Kemal’e, saati.
_SOFT_L = re.compile(r".*[aou]l")
_SOFT_T = re.compile(r".*at")
_FRONT = re.compile(
    r"""
    harf | kalp | harp | terk | idrak | helak | iştirak | infilak | emlak | ittifak
    """,
    re.VERBOSE,
)
# The other nouns in p, ç, t, k and g may have b, c, d, ğ before a vowel: kitabı.
_HARD = re.compile(r".*ist|avukat|bürokrat|diplomat|demokrat|pilot|atlet")
# burun, burnu: the last vowel goes; hak, hakkı: the last consonant doubles. Only before a vowel.
_LOSES_VOWEL = re.compile(
    r"""
    ağız | alın | asır | akıl | avuç | bağır | beniz | beyin | boyun | böğür | burun | cisim | cürüm |
    devir | ecir | emir | fiil | fikir | göğüs | gönül | hacim | hapis | hasım | hüküm | ilim | isim |
    izin | kabir | karın | kasıt | kayın | kesir | keyif | kısım | koyun | lütuf | metin | meyil | nabız
    | nakil | nefis | nehir | nesil | oğul | omuz | ömür | özür | rahim | resim | ritim | sabır | seyir
    | şahıs | şehir | şekil | tavır | vakit | vezin | zehir | zihin | zulüm
    """,
    re.VERBOSE,
)
_DOUBLES = re.compile(
    r"""
    af | had | hak | hal | has | hat | haz | his | hac | mahal | muhip | ret | sır | şık | tıp | zan |
    zıt
    """,
    re.VERBOSE,
)
_IN_LI = re.compile(r".{2,}l[ıiuü]")
_NAMES_IN_LI = frozenset({"ali", "aslı", "veli", "nazlı", "mali", "somali", "bali"})


def lower_case(word: str) -> str:
    """Return ``word`` in Turkish small letters: I becomes ı, İ becomes i."""
    return word.replace("I", "ı").replace("İ", "i").lower()


def turkish_cases(forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the form of ``key`` with its case suffix: *Türkiye’ye*, *Ahmet’ten*, *öğretmeni*, *Türkleri*.

    A name keeps its spelling and takes an apostrophe, but not if it is a plural (*Türkleri*) or a demonym in
    *-li* (*Suriyeliyi*), as the Turkish Language Association has it. None for words whose stem may change
    (*kitap*, *şehir*, *hak*) or whose suffixes may not follow their last vowel (*Kemal*, *saat*), for foreign
    spelling (*Jack*), for names in *-ler* not listed as pl (*Türkler*, *Adalar*), for initials that may be a
    word (*AIDS*), and if a word may or may not be a possessive (*ev hanımı*).
    """
    cases = key & _SUFFIXES.keys()
    text = base_form(forms, key - cases) if len(cases) == 1 else None
    if text is None:
        return None
    (case,) = cases
    word = text.split(" ")[-1]
    if len(word) > 1 and word.isupper():
        return _after_initials(text, word, case)
    folded = lower_case(word).translate(_CIRCUMFLEX)
    if not _LETTERS.fullmatch(lower_case(word)) or not set(folded) & set(_VOWELS) or folded[-1] == "-":
        return None
    column = 1 if folded[-1] in _VOWELS else 0
    in_li = bool(_IN_LI.fullmatch(folded)) and folded not in _NAMES_IN_LI
    if " " in text and folded[-1] in "ıiuü" and not (in_li and "dem" in key):
        if not _POSSESSIVE_HEAD.fullmatch(folded) or folded in _NOT_POSSESSIVE:
            return None
        column = 2
    is_name = word[0].isupper()
    if not _suffix_is_regular(folded, is_name, before_vowel=column == 0 and case in ("acc", "dat", "gen")):
        return None
    apostrophe = "’" if is_name else ""
    if is_name and (_FOREIGN.fullmatch(folded) or (_PLURAL.fullmatch(folded) and "pl" not in key)):
        return None
    if is_name and ("pl" in key or (column == 1 and in_li)):
        if not {"pl", "dem"} & key:
            return None
        apostrophe = ""
    return DerivedForm(text, apostrophe + _harmonised(_SUFFIXES[case][column], folded))


def _suffix_is_regular(word: str, is_name: bool, *, before_vowel: bool) -> bool:
    """Return whether the suffix of ``word`` follows the word's last vowel and leaves its stem unchanged."""
    if _SOFT_L.fullmatch(word) or _FRONT.fullmatch(word):
        return False
    if is_name:
        return True
    if _HARD.fullmatch(word):
        return True
    if _SOFT_T.fullmatch(word) or word in ("su", "ne"):
        return False
    return not before_vowel or not (
        word[-1] in "pçtkg" or _LOSES_VOWEL.fullmatch(word) or _DOUBLES.fullmatch(word)
    )


def _harmonised(suffix: str, word: str) -> str:
    """Return ``suffix`` with the vowels and the consonant that ``word`` requires."""
    vowel = next(c for c in reversed(word) if c in _VOWELS)
    written = ""
    for letter in suffix:
        if letter == "A":
            letter = "a" if vowel in _BACK else "e"
        elif letter == "I":
            letter = _FOURFOLD[vowel]
        elif letter == "D":
            letter = "t" if word[-1] in _VOICELESS else "d"
        written += letter
    return written


def _after_initials(text: str, word: str, case: str) -> DerivedForm | None:
    """Return a form of initials, which are read letter by letter (*ABD’ye*); None if they may be a word."""
    letters = lower_case(word)
    if not _LETTERS.fullmatch(letters) or letters[-1] in "hk-" or set(letters) & set("âîû"):
        return None
    if letters[-1] in _VOWELS:
        name = letters[-1]
    elif (len(letters) > 2 and letters[-2] in _VOWELS) or (len(letters) > 3 and set(letters) & set(_VOWELS)):
        return None
    else:
        name = f"{letters[-1]}e"
    return DerivedForm(text, "’" + _harmonised(_SUFFIXES[case][1], name))
