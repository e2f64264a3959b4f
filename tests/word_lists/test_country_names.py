"""Names of countries are those of Unicode CLDR in every language, apart from a list with reasons."""

from __future__ import annotations

import pytest
from babel import Locale

from nextset.generation.questions.question_set import Subject
from tests.word_lists.shipped_packs import LANGUAGES, pack_of, subjects_of

CODES = {
    "America": "US",
    "Britain": "GB",
    "Burma": "MM",
    "Ivory Coast": "CI",
    "Korea": "KR",
    "Palestine": "PS",
    "Turkey": "TR",
}
"""The territories of keys that are not CLDR's English names; other keys are."""

SHORT = "the usual short name"
SIDES = "CLDR names territories, and the packs take no side on what is a state"
BOTH = "CLDR gives two names, and a subject has one"
UNQOVER = "the name in UnQover's lists"

DIFFERENT: dict[str, dict[str, str]] = {
    "ar": {"Britain": SHORT, "Palestine": SIDES, "United Arab Emirates": SHORT},
    "de": {"America": SHORT, "Britain": SHORT},
    "en": {
        "America": UNQOVER,
        "Britain": UNQOVER,
        "Burma": UNQOVER,
        "Korea": UNQOVER,
        "Palestine": UNQOVER,
        "Turkey": UNQOVER,
    },
    "es": {"Palestine": SIDES},
    "fr": {
        "Britain": SHORT,
        "Burma": BOTH,
        "Korea": "the demonym is said of both Koreas",
        "Palestine": SIDES,
        "Vietnam": "the usual spelling, which CLDR has as Viêt Nam",
    },
    "hi": {"America": SHORT, "Britain": SHORT, "Burma": BOTH, "Palestine": SIDES},
    "ru": {"America": SHORT, "Korea": "the demonym is said of both Koreas", "Palestine": SIDES},
    "tr": {"America": SHORT, "Palestine": SIDES},
    "zh": {
        "Indonesia": "a short name, which does not contain that of India",
        "Mongolia": "the name of the state, apart from the region",
        "Palestine": SIDES,
    },
}


def english_codes() -> dict[str, str]:
    return {name: code for code, name in Locale("en").territories.items() if len(code) == 2} | CODES


def name(subject: Subject) -> str:
    """The part of the base form that is the answer: *Türkei* of *die {Türkei}*."""
    return subject.forms[frozenset()][slice(*subject.answer(frozenset()))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_of_countries_are_those_of_cldr(language: str) -> None:
    territories = Locale.parse(language).territories
    codes = english_codes()
    listed = subjects_of(pack_of(language), "countries")
    assert len(listed) >= 40
    assert listed.keys() <= codes.keys()
    different = {
        key: (name(s), territories[codes[key]])
        for key, s in listed.items()
        if name(s) != territories[codes[key]]
    }
    assert different.keys() == DIFFERENT.get(language, {}).keys(), different
