"""Which word of an entry ``h: aspire`` marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.sound_rules.aspirated_words import aspirated_words
from nextset.generation.sound_rules.french_elision import french_elision
from nextset.generation.sound_rules.text_edits import apply_rules


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["la Hesse", "en Hesse", "Hessois", "un Hessois"], {"hesse", "hessois"}),
        (["homme hazara", "femme hazara"], {"hazara"}),
        (["le Hazara", "« Hazara »"], {"hazara"}),
        (["l’habitant de Honningsvåg"], {"honningsvåg"}),
        (["Haute-Saxe", "à la Haute-Saxe"], {"haute-saxe"}),
        (["un Ouzbek", "l’ami ouzbek"], {"ouzbek"}),
        (["le Yéménite", "un ancien Yéménite"], {"yéménite"}),
        (["haranguait la foule", "n’a jamais harangué"], {"haranguait", "harangué"}),
        (["le Turc", "homme"], set()),
        ([], set()),
    ],
)
def test_the_marked_words(forms: list[str], expected: set[str]) -> None:
    assert aspirated_words(forms) == expected


def test_the_words_beside_it_still_elide() -> None:
    rule = french_elision(aspirated_words(["la Hesse", "en Hesse", "un Hessois", "homme hessois"]))
    for text, expected in [
        ("que en Algérie", "qu’en Algérie"),
        ("que un Turc", "qu’un Turc"),
        ("Le homme hindou", "L’homme hindou"),
        ("le Hessois", "le Hessois"),
    ]:
        assert apply_rules(text, [rule]) == expected


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_forms_have_words_or_none(forms: list[str]) -> None:
    written = " ".join(forms).casefold()
    assert all(word in written for word in aspirated_words(forms))
