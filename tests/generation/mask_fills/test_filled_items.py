"""Filling masks: ranks, groups, parents, and one item a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.mask_fills.fill_selection import Fits
from nextset.generation.mask_fills.filled_items import FillResult
from nextset.generation.mask_fills.filled_items import fill as fill_masks
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_fills.mask_prompts import prompts_of as prompts_of_masks
from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.template_expansion import expand, template_rows
from nextset.generation.templates.item_rendering import CounterfactualTexts, counterfactual_renderer
from nextset.generation.templates.placeholders import Placed, place_words
from nextset.generation.templates.template import Template
from nextset.generation.templates.template_files import read_template
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, MaskedItem
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.study.generation_settings import AllowedFill, FillSettings
from tests.records import ITEM


def words(*found: tuple[str, str, float]) -> pa.Table:
    ranks: dict[str, int] = {}
    rows = []
    for sentence, word, score in found:
        ranks[sentence] = ranks.get(sentence, 0) + 1
        prompt = prompt_id(Prompt.alone(sentence))
        rows.append(MaskWord(sentence, word, ranks[sentence], score, 1, "", prompt))
    return table_of(rows, MaskWord)


NONE = MaskDemands("", {})
EVERYTHING = get_args(AllowedFill)


def fill(masked: pa.Table, found: pa.Table, settings: FillSettings, fits: Fits | None = None) -> FillResult:
    return fill_masks(masked, found, settings, MaskDemands(settings.mask, {}), fits)


def prompts_of(masked: pa.Table, *, joint: bool, premise: bool) -> list[Prompt]:
    return prompts_of_masks(masked, NONE, joint=joint, premise=premise)


PRO, ANTI = "Cats are too {{MASK}}.", "Dogs are too {{MASK}}."


@pytest.fixture
def masked(small: Path) -> pa.Table:
    return expand([read_template(small)], tests=False, max_rows=100).masked


def test_by_hand(masked: pa.Table) -> None:
    given_words = words((PRO, "dogs", 0.5), (PRO, "lazy", 0.3), (PRO, "old", 0.1), (ANTI, "big", 0.9))
    found = fill(masked, given_words, FillSettings(top_k=2))
    # 2 premises × (2 words for cats, since "dogs" is a group, + 1 word for dogs)
    rows = found.items.to_pylist()
    assert len(rows) == 2 * (2 + 1)
    assert rows[0]["hypothesis"] == "Cats are too lazy."
    assert rows[0]["question"] == "Are cats too lazy?"
    assert rows[0]["bindings"]["fills"] == [{"word": "lazy", "rank": 1, "score": 0.3}]
    assert rows[0]["parent_id"] in masked["id"].to_pylist()
    assert found.counts == {
        "fills kept": 2 * (2 + 1),
        "fills that name a group, dropped": 2,
        "masked rows with fewer fills than top_k": 2,
        "rows with the same text as another row, merged": 0,
    }


def test_fills_that_name_another_group_go_and_are_counted(masked: pa.Table) -> None:
    given_words = words(
        (PRO, "Jewish", 0.5), (PRO, "dogs", 0.4), (PRO, "lazy", 0.3), (PRO, "elderly", 0.2), (PRO, "old", 0.1)
    )

    def kept(**settings: Any) -> list[str]:
        found = fill(masked, given_words, FillSettings(top_k=2, **settings))
        counts.append(found.counts.get("fills that name another group, dropped"))
        return [row["bindings"]["fills"][0]["word"] for row in found.items.to_pylist()][:2]

    counts: list[int | None] = []
    assert kept() == ["lazy", "old"]
    assert kept(allow=("groups",)) == ["dogs", "lazy"]
    assert kept(allow=("other_groups", "names")) == ["Jewish", "lazy"]
    # two premises, and what is looked at until two words are kept: Jewish and elderly, then Jewish alone
    assert counts == [4, 2, None]


def test_words_of_the_own_groups_are_no_others_and_other_languages_have_no_list(masked: pa.Table) -> None:
    at = masked.schema.get_field_index("language")
    foreign = masked.set_column(at, masked.schema.field(at), pa.array(["pt"] * masked.num_rows))
    found = fill(foreign, words((PRO, "Jewish", 0.5)), FillSettings(top_k=1, allow=("names",)))
    assert {row["bindings"]["fills"][0]["word"] for row in found.items.to_pylist()} == {"Jewish"}
    bindings = [{**row, "group1": "Jewish"} for row in masked["bindings"].to_pylist()]
    at = masked.schema.get_field_index("bindings")
    own = masked.set_column(at, masked.schema.field(at), pa.array(bindings, masked.schema.field(at).type))
    found = fill(own, words((PRO, "jewish", 0.5)), FillSettings(top_k=1, allow=EVERYTHING))
    assert {row["bindings"]["fills"][0]["word"] for row in found.items.to_pylist()} == {"jewish"}


def test_top_k_cuts_after_group_words_went(masked: pa.Table) -> None:
    found = fill(
        masked, words((PRO, "dogs", 0.5), (PRO, "lazy", 0.3), (PRO, "old", 0.1)), FillSettings(top_k=1)
    )
    assert {r["bindings"]["fills"][0]["word"] for r in found.items.to_pylist()} == {"lazy"}


def one_masked() -> pa.Table:
    row = replace(
        ITEM,
        id="m",
        domain="pets",
        stereotype="cats are to lazy",
        template_id="t",
        premise="Pets sleep.",
        hypothesis=PRO,
        question="",
        bindings=Bindings("dogs", "cats"),
    )
    values: dict[str, Any] = {f.name: getattr(row, f.name) for f in fields(row)}
    return table_of([MaskedItem(**values, mask_constraints=("",), question_forms=("",))], MaskedItem)


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), unique=True, max_size=8), st.integers(1, 5))
def test_each_sentence_gets_at_most_k_ranked_words(given_words: list[str], k: int) -> None:
    found = fill(
        one_masked(),
        words(*((PRO, w, 0.1) for w in given_words)),
        FillSettings(top_k=k, allow=tuple(kind for kind in EVERYTHING if kind != "groups")),
    ).items.to_pylist()
    kept = [w for w in given_words if w not in ("cats", "dogs")][:k]
    assert [r["bindings"]["fills"][0]["word"] for r in found] == kept
    assert [r["bindings"]["fills"][0]["rank"] for r in found] == list(range(1, len(kept) + 1))


def test_a_counterfactual_is_rendered_from_the_template(small: Path, masked: pa.Table) -> None:
    template = read_template(small)
    swap = counterfactual_renderer(template_rows([template]))
    filled = fill(masked, words((PRO, "lazy", 0.3)), FillSettings(top_k=1)).items.to_pylist()[0]
    assert swap(filled) == CounterfactualTexts("Dogs are too lazy.", "Are dogs too lazy?")
    plain = expand([template], tests=True, max_rows=100).items.to_pylist()
    assert swap(plain[1]) == CounterfactualTexts("Dogs idle all night.", "Do dogs idle all night?")
    control = next(r for r in plain if r["stance_design"] == "test")
    assert swap(control) is None
    assert swap({**filled, "template_id": "gone"}) is None


def test_group_words_may_stay(masked: pa.Table) -> None:
    found = fill(masked, words((PRO, "dogs", 0.5)), FillSettings(allow=("groups", "template_words")))
    assert {r["hypothesis"] for r in found.items.to_pylist()} == {"Cats are too dogs."}


def test_top_k_is_reached_past_the_words_that_do_not_fit(masked: pa.Table) -> None:
    asked: list[str] = []

    def short(
        categories: Sequence[Sequence[str]],
        prompt: Prompt,
        fillings: Sequence[Sequence[str]],
        rules: Sequence[str],
    ) -> list[bool]:
        assert not rules
        assert list(map(tuple, categories)) == [("adj.positive",)]  # after "too"
        asked.extend(word for (word,) in fillings)
        return [len(word) < 4 for (word,) in fillings]

    fits: Fits = short
    chosen = FillSettings(top_k=2, mask="adj", tagger="t")
    given_words = words(*((PRO, w, 0.1) for w in ("lazy", "old", "calm", "big", "new", "odd", "sly")))
    found = fill(masked, given_words, chosen, fits)
    kept = {r["bindings"]["fills"][0]["rank"]: r["hypothesis"] for r in found.items.to_pylist()}
    assert kept == {1: "Cats are too old.", 2: "Cats are too big."}
    # in steps of top_k until there are enough, and once for the two premises
    assert asked == ["lazy", "old", "calm", "big"]


TWO = """\
format: 1
stereotype: cats are to lazy
domain: pets
source: Somebody 2020
groups: {GROUP1: dogs, GROUP2: cats}
words: {TIME: [day, night]}
premises:
  - text: "{{GROUP2}} sleep 14 hours."
    source: https://example.org/a
