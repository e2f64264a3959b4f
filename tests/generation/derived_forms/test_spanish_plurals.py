"""Spanish plurals: worked examples, and the stress of made-up words, which no plural moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.derived_forms.spanish_plurals import spanish_plurals, syllable_vowels

EXAMPLES = """
    enfermero enfermeros, taxi taxis, café cafés, sofá sofás, chií chiíes, marroquí marroquíes,
    hindú hindúes, menú menús, alemán alemanes, inglés ingleses, danés daneses, león leones, camión
    camiones, guion guiones, tren trenes, fin fines, joven jóvenes, examen exámenes, imagen
    imágenes, orden órdenes, virgen vírgenes, país países, baúl baúles, raíz raíces, juez jueces,
    andaluz andaluces, lápiz lápices, español españoles, mujer mujeres, líder líderes, azúcar
    azúcares, huésped huéspedes, reloj relojes, rey reyes, lunes lunes, crisis crisis, tórax tórax,
    bíceps bíceps, mes meses, autobús autobuses, dios dioses, Japonés Japoneses,
    sij sijs, truhan truhanes, mohín mohínes, rehén rehenes, Tahití Tahitíes, búho búhos, alcohol alcoholes
"""


def plural(word: str) -> str | None:
    found = spanish_plurals({frozenset(): word}, frozenset({"pl"}))
    assert found is None or not found.suffix
    return found.text if found else None


@pytest.mark.parametrize("example", EXAMPLES.split(","))
def test_examples(example: str) -> None:
    word, expected = example.split()
    assert plural(word) == expected


@pytest.mark.parametrize(
    "word",
    ["carácter", "régimen", "club", "gay", "trabajador social", "3", "", "ex-juez", "sh", "balaj", "Almiaj"],
)
def test_no_rule_is_safe(word: str) -> None:
    assert plural(word) is None


def test_features_other_than_number_stay() -> None:
    forms = {frozenset({"dem", "m"}): "ruso", frozenset({"dem", "f", "sg"}): "rusa"}
    found = [spanish_plurals(forms, frozenset({"dem", "pl", g})) for g in ("m", "f", "x")]
    assert [f and f.text for f in found] == ["rusos", "rusas", None]
    assert spanish_plurals(forms, frozenset({"dem", "m"})) is None


def stressed(word: str) -> int:
    """The stressed syllable, counted from the beginning, by the rules of Spanish spelling."""
    vowels = syllable_vowels(word)
    for n, (start, end) in enumerate(vowels):
        if set(word[start:end]) & set("áéíóú"):
            return n
    at_end = len(vowels) == 1 or word[-1] not in "aeiouns"
    return len(vowels) - 1 if at_end else len(vowels) - 2


@given(
    st.lists(
        st.tuples(st.sampled_from("bdflmnprst"), st.sampled_from("aeou")).map("".join), min_size=1, max_size=4
    ),
    st.sampled_from(["", "n", "l", "r", "d", "z", "s"]),
    st.integers(1, 2),
)
def test_a_plural_keeps_the_stress_and_has_no_needless_accent(
    syllables: list[str], coda: str, from_end: int
) -> None:
    word = "".join(syllables) + coda
    place = len(syllables) - min(from_end, len(syllables))
    if stressed(word) != place:
        accented = syllables[place].translate(str.maketrans("aeou", "áéóú"))
        word = "".join([*syllables[:place], accented, *syllables[place + 1 :]]) + coda
    made = plural(word)
    assert made is not None
    assert made.endswith("s")
    assert stressed(made) == place
    bare = made.translate(str.maketrans("áéóú", "aeou"))
    assert bare == made or stressed(bare) != place or made == word


@given(st.text())
def test_any_text_is_a_word_or_none(word: str) -> None:
    made = plural(word)
    assert made is None or made
