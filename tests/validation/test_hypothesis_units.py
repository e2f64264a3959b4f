from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import Bindings, NliItem, Stance
from nextset.validation.hypothesis_units import units
from tests.records import ITEM


def item(
    hypothesis: str,
    stance: Stance = "pro",
    premise: str = "A fact.",
    groups: tuple[str, str] | None = ("b", "a"),
) -> NliItem:
    return replace(
        ITEM,
        id=hypothesis + stance + premise,
        stereotype="man is to surgeon",
        premise=premise,
        hypothesis=hypothesis,
        question="",
        stance_design=stance,
        bindings=Bindings(*groups) if groups else None,
    )


def table(*items: NliItem) -> pa.Table:
    return table_of(items, NliItem)


def test_a_hypothesis_under_two_premises_is_one_unit() -> None:
    found = units(table(item("x"), item("x", premise="Another."), item("y"))).to_pylist()
    assert sorted((u["hypothesis"], u["n_items"]) for u in found) == [("x", 2), ("y", 1)]
    assert {(u["group1"], u["group2"]) for u in found} == {("a", "b")}


def test_units_do_not_depend_on_the_order_of_items() -> None:
    items = [item("x"), item("y", "anti"), item("z", groups=None)]
    assert units(table(*items)) == units(table(*reversed(items)))


def test_the_same_text_as_pro_and_anti_is_mixed_and_tests_are_no_units() -> None:
    found = units(table(item("x"), item("x", "anti"), item("t", "test"), item("z", groups=None))).to_pylist()
    assert {u["hypothesis"]: u["stance_design"] for u in found} == {"x": "mixed", "z": "pro"}
    assert {u["hypothesis"]: u["group1"] for u in found} == {"x": "a", "z": ""}
