"""Cases and female forms of Russian surnames: *Ивановым*, *Ивановой*, *Достоевская*, *Шевченко*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.derived_forms.form_parts import DerivedForm, base_form
from nextset.generation.slots import Features

__all__ = ["russian_surnames"]

_CASES = ("nom", "gen", "dat", "acc", "ins", "loc")
_NAME = re.compile(r"[А-ЯЁ][а-яё]+")
_VOWEL = "[аеёиоуыэюя]"
# Иванов, Пушкин: a vowel comes before the suffix; short nouns and names lack it (Лев, Грин)
_POSSESSIVE = re.compile(rf"(.*{_VOWEL}.*(?:[оеё]в|[иы]н))", re.IGNORECASE)
_ADJECTIVE = re.compile(r"(.+[сц]к)[ио]й", re.IGNORECASE)
_FEMALE_ADJECTIVE = re.compile(r"(.+[сц]к)ая", re.IGNORECASE)
_INDECLINABLE = re.compile(r".*(?:енко|[ая]го|.ых|[гк]их)", re.IGNORECASE)
_ENDINGS = {
    "possessive m": ("", "а", "у", "а", "ым", "е"),
    "possessive f": ("а", "ой", "ой", "у", "ой", "ой"),
    "adjective m": ("", "ого", "ому", "ого", "им", "ом"),
    "adjective f": ("ая", "ой", "ой", "ую", "ой", "ой"),
}
# Names in -ов and -ев that have no female form: first names and foreign surnames.
_OTHERS = re.compile(
    r"яков|иаков|иов|бюлов|вирхов|збигнев|збигниев|кшиштов|калев|любов|вацлов|ласлов|сулев", re.IGNORECASE
)


def russian_surnames(forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the form of a surname in -ов, -ев, -ин, -ын, -ский, -цкий for a ``key`` with a case, f, or both.

    Surnames in -ов, -ев, -ин, -ын have different cases from first names and places with these endings
    (*Якова*, *Яковом*; *Киевом*), and names in -ин may have no female form (*Мартин*). So their cases are
    derived only if both genders are listed (*Пушкин*, *Пушкина*). The same holds for the accusative in
    -ского, which places lack. The female form is derived only for -ов, -ев, -ский, -цкий. pre is another
    name for loc. Surnames in -енко, -аго, -ых have one form. None for other endings.
    """
    case = key & {*_CASES, "pre"}
    gender = key & {"f", "m"}
    if len(case) > 1 or len(gender) > 1 or "pl" in key or not case | gender:
        return None
    bare = key - case - gender
    male = base_form(forms, bare | {"m"}) or base_form(forms, bare)
    female = base_form(forms, bare | {"f"})
    index = _CASES.index("loc" if case == {"pre"} else next(iter(case), "nom"))
    if gender != {"f"}:
        return _of_man(male, female, index) if male and _NAME.fullmatch(male) else None
    if female is None and male is not None and not case and _NAME.fullmatch(male):
        made = None if _POSSESSIVE.fullmatch(male) and male[-1] == "н" else _female(male)
        return DerivedForm(made, "") if made and not _OTHERS.fullmatch(male) else None
    return _of_woman(male, female or male, index)


def _of_man(male: str, female: str | None, index: int) -> DerivedForm | None:
    """Return a name listed without a gender or for men, in the case at ``index``."""
    if index == 0 or _INDECLINABLE.fullmatch(male):
        return DerivedForm(male, "")
    if adjective := _ADJECTIVE.fullmatch(male):
        if index == _CASES.index("acc") and female != f"{adjective[1]}ая":
            return None  # вижу Жуковского, the man; вижу Жуковский, the town
        return DerivedForm(adjective[1] + _ENDINGS["adjective m"][index], "")
    if adjective := _FEMALE_ADJECTIVE.fullmatch(male):
        return DerivedForm(adjective[1] + _ENDINGS["adjective f"][index], "")
    if not _POSSESSIVE.fullmatch(male) or female != f"{male}а":
        return None
    return DerivedForm(male + _ENDINGS["possessive m"][index], "")


def _of_woman(male: str | None, female: str | None, index: int) -> DerivedForm | None:
    """Return a name listed for women, or one with a female ending, in the case at ``index``."""
    if female is None or not _NAME.fullmatch(female):
        return None
    if _INDECLINABLE.fullmatch(female):
        return DerivedForm(female, "")
    if adjective := _FEMALE_ADJECTIVE.fullmatch(female):
        return DerivedForm(adjective[1] + _ENDINGS["adjective f"][index], "")
    if male is None or female != f"{male}а" or not _POSSESSIVE.fullmatch(male):
        return None
    return DerivedForm(male + _ENDINGS["possessive f"][index], "")


def _female(male: str) -> str | None:
    """Return the female form of a surname; None if its ending is not that of a surname."""
    if _INDECLINABLE.fullmatch(male) or _FEMALE_ADJECTIVE.fullmatch(male):
        return male
    if adjective := _ADJECTIVE.fullmatch(male):
        return f"{adjective[1]}ая"
    return f"{male}а" if _POSSESSIVE.fullmatch(male) else None
