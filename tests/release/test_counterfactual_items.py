from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.generation.mask_fills.filled_items import fill
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.template_expansion import TemplateRow, expand, template_rows
from nextset.generation.templates.item_rendering import CounterfactualTexts
from nextset.generation.templates.template import Premise, Statement, Template
from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import item_ids
from nextset.records.nli_items import Bindings, NliItem
from nextset.release.counterfactuals.counterfactual_items import is_counterfactual, with_counterfactuals
from nextset.release.counterfactuals.counterpart_rendering import text_renderer
from nextset.release.counterfactuals.group_terms import read_group_terms
from nextset.release.counterfactuals.imported_counterparts import TextCounterparts
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.generation_settings import FillSettings
from nextset.study.mask_constraint import MaskConstraint
from tests.records import ITEM

LINKS = ["counterpart_id", "counterfactual_set"]
FILE = Path("t.yaml")
NO_TEMPLATES = table_of([], TemplateRow)
OTHER_LANGUAGE = replace(read_group_terms("builtin:en", Path), language="de")
"""A lexicon for none of the items, so that only the groups of their bindings are known."""


def statement(kind: Any, text: str) -> Statement:
    masks = text.count("{{MASK}}")
    takes, forms = (MaskConstraint(),) * masks, ("",) * masks
    return Statement(kind, text, f"Is it so that {text}", "neutral", FILE, None, takes, forms)


TEMPLATE = Template(
    file=FILE,
    stereotype="man is to surgeon",
    domain="gender",
    language="en",
    source="somewhere",
    groups=("men", "women"),
    words={"PLACE": ("the clinic", "town")},
    premises=(
        Premise("{{GROUP1}} asked {{GROUP2}} in {{PLACE}}.", "a source", None),
        Premise("Ten people met.", "a source", None),
    ),
    statements=(
        statement("hypothesis", "{{GROUP1}} operate in {{PLACE}}."),
        statement("hypothesis", "They operate."),
        statement("masked", "In {{PLACE}} {{GROUP2}} are {{MASK}}."),
        statement("test", "{{GROUP1}} met."),
    ),
    capitalise=True,
)


def generated() -> pa.Table:
    """Plain items (tests among them) and filled ones."""
    expansion = expand([TEMPLATE], tests=True, max_rows=1000)
    sentences = sorted(set(expansion.masked["hypothesis"].to_pylist()))
    words = [
        MaskWord(s, w, i, 0.5, 1, "", prompt_id(Prompt.alone(s)))
        for s in sentences
        for i, w in enumerate(("calm", "lazy"), 1)
    ]
    filled = fill(
        expansion.masked, table_of(words, MaskWord), FillSettings(top_k=2), MaskDemands("", {})
    ).items
    return pa.concat_tables([expansion.items, filled])


ITEMS = generated()
RENDER = text_renderer(template_rows([TEMPLATE]), OTHER_LANGUAGE)
BY_TEXT = text_renderer(NO_TEMPLATES, OTHER_LANGUAGE)


def check_pairs(table: pa.Table) -> None:
    """What holds of every table with counterparts."""
    rows = {row["id"]: row for row in table.to_pylist()}
    assert len(rows) == table.num_rows
    assert item_ids(table) == table["id"].to_pylist()
    for row in rows.values():
        if row["counterpart_id"] is not None:
            other = rows[row["counterpart_id"]]
            assert other["counterpart_id"] == row["id"]
            assert other["premise"] == row["premise"]
            assert other["hypothesis"] != row["hypothesis"]
            assert other["counterfactual_set"] == row["counterfactual_set"]
            assert {row["stance_design"], other["stance_design"]} == {"pro", "anti"}


def test_every_item_that_names_a_group_has_a_counterpart() -> None:
    found = with_counterfactuals(ITEMS, RENDER).items
    check_pairs(found)
    for row in found.to_pylist():
        named = "men" in row["hypothesis"].lower() and row["stance_design"] != "test"
        assert (row["counterpart_id"] is not None) == named
    # Premise with groups (2 orders x 2 places): 4 items of the first hypothesis, each with a new
    # counterpart: 8. Premise without: pro and anti are each other's counterpart: 4 items, nothing new.
    # Masked with two words the same twice over: 16 and 8 items.
    pairs = sum(c is not None for c in found["counterpart_id"].to_pylist())
    assert pairs == 8 + 4 + 16 + 8
    assert found.num_rows == ITEMS.num_rows + 4 + 8
    assert sum(is_counterfactual(found)) == 12


