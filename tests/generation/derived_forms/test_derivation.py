"""The first derivation that fits, and a listed form before all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.derived_forms.derivation import DERIVATIONS, DerivedForm, derived_form
from nextset.generation.slots import Features

BASE: Features = frozenset()
KEYS = st.frozensets(st.sampled_from(["acc", "dat", "f", "m", "pl", "sg", "nom", "dem"]), max_size=4)


def test_a_listed_form_wins() -> None:
    forms = {BASE: "Kemal", frozenset({"dat"}): "Kemal’e"}
    assert derived_form(["turkish-cases"], forms, frozenset({"dat"})) == DerivedForm("Kemal’e", "")
    assert derived_form(["turkish-cases"], forms, frozenset({"acc"})) is None


def test_the_first_that_fits() -> None:
    found = derived_form(["french-plurals", "spanish-plurals"], {BASE: "rey"}, frozenset({"pl"}))
    assert found is not None
    assert found.text == "reys"
    assert derived_form([], {BASE: "rey"}, frozenset({"pl"})) is None


def test_an_unknown_name() -> None:
    with pytest.raises(KeyError):
        derived_form(["latin-plurals"], {}, frozenset({"pl"}))


@pytest.mark.parametrize("name", sorted(DERIVATIONS))
@given(forms=st.dictionaries(KEYS, st.text(max_size=8)), key=KEYS)
def test_any_forms_give_a_text_or_none(name: str, forms: dict[Features, str], key: Features) -> None:
    found = derived_form([name], forms, key)
    assert found is None or found.text or key in forms
