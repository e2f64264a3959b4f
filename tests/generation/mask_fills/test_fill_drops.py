"""What is dropped, for which reason, and that the counts add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.mask_fills.fill_drops import REASONS, SentenceDrops
from nextset.generation.mask_fills.fill_selection import (
    EXCLUDED,
    OTHER_CATEGORY,
    UNINFLECTED,
    FillSelection,
)
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.records.nli_items import Fill
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.generation_settings import AllowedFill

TEXT, QUESTION = "Drivers say that cats are {{MASK}}.", "Do drivers say that cats are {{MASK}}?"


def row(
    text: str = TEXT, question: str = QUESTION, takes: str = "", form: str = "", **more: Any
) -> dict[str, Any]:
    return {
        "language": "en", "stereotype": "cats are to lazy", "hypothesis": text, "question": question,
        "bindings": {"group1": "dogs", "group2": "cats"}, "mask_constraints": [takes],
        "question_forms": [form],
        "rules": [],
        **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Dogs", "groups"),
        ("jewish", "other_groups"),
        ("about", "closed_class"),
        ("Nothing", "closed_class"),
        ("like", "closed_class"),
        ("driving", None),  # drive; the driver of the sentence is another entry
        ("driver", "template_words"),
        ("said", "template_words"),
        ("Smith", "names"),
        ("maria", "names"),
        ("norway", "names"),
        ("seven", "numbers"),
        ("third", "numbers"),
        ("x", "fragments"),
        ("unkempty", "fragments"),
        ("lazy", None),
        ("mark", None),
        ("well-read", None),
    ],
)
def test_each_reason_has_its_words(word: str, name: str | None) -> None:
    found = SentenceDrops.of(row(), ()).reason(0, word, takes_verbs=False, listed=False)
    assert found == name
    if name:
        assert SentenceDrops.of(row(), (name,)).reason(0, word, takes_verbs=False, listed=False) != name


def test_the_reasons_are_what_a_study_may_allow() -> None:
    assert (*REASONS, "beside") == get_args(AllowedFill)


def test_a_capital_that_begins_a_sentence_is_no_name() -> None:
    drops = SentenceDrops.of(row("{{MASK}} fills the days of cats."), ())
    assert drops.reason(0, "Laughter", takes_verbs=False, listed=False) is None
    german = SentenceDrops.of(row(language="de"), ())
    assert german.reason(0, "Gewalt", takes_verbs=False, listed=False) is None
    assert (
        SentenceDrops.of(row(language="pt"), ()).reason(0, "Rio", takes_verbs=False, listed=False) == "names"
    )


def test_verbs_among_the_function_words_stay_where_a_verb_is_wanted() -> None:
    drops = SentenceDrops.of(row(), ())
    assert drops.reason(0, "like", takes_verbs=True, listed=False) is None
    assert drops.reason(0, "have", takes_verbs=True, listed=False) == "closed_class"


def test_people_chose_the_words_of_a_list() -> None:
    drops = SentenceDrops.of(row(), ())
    words = ("nothing", "seven", "xq", "cats", "drivers")
    assert [drops.reason(0, w, takes_verbs=False, listed=True) for w in words] == [
        None, None, None, "groups", "template_words",
    ]  # fmt: skip


def selected(
    takes: Mapping[str, Any], words: list[str], most: int, allowed: tuple[str, ...] = ()
) -> tuple[list[str], dict[str, int]]:
    lists = {("en", "cats are to lazy", "sizes"): ("big", "small")}
    selection = FillSelection(MaskDemands("", lists), allowed, most, None)
    fills = [(Fill(word, i, 0.1),) for i, word in enumerate(words, 1)]
    found = selection.select(row(**takes), Prompt.alone(TEXT), fills)
    return [f[0].word for f in found.fillings], dict(found.dropped)


def test_by_hand() -> None:
    words = ["dogs", "lazy", "too", "big", "sleep", "faster", "old", "calm"]
    assert selected({"takes": "adj.positive not sizes"}, words, 2) == (
        ["lazy", "old"],
        {REASONS["groups"]: 1, REASONS["closed_class"]: 1, EXCLUDED: 1, OTHER_CATEGORY: 2},
    )
    assert selected({"takes": "noun", "form": "noun.plural"}, ["violence", "house"], 2) == (
        ["house"],
        {UNINFLECTED: 1},
    )


def test_after_too_an_adjective_is_in_its_first_form() -> None:
    for before, kept in (("too ", ["lazy"]), ("", ["lazier", "lazy"])):
        takes = {"text": f"Cats are {before}{{{{MASK}}}}.", "takes": "adj"}
        assert selected(takes, ["lazier", "lazy"], 5)[0] == kept


POOL = [
    "dogs",
    "Jewish",
    "the",
    "driver",
    "Smith",
    "seven",
    "q",
    "big",
    "lazy",
    "faster",
    "house",
    "dropped",
    "run",
]


@given(
    st.lists(st.sampled_from(POOL), unique=True),
    st.integers(1, 4),
    st.sampled_from(["", "adj", "noun|verb.past", "adj not sizes", "not sizes"]),
    st.sets(st.sampled_from(sorted(REASONS))),
)
def test_kept_and_dropped_are_all_that_was_looked_at(
    words: list[str], most: int, takes: str, allowed: set[str]
) -> None:
    kept, dropped = selected({"takes": takes}, words, most, tuple(allowed))
    # looking stops with the last word that is kept, if there are enough
    looked = words if len(kept) < most else words[: words.index(kept[-1]) + 1]
    assert len(kept) + sum(dropped.values()) == len(looked)
    assert kept == [word for word in looked if word in kept]
    assert not {REASONS[name] for name in allowed} & dropped.keys()