def test_a_counterpart_is_its_item_with_the_groups_swapped_in_the_hypothesis_alone() -> None:
    found = with_counterfactuals(ITEMS, RENDER).items
    rows = {row["id"]: row for row in found.to_pylist()}
    (row,) = [
        r for r in rows.values() if r["premise"] == "Men asked women in town." and "calm" in r["hypothesis"]
        and r["stance_design"] == "anti" and "In town" in r["hypothesis"]
    ]  # fmt: skip
    parent = rows[row["parent_id"]]
    assert (parent["hypothesis"], row["hypothesis"]) == ("In town women are calm.", "In town men are calm.")
    assert row["question"] == "Is it so that In town men are calm."
    assert (row["bindings"]["group1"], row["bindings"]["group2"]) == ("women", "men")
    assert row["bindings"]["fills"] == parent["bindings"]["fills"]
    assert row["label"] == "neutral"


def test_judgments_are_carried_over_and_the_models_are_not() -> None:
    items = ITEMS.filter([h == "Men operate in town." for h in ITEMS["hypothesis"].to_pylist()]).slice(0, 1)
    for name, value in {"verdict": "valid", "stance_judged": "anti", "judge": "rule"}.items():
        items = items.append_column(name, pa.array([value]))
    items = items.append_column("missed_by", pa.array([["m"]], pa.list_(pa.string())))
    items = items.append_column("fluency", pa.array([-2.5]))
    _, made = with_counterfactuals(items, RENDER).items.to_pylist()
    assert (made["verdict"], made["stance_judged"], made["judge"]) == ("valid", "pro", "rule")
    assert made["missed_by"] is None
    assert made["fluency"] is None


@settings(deadline=None)
@given(st.lists(st.integers(0, ITEMS.num_rows - 1), unique=True))
def test_applied_again_it_adds_nothing(chosen: list[int]) -> None:
    items = ITEMS.take(pa.array(chosen, pa.int64()))
    once = with_counterfactuals(items, RENDER).items
    check_pairs(once)
    assert once.slice(0, len(chosen)).drop_columns(LINKS).equals(items)
    assert with_counterfactuals(once, RENDER).items.equals(once)
    # An earlier release brought in again knows its pairs by their parents, without its templates too.
    by_text = with_counterfactuals(once.drop_columns(LINKS), BY_TEXT).items
    assert by_text.num_rows == once.num_rows


def imported(hypothesis: str, group1: str, group2: str, **other: Any) -> NliItem:
    item = replace(
        ITEM,
        domain="race",
        stereotype="s",
        premise="Ten people met.",
        hypothesis=hypothesis,
        question="",
        bindings=Bindings(group1, group2),
    )
    return replace(item, **other)


@pytest.mark.parametrize(
    ("text", "groups", "swapped"),
    [
        ("Men met women. Women left the men.", ("men", "women"), "Women met men. Men left the women."),
        ("White people met.", ("Black people", "white people"), "Black people met."),
        ("Black people met.", ("Black people", "white people"), "White people met."),
        ("The white people met.", ("Black people", "white people"), "The Black people met."),
        ("The menace met Muslim women.", ("men", "Muslim women"), "The menace met men."),
        ("Muslim women met women.", ("Muslim women", "women"), "Women met Muslim women."),
        ("A (b) c?", ("(b)", "c"), "A c (b)?"),
    ],
)
def test_swapped_by_text(text: str, groups: tuple[str, str], swapped: str) -> None:
    (row,) = table_of([imported(text, *groups, question=text)], NliItem).to_pylist()
    found = TextCounterparts(OTHER_LANGUAGE)(row)
    assert found is not None
    assert found.groups[0].texts == (CounterfactualTexts(swapped, swapped),)


def test_nothing_is_swapped_where_no_group_is_named() -> None:
    items = [
        imported("They met.", "men", "women"),
        imported("Men met.", "", ""),
        imported("Men met.", "men", "men"),
    ]
    rows = table_of([*items, replace(items[0], bindings=None)], NliItem).to_pylist()
    found = [TextCounterparts(OTHER_LANGUAGE)(row) for row in rows]
    assert found[1:] == [None] * 3
    # the item says that it names a group: a person should look why its hypothesis does not
    assert found[0] is not None
    assert (found[0].groups, found[0].flags[0].reason) == ((), "groups not in the hypothesis")
    assert TextCounterparts(OTHER_LANGUAGE)({**rows[0], "names_group": False}) is None


pieces = st.lists(
    st.sampled_from(["men", "Men", "Black people", "women", "white people", "met", ". ", " ", "x"])
)


@settings(deadline=None)
@given(st.lists(st.tuples(pieces, st.sampled_from([("men", "women"), ("Black people", "white people")]))))
def test_pairs_of_imported_items_hold_for_any_text(given_: list[tuple[list[str], tuple[str, str]]]) -> None:
    items = table_of((imported("".join(words), *groups) for words, groups in given_), NliItem)
    items = items.set_column(0, items.schema.field(0), pa.array(item_ids(items), pa.string()))
    first = {id_: i for i, id_ in reversed(list(enumerate(items["id"].to_pylist())))}
    items = items.take(pa.array(sorted(first.values()), pa.int64()))
    once = with_counterfactuals(items, BY_TEXT).items
    check_pairs(once)
    assert with_counterfactuals(once, BY_TEXT).items.equals(once)
