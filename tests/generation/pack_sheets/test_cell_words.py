"""What a sheet says about its cells."""

from __future__ import annotations

from nextset.generation.pack_sheets.cell_words import attribute_words, template_words


def test_an_act_and_an_occupation_complete_the_question_for_everyone() -> None:
    for name, kind in (("shoplifter", "person"), ("accountant", "occupation")):
        assert attribute_words(name, kind, "")[0] == f"{name}: completes “Who …?”, of a woman or a man alike"
    assert attribute_words("mine", "person", "neg")[0].startswith("mine: the opposite, completes “Who …?”")
    assert attribute_words("mine", "place", "")[0] == "mine: completes “Where …?”"


def test_a_question_has_no_word_for_a_woman_or_a_man() -> None:
    assert (
        "without a word for a woman or a man" in template_words("gender", "templates", "rain", "question")[0]
    )
