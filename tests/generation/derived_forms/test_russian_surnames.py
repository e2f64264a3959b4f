"""Russian surnames: worked examples, and what pymorphy3's dictionary says of common ones."""

from __future__ import annotations

import pymorphy3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.derived_forms.russian_surnames import russian_surnames
from nextset.generation.slots import Features

CASES = {"nom": "nomn", "gen": "gent", "dat": "datv", "acc": "accs", "ins": "ablt", "loc": "loct"}
SURNAMES = """
    Иванов Смирнов Кузнецов Попов Васильев Петров Соколов Михайлов Новиков Фёдоров Морозов Волков
    Алексеев Лебедев Семёнов Егоров Павлов Козлов Степанов Николаев Орлов Андреев Макаров Никитин
    Захаров Зайцев Соловьёв Борисов Яковлев Григорьев Романов Воробьёв Сергеев Кузьмин Фролов
    Александров Дмитриев Королёв Гусев Киселёв Ильин Максимов Поляков Сорокин Виноградов Ковалёв
    Белов Медведев Антонов Тарасов Жуков Баранов Филиппов Комаров Давыдов Беляев Герасимов Богданов
    Пушкин Гагарин Куприн Птицын Синицын Достоевский Чайковский Маяковский Вишневский Троицкий
"""


def declined(word: str, *features: str) -> str | None:
    """A form of ``word``, listed without a gender."""
    return formed({frozenset(): word}, *features)


def formed(forms: dict[Features, str], *features: str) -> str | None:
    found = russian_surnames(forms, frozenset(features))
    assert found is None or not found.suffix
    return found.text if found else None


def both(name: str) -> dict[Features, str]:
    """A surname as a list has it whose cases are to be derived."""
    female = f"{name[:-2]}ая" if name.endswith("ий") else f"{name}а"
    return {frozenset(): name, frozenset({"f"}): female}


@pytest.fixture(scope="module")
def morphology() -> pymorphy3.MorphAnalyzer:
    return pymorphy3.MorphAnalyzer()


@pytest.mark.parametrize("gender", ["m", "f"])
def test_common_surnames_are_declined_as_in_the_dictionary(
    gender: str, morphology: pymorphy3.MorphAnalyzer
) -> None:
    compared = 0
    for name in SURNAMES.split():
        as_surname = [
            p for p in morphology.parse(name) if {"Surn", "masc", "sing", "nomn"} <= p.tag.grammemes
        ]
        for case, grammeme in CASES.items():
            wanted = {grammeme, "masc" if gender == "m" else "femn", "sing"}
            for found in (p.inflect(wanted) for p in as_surname):
                if found:
                    ours = formed(both(name), case, gender)
                    assert ours is not None
                    assert ours.lower().replace("ё", "е") == found.word.replace("ё", "е"), name
                    compared += 1
    assert compared > 300


def test_a_female_surname_is_declined_as_one() -> None:
    assert [formed(both("Иванов"), case, "f") for case in CASES] == [
        "Иванова", "Ивановой", "Ивановой", "Иванову", "Ивановой", "Ивановой",
    ]  # fmt: skip
    assert declined("Достоевская", "acc") == "Достоевскую"
    assert declined("Достоевская", "acc", "f") == "Достоевскую"
    listed: dict[Features, str] = {frozenset({"f"}): "Калинина", frozenset({"m"}): "Калинин"}
    assert [formed(listed, "dat", gender) for gender in "fm"] == ["Калининой", "Калинину"]


def test_a_female_surname_is_made_where_the_ending_tells_one() -> None:
    assert declined("Иванов", "f") == "Иванова"
    assert declined("Достоевский", "f") == "Достоевская"
    assert declined("Трубецкой", "f") == "Трубецкая"
    assert declined("Мартин", "f") is None
    assert declined("Яков", "f") is None


@pytest.mark.parametrize(
    "name",
    [
        "Яков",
        "Киев",
        "Бенин",
        "Пекин",
        "Берлин",
        "Харьков",
        "Саратов",
        "Насреддин",
        "Амин",
        "Константин",
        "Лев",
        "Бородино",
        "Косово",
    ],
)
def test_first_names_and_places_are_no_surnames(name: str) -> None:
    for case in ("gen", "dat", "acc", "ins", "loc"):
        for gender in ([], ["m"], ["f"]):
            assert declined(name, case, *gender) is None


def test_a_place_in_a_sentence_with_gender_is_no_surname() -> None:
    assert declined("Жуковский", "dat") == declined("Жуковский", "dat", "m") == "Жуковскому"
    assert declined("Жуковский", "dat", "f") is None
    assert declined("Жуковский", "acc") is None
    assert formed(both("Жуковский"), "acc") == "Жуковского"
    assert declined("Молдова", "dat", "f") is None


def test_the_prepositional_case_has_two_names() -> None:
    assert formed(both("Иванов"), "pre") == formed(both("Иванов"), "loc") == "Иванове"


@pytest.mark.parametrize("word", ["Шевченко", "Черных", "Живаго", "Долгих"])
def test_one_form_for_all(word: str) -> None:
    assert {declined(word, case, gender) for case in CASES for gender in "fm"} == {word}


@pytest.mark.parametrize(
    "word",
    [
        "Лев",
        "Грин",
        "Дарвин",
        "Чаплин",
        "Калина",
        "Сова",
        "Цой",
        "Шварц",
        "иванов",
        "Ivanov",
        "Иванов-Петров",
        "",
    ],
)
def test_no_rule_is_safe(word: str) -> None:
    assert declined(word, "dat") is None


def test_what_cannot_be_derived() -> None:
    for features in ([], ["pl"], ["dat", "pl"], ["dat", "gen"], ["f", "m"]):
        assert declined("Иванов", *features) is None
    assert formed({frozenset({"f"}): "Иванов"}, "f", "dat") is None


@given(
    st.text(st.sampled_from("абвеинокцсйИМ"), max_size=8),
    st.sampled_from([*CASES]),
    st.sampled_from(["", "f", "m"]),
)
def test_any_text_is_a_surname_or_none(word: str, case: str, gender: str) -> None:
    made = declined(word, *filter(None, (case, gender)))
    assert made is None or made[:2] == word[:2]
