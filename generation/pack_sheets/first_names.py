"""Candidate first names by gender, from the locales of Faker."""

from __future__ import annotations

import pkgutil
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from nextset.generation.pack_sheets.optional_language_packages import language_package

__all__ = ["FirstNames", "first_names"]


@dataclass(frozen=True)
class FirstNames:
    """Candidate names for a native speaker to choose from."""

    locale: str
    """Faker's locale, such as de_DE; empty if Faker has no first names of the language."""
    female: tuple[str, ...]
    """Names of women, in the order of Unicode."""
    male: tuple[str, ...]
    """Names of men."""
    dropped: int
    """The number of names that were dropped because they are in both lists."""


def first_names(language: str, territory: str, most: int) -> FirstNames:
    """Return up to ``most`` names of each gender for a BCP 47 tag, spread over the alphabet.

    If a language has several locales, ``territory`` (an ISO code, may be empty) decides, else the number of
    names. Raises DependencyMissing without Faker.
    """
    person = language_package("faker.providers.person")
    base = language.split("-")[0]
    named = [m.name for m in pkgutil.iter_modules(person.__path__)]
    locales = [name for name in sorted(named) if name.split("_")[0] == base]
    name_lists = [names for locale in locales if (names := _names(locale)) is not None]
    if not name_lists:
        return FirstNames("", (), (), 0)
    locale, female, male = max(
        name_lists, key=lambda n: (n[0].split("_")[-1] == territory, min(len(n[1]), len(n[2])))
    )
    both = female & male
    women, men = (_spread(sorted(names - both), most) for names in (female, male))
    return FirstNames(locale, women, men, len(both))


def _names(locale: str) -> tuple[str, set[str], set[str]] | None:
    """Return the locale with its names of women and of men; None if it has no names."""
    provider = language_package(f"faker.providers.person.{locale}").Provider
    lists = [getattr(provider, f"first_names_{gender}", None) or () for gender in ("female", "male")]
    female, male = ({n for name in names if (n := _usable(str(name)))} for names in lists)
    return (locale, female, male) if female and male else None


def _usable(name: str) -> str:
    """Return ``name`` in NFC; empty if it has characters other than letters, marks and hyphens."""
    name = unicodedata.normalize("NFC", name).strip()
    letters = all(unicodedata.category(c)[0] in "LM" or c in "-’'\u200c\u200d" for c in name)
    return name if letters and name else ""


def _spread(names: Sequence[str], most: int) -> tuple[str, ...]:
    """Return ``most`` of ``names`` at equal distances, so that their first letters vary."""
    if len(names) <= most:
        return tuple(names)
    return tuple(names[i * len(names) // most] for i in range(most))
