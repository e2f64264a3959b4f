"""What a sheet says about its cells."""

from __future__ import annotations

from nextset.generation.pack_sheets.cell_words import attribute_words, subject_words, template_words


def test_an_act_and_an_occupation_complete_the_question_for_everyone() -> None:
    for name, kind in (("shoplifter", "person"), ("accountant", "occupation")):
        assert attribute_words(name, kind, "")[0] == f"{name}: completes “Who …?”, of a woman or a man alike"
    assert attribute_words("mine", "person", "neg")[0].startswith("mine: the opposite, completes “Who …?”")
    assert attribute_words("mine", "place", "")[0] == "mine: completes “Where …?”"


def test_a_question_has_no_word_for_a_woman_or_a_man() -> None:
    assert (
        "without a word for a woman or a man" in template_words("gender", "templates", "rain", "question")[0]
    )


def test_a_context_fits_women_and_men_in_both_places() -> None:
    hint = template_words("gender", "templates", "rain", "context")[0]
    assert "no word that agrees with one of them in gender" in hint


def test_an_example_says_whose_it_is() -> None:
    assert subject_words("countries", "Angola", "") == ("Angola: the name itself", "Angola")
    assert subject_words("countries", "Angola", "dem.m")[1] == "such as: Afghan (for Afghanistan)"
    assert subject_words("countries", "Brazil", "dem.m")[1] == "Brazilian"
