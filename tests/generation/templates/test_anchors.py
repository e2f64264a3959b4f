"""Anchors: what a fill makes of its sentence, and the stance of the items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import TemplateError
from nextset.generation.mask_fills.fill_selection import BESIDE, UNLISTED
from nextset.generation.mask_fills.filled_items import FillResult, fill
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.template_expansion import expand, mask_lists
from nextset.generation.templates.anchors import Anchors, Claim, claim_of_all
from nextset.generation.templates.template import Template
from nextset.generation.templates.template_files import read_template
from nextset.records.arrow_schema import table_of
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.generation_settings import FillSettings

MASKED = "{{GROUP1}} are too {{MASK}}."
"""The masked sentence of the small template."""

STREETS = Anchors("en", ("dirty", "filthy", "careless", "steal"), ("clean", "tidy", "careful", "honest"))


@pytest.mark.parametrize(
    ("word", "claim"),
    [
        ("dirty", "with"), ("Filthy", "with"), ("tidy", "against"), ("stole", "with"), ("dirtier", "with"),
        ("unclean", "with"), ("not clean", "with"), ("never dirty", "against"), ("dishonest", "with"),
        ("careless", "with"), ("careful", "against"), ("young", None), ("cleanliness", None),
    ],
)  # fmt: skip
def test_a_word_is_with_or_against_the_claim_if_it_is_an_anchor_or_negates_one(
    word: str, claim: Claim | None
) -> None:
    assert STREETS.claim(word) == claim


def test_forms_and_double_negations_are_seen_too() -> None:
    anchors = Anchors("en", ("trust", "clean"), ("steal", "doubt"))
    assert {anchors.claim(w) for w in ("distrusts", "distrusted", "never trusts", "unclean")} == {"against"}
    assert {anchors.claim(w) for w in ("not unclean", "not stealing", "no longer doubted")} == {"with"}


def test_the_shorter_word_of_a_negation_is_seen_too() -> None:
    assert Anchors("en", ("dishonest", "unkind"), ("fair",)).claim("honest") == "against"
    assert (
        Anchors("en", ("dishonest", "unkind"), ()).claim("honest") == "beside"
    )  # no opposite makes sense there
    assert Anchors("de", ("unhöflich",), ("ehrlich",)).claim("höflich") == "against"
    assert Anchors("de", (), ("ehrlich",)).claim("nicht ehrlich") == "with"
    assert Anchors("fi", ("likainen",), ("siisti",)).claim("epäsiisti") is None  # no list of negations


@given(st.lists(st.sampled_from(["with", "against"])), st.lists(st.none()))
def test_each_fill_against_the_claim_turns_it_around(claims: list[Claim], bare: list[None]) -> None:
    turned = sum(c == "against" for c in claims) % 2 == 1
    assert claim_of_all([*claims, *bare]) == (None if not claims else "against" if turned else "with")
    assert claim_of_all([*claims, "beside"]) == "beside"


def _template(small: Path, mask: str, lists: str = "") -> Template:
    text = small.read_text(encoding="utf-8").replace("too {{MASK}}.", f"too {{{{MASK:{mask}}}}}.")
    small.write_text(text.replace("premises:", f"{lists}premises:", 1), encoding="utf-8")
    return read_template(small)


def _filled(template: Template, words: tuple[str, ...], **settings: Any) -> FillResult:
    chosen = FillSettings(**settings)
    demands = MaskDemands.of(chosen, mask_lists([template]))
    masked = expand([template], tests=False, max_rows=100).masked
    rows = [
        MaskWord(text, word, rank, 1 / rank, 1, "", prompt_id(Prompt.alone(text)))
        if not (scored := demands.scored_words(row))
        else MaskWord(
            text, word, rank, 1 / rank, 1, "", prompt_id(Prompt(Prompt.alone(text).sentences, scored))
        )
        for row in masked.to_pylist()
        for text in [row["hypothesis"]]
        for rank, word in enumerate(words, 1)
    ]
    return fill(masked, table_of(list(dict.fromkeys(rows)), MaskWord), chosen, demands)


def _stances(items: pa.Table) -> dict[tuple[str, str], set[str]]:
    stances: dict[tuple[str, str], set[str]] = {}
    for row in items.to_pylist():
        word = row["bindings"]["fills"][0]["word"]
        stances.setdefault((row["bindings"]["group1"], word), set()).add(row["stance_design"])
    return stances


def test_a_fill_against_the_claim_turns_the_stance_and_one_beside_it_drops(small: Path) -> None:
    template = _template(small, "adj like lazy, idle, unlike active, busy")
    first, other = template.groups
    filled = _filled(template, ("lazy", "young", "busy", "inactive"))
    assert _stances(filled.items) == {
        (first, "lazy"): {"pro"}, (first, "busy"): {"anti"}, (first, "inactive"): {"pro"},
        (other, "lazy"): {"anti"}, (other, "busy"): {"pro"}, (other, "inactive"): {"anti"},
    }  # fmt: skip
    claims = dict(
        zip(filled.items["hypothesis"].to_pylist(), filled.items["fill_claim"].to_pylist(), strict=True)
    )
    assert {text.split()[-1]: claim for text, claim in claims.items()} == {
        "lazy.": "with", "busy.": "against", "inactive.": "with",
    }  # fmt: skip
    assert filled.counts[BESIDE] * 3 == filled.counts["fills kept"]
    kept = _filled(template, ("lazy", "young"), allow=["beside"]).items
    assert {
        stance for (_, word), stances in _stances(kept).items() if word == "young" for stance in stances
    } == {
        "pro",
        "anti",
    }
    assert set(kept["fill_claim"].to_pylist()) == {"with", "beside"}


def test_only_takes_the_words_of_the_lists(small: Path) -> None:
    template = _template(
        small,
        "only like slow_ways, unlike quick_ways",
        "lists: {slow_ways: [lazy, idle], quick_ways: [busy]}\n",
    )
    filled = _filled(template, ("lazy", "busy", "young", "inactive"))
    assert {word for _, word in _stances(filled.items)} == {"lazy", "busy"}
    assert filled.counts[UNLISTED] > 0
    assert BESIDE not in filled.counts


@pytest.mark.parametrize(
    ("mask", "says"),
    [
        ("like lazy, slow_ways", "'slow_ways' is neither a word nor the name of a list"),
        ("like lazy, 5$", "'5\\$'"),
        ("like lazy, busy, unlike active, LAZY", "lazy would make both claims"),
    ],
)
def test_wrong_anchors_are_refused_with_their_line(small: Path, mask: str, says: str) -> None:
    with pytest.raises(TemplateError, match=says) as caught:
        _template(small, mask)
    assert caught.value.line
    assert caught.value.remedy
