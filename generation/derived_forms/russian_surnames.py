"""Cases and female forms of Russian surnames: *Ивановым*, *Ивановой*, *Достоевская*, *Шевченко*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.derived_forms.form_parts import DerivedForm, base_form
from nextset.generation.questions.slots import Features

__all__ = ["russian_surnames"]

_CASES = ("nom", "gen", "dat", "acc", "ins", "loc")
_VOWEL = "[аеёиоуыэюя]"
# Иванов, Пушкин: with a vowel before the suffix, which short nouns and names lack (Лев, Грин, Сова)
_POSSESSIVE = re.compile(rf"(.*{_VOWEL}.*(?:[оеё]в|[иы]н))(а)?", re.IGNORECASE)
_ADJECTIVE = re.compile(r"(.+[сц]к)(?:[ио]й|(ая))", re.IGNORECASE)
_INDECLINABLE = re.compile(r".*(?:[ое]|ых|[гк]их)", re.IGNORECASE)
_ENDINGS = {
    "possessive m": ("", "а", "у", "а", "ым", "е"),
    "possessive f": ("а", "ой", "ой", "у", "ой", "ой"),
    "adjective m": ("", "ого", "ому", "ого", "им", "ом"),
    "adjective f": ("ая", "ой", "ой", "ую", "ой", "ой"),
}
# Names that end like one: first names, and foreign surnames with -ом in the instrumental and no female form
_OTHERS = re.compile(
    r"""
    августин | алвин | антонин | бенджамин | болдуин | бюлов | валентин | вениамин | вирхов | гершвин |
    дарвин | кевин | кельвин | константин | кронин | мартин | марин | мервин | робин | севастьян |
    франклин | цеппелин | чаплин | эдвин | эрвин
    """,
    re.VERBOSE,
)


def russian_surnames(forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the form of a surname in -ов, -ев, -ин, -ын, -ский, -цкий for a ``key`` with a case, f, or both.

    It is made of the listed form of the gender, or of the listed one without a gender. pre is another name of
    loc. Surnames in -о, -е, -ых have one form. None for other endings, for foreign names that end alike
    (*Дарвин*), and for *-ина* without the feature f, which may be either (*Калина*).
    """
    case = key & {*_CASES, "pre"}
    gender = key & {"f", "m"}
    if len(case) > 1 or len(gender) > 1 or "pl" in key or not case | gender:
        return None
    of_gender = base_form(forms, key - case)
    text = of_gender or base_form(forms, key - case - gender)
    if text is None or not re.fullmatch(r"[А-ЯЁ][а-яё]+", text):
        return None
    index = _CASES.index("loc" if case == {"pre"} else next(iter(case), "nom"))
    return _declined(text, index, gender, certain=of_gender is not None and bool(gender))


def _declined(text: str, index: int, gender: Features, *, certain: bool) -> DerivedForm | None:
    """Return ``text`` in the case at ``index``; ``certain`` is whether it is listed for the ``gender``."""
    if _INDECLINABLE.fullmatch(text):
        return DerivedForm(text, "")
    kind = "adjective" if _ADJECTIVE.fullmatch(text) else "possessive"
    match = _ADJECTIVE.fullmatch(text) or _POSSESSIVE.fullmatch(text)
    if not match or _OTHERS.fullmatch(text.lower().removesuffix("а")):
        return None
    stem, female = match[1], bool(match[2])
    if female and (gender == {"m"} or (stem[-2:] in ("ин", "ын") and not certain)):
        return None
    if certain and gender == {"f"} and not female:
        return None
    ending = _ENDINGS[f"{kind} {'f' if female or gender == {'f'} else 'm'}"][index]
    return DerivedForm(stem + ending if ending else text, "")
