"""French plurals: worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.derived_forms.french_plurals import french_plurals

EXAMPLES = """
    ouvrier ouvriers, Espagnol Espagnols, ami amis, employé employés, sœur sœurs, détail détails, trou trous,
    Français Français, gaz gaz, heureux heureux,
    journal journaux, cheval chevaux, général généraux, festival festivals, carnaval carnavals,
    gâteau gâteaux, tuyau tuyaux, hébreu hébreux, jeu jeux, bleu bleus, landau landaus, pneu pneus,
    vœu vœux, aveu aveux, rorqual rorquals, trial trials, corral corrals, futal futals, natal natals,
    emmental emmentals, mondial mondiaux, Provençal Provençaux
"""


def plural(word: str) -> str | None:
    found = french_plurals({frozenset(): word}, frozenset({"pl"}))
    assert found is None or not found.suffix
    return found.text if found else None


@pytest.mark.parametrize("example", EXAMPLES.split(","))
def test_examples(example: str) -> None:
    word, expected = example.split()
    assert plural(word) == expected


@pytest.mark.parametrize(
    "word",
    [
        "travail",
        "bijou",
        "ciel",
        "final",
        "sage-femme",
        "femme de ménage",
        "",
        "3",
        "Népal",
        "Sénégal",
        "Cantal",
        "bétail",
        "enfeu",
        "richelieu",
        "prénatal",
        "néonatal",
        "postnatal",
    ],
)
def test_no_rule_is_safe(word: str) -> None:
    assert plural(word) is None


def test_only_the_plural_of_a_listed_form_is_derived() -> None:
    forms = {frozenset({"dem", "m"}): "Russe"}
    assert french_plurals(forms, frozenset({"dem", "m"})) is None
    assert french_plurals(forms, frozenset({"dem", "f", "pl"})) is None
    found = french_plurals(forms, frozenset({"dem", "m", "pl"}))
    assert found is not None
    assert found.text == "Russes"


@given(st.text())
def test_a_plural_ends_in_s_x_or_z(word: str) -> None:
    made = plural(word)
    assert made is None or made[-1].lower() in "sxz"
