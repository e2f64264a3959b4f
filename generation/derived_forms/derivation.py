"""The derivations that a language pack can name, and the form from the first one that fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nextset.generation.derived_forms.form_parts import Derivation, DerivedForm
from nextset.generation.derived_forms.french_plurals import french_plurals
from nextset.generation.derived_forms.russian_surnames import russian_surnames
from nextset.generation.derived_forms.spanish_plurals import spanish_plurals
from nextset.generation.derived_forms.turkish_cases import turkish_cases
from nextset.generation.slots import Features

__all__ = ["DERIVATIONS", "Derivation", "DerivedForm", "derived_form"]

DERIVATIONS: dict[str, Derivation] = {
    "turkish-cases": turkish_cases,
    "spanish-plurals": spanish_plurals,
    "french-plurals": french_plurals,
    "russian-surnames": russian_surnames,
}
"""The derivations by their names."""


def derived_form(names: Iterable[str], forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the form ``key`` that the first fitting derivation in ``names`` makes from the listed ``forms``.

    A listed form always wins: it is returned whole, without a suffix. None if no rule is safe for the word:
    then the form must be listed. Raises KeyError for an unknown name.
    """
    if key in forms:
        return DerivedForm(forms[key], "")
    derived = (DERIVATIONS[name](forms, key) for name in names)
    return next((form for form in derived if form is not None), None)