masked:
  - text: "{{MASK}} {{GROUP2}} are {{MASK}} all {{TIME}}."
    question: "Are {{MASK}} {{GROUP2}} {{MASK}} all {{TIME}}?"
"""


@pytest.fixture
def two(tmp_path: Path) -> Template:
    (tmp_path / "two.yaml").write_text(TWO, encoding="utf-8")
    return read_template(tmp_path / "two.yaml")


def test_several_masks_are_filled_from_left_to_right(two: Template) -> None:
    masked = expand([two], tests=False, max_rows=100).masked
    sentence = "{{MASK}} cats are {{MASK}} all day."
    prompt = prompt_id(Prompt.alone(sentence))
    rows = [
        MaskWord(sentence, word, rank, score, mask, "", prompt)
        for rank, both in enumerate((("old", "lazy"), ("dogs", "busy"), ("big", "calm")), 1)
        for mask, (word, score) in enumerate(zip(both, (0.5, 0.2), strict=True), 1)
    ]
    found = fill(masked, table_of(rows, MaskWord), FillSettings(top_k=2)).items.to_pylist()
    assert [r["hypothesis"] for r in found] == [
        "Old cats are lazy all day.",
        "Big cats are calm all day.",  # "dogs busy" names a group
    ]
    assert found[1]["question"] == "Are big cats calm all day?"
    assert found[1]["bindings"]["fills"] == [
        {"word": "big", "rank": 2, "score": 0.5},
        {"word": "calm", "rank": 2, "score": 0.2},
    ]
    swap = counterfactual_renderer(template_rows([two]))
    assert swap(found[1]) == CounterfactualTexts("Big dogs are calm all day.", "Are big dogs calm all day?")


def test_apart_every_sentence_is_a_prompt_of_its_own(two: Template) -> None:
    masked = expand([two], tests=False, max_rows=100).masked
    prompts = prompts_of(masked, joint=False, premise=False)
    assert prompts == [Prompt.alone(h) for h in masked["hypothesis"].to_pylist()]
    seeing = prompts_of(masked, joint=False, premise=True)
    assert {p.sentences[0].premise for p in seeing} == {"Cats sleep 14 hours.", "Dogs sleep 14 hours."}


def test_joint_prompts_hold_both_orders_of_the_groups(two: Template) -> None:
    masked = expand([two], tests=False, max_rows=100).masked
    prompts = prompts_of(masked, joint=True, premise=True)
    cats, dogs = "{{MASK}} cats are {{MASK}} all", "{{MASK}} dogs are {{MASK}} all"
    day, night = (
        Prompt(
            (Masked(f"{cats} {t}.", "Cats sleep 14 hours."), Masked(f"{dogs} {t}.", "Dogs sleep 14 hours."))
        )
        for t in ("day", "night")
    )
    assert set(prompts) == {day, night}
    # the order of the rows is nothing to it
    turned = masked.take(pa.array(range(masked.num_rows - 1, -1, -1)))
    assert prompts_of(turned, joint=True, premise=True) == prompts[::-1]


def test_joint_fills_make_whole_sets(two: Template) -> None:
    masked = expand([two], tests=False, max_rows=100).masked
    chosen = FillSettings(top_k=2, groups="joint")
    rows = [
        MaskWord(p.sentences[0].sentence, word, rank, 0.5, mask, "", prompt_id(p))
        for p in set(prompts_of(masked, joint=True, premise=False))
        for rank, both in enumerate((("old", "lazy"), ("big", "calm")), 1)
        for mask, word in enumerate(both, 1)
    ]
    found = fill(masked, table_of(rows, MaskWord), chosen).items.to_pylist()
    sets: dict[str, set[str]] = {}
    for row in found:
        sets.setdefault(row["set_id"], set()).add(row["hypothesis"])
    assert len(found) == 2 * 2 * 2  # words × fillings × orders of the groups
    assert {"Old cats are lazy all day.", "Old dogs are lazy all day."} in sets.values()
    assert all(len(hypotheses) == 2 for hypotheses in sets.values())


@pytest.mark.parametrize(
    ("text", "made", "spans"),
    [
        ("{{MASK}} cats. {{MASK}}!", "Old cats. Calm!", ((0, 3), (10, 14))),
        ("The {{MASK}}-{{MASK}} cat", "The old-calm cat", ((4, 7), (8, 12))),
        ("", "", ()),
    ],
)
def test_words_in_their_places(text: str, made: str, spans: tuple[tuple[int, int], ...]) -> None:
    assert place_words(text, ["old", "calm"], capitalise=True) == Placed(made, spans)


def test_as_many_words_as_masks_are_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        place_words("{{MASK}} cats", ["old", "calm"], capitalise=True)


def test_words_that_a_mask_leaves_out_take_no_place_among_those_of_its_list(masked: pa.Table) -> None:
    row = masked.to_pylist()[0]
    many = tuple(f"trait{n}" for n in range(50))
    key = (row["language"], row["stereotype"])
    demands = MaskDemands("in traits not plain", {(*key, "traits"): (*many, "calm"), (*key, "plain"): many})
    # were all 51 scored, only the most probable would be looked at, and those can be among the 50 left out
    assert demands.scored_words({**row, "mask_constraints": [""]}) == ("calm",)
