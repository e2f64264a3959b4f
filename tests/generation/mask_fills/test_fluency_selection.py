"""Fluency relative to plain hypotheses, and what is dropped by it: worked out by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from nextset.generation.mask_fills.fluency import Fluency, with_fluency
from nextset.generation.mask_fills.fluency_selection import select_fluent
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.records.arrow_schema import arrow_schema, table_of
from nextset.records.nli_items import MaskedItem, NliItem
from nextset.study.generation_settings import FillSettings

GROUPS = {"own": ("cats", "dogs"), "swapped": ("dogs", "cats")}
WORDS = ("calm", "late", "odd")


def row(
    name: str, hypothesis: str, groups: tuple[str, str], fills: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    bindings = {"group1": groups[0], "group2": groups[1], "words": [], "fills": fills}
    texts = {
        "premise": "It rained.",
        "hypothesis": hypothesis,
        "question": "",
        "stereotype": "cats are to lazy",
    }
    known = {"id": name, "language": "en", "domain": "pets", "template_id": "t", "label": "neutral"}
    flags = {"premise_swapped": False, "names_group": True, "stance_design": "pro"}
    return {**texts, **known, **flags, "bindings": bindings, **more}


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=arrow_schema(NliItem))


NO_DEMANDS = MaskDemands("", {})
MASKED = pa.Table.from_pylist(
    [
        row(n, f"{g[0]} are {{{{MASK}}}}.", g, [], mask_constraints=[""], question_forms=[""], rules=[])
        for n, g in GROUPS.items()
    ],
    schema=arrow_schema(MaskedItem),
)
ITEMS = table(
    [
        row(f"{n}-{w}", f"{g[0]} are {w}.", g, [{"word": w, "rank": r, "score": 0.1}], parent_id=n)
        for n, g in GROUPS.items()
        for r, w in enumerate(WORDS, 1)
    ]
)
PLAIN = table(
    [
        row("p1", "cats idle.", GROUPS["own"], []),
        row("p2", "cats sleep.", GROUPS["own"], []),
        row("p3", "cats rest.", GROUPS["own"], []),
        row("p4", "cats are cats.", GROUPS["own"], [], stance_design="test"),
    ]
)
VALUES = {
    "cats idle.": -3.0, "cats sleep.": -2.0, "cats rest.": -7.0, "cats are cats.": -0.5,
    "cats are calm.": -2.0, "cats are late.": -4.0, "cats are odd.": -5.0,
    "dogs are calm.": -6.0, "dogs are late.": -2.0, "dogs are odd.": -5.0,
}  # fmt: skip


def fluent() -> pa.Table:
    found = table_of([Fluency(text, value, 3) for text, value in VALUES.items()], Fluency)
    return with_fluency(ITEMS, MASKED, PLAIN, found)


def kept(settings: FillSettings) -> tuple[list[str], dict[str, int]]:
    result = select_fluent(fluent(), MASKED, settings, NO_DEMANDS)
    return result.items["id"].to_pylist(), result.counts


def test_relative_fluency_is_to_the_median_of_the_plain_hypotheses() -> None:
    made = fluent()
    assert made["fluency"].to_pylist() == [-2.0, -4.0, -5.0, -6.0, -2.0, -5.0]
    # cats: the median of −3, −2, −7 is −3 (the control, −0.5, does not count); dogs have no plain hypotheses:
    # the median of their fills −6, −2, −5 is −5
    assert made["relative_fluency"].to_pylist() == [1.0, -1.0, -2.0, -1.0, 3.0, 0.0]


def test_fills_below_the_bound_are_dropped_and_counted() -> None:
    ids, counts = kept(FillSettings(fluency={"at_least": -1.0}))
    assert ids == ["own-calm", "own-late", "swapped-calm", "swapped-late", "swapped-odd"]
    assert counts == {"fills less fluent than -1, dropped": 1}


def test_jointly_filled_the_mean_decides_and_pairs_stay_whole() -> None:
    # relative: calm (1 − 1) / 2 = 0, late (−1 + 3) / 2 = 1, odd (−2 + 0) / 2 = −1
    ids, counts = kept(FillSettings(fluency={"at_least": -0.5}, groups="joint"))
    assert ids == ["own-calm", "own-late", "swapped-calm", "swapped-late"]
    assert counts == {"fills less fluent than -0.5, dropped": 2}


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ("apart", ["own-calm", "swapped-late"]),
        ("joint", ["own-late", "swapped-late"]),  # calm −4, late −3, odd −5
    ],
)
def test_the_most_fluent_of_each_prompt_are_kept(groups: str, expected: list[str]) -> None:
    ids, counts = kept(FillSettings(keep="best 1 of 3 by fluency", groups=groups))
    assert ids == expected
    assert counts == {"fills not among the 1 most fluent of 3, dropped": 4}


def test_ties_go_to_the_better_rank() -> None:
    made = fluent()
    alike = pa.array([-2.0, -2.0, -1.9999999, -1.0, -1.0, -1.0])
    same = made.set_column(made.schema.get_field_index("fluency"), "fluency", alike)
    result = select_fluent(same, MASKED, FillSettings(keep="best 1 of 3 by fluency"), NO_DEMANDS)
    assert result.items["id"].to_pylist() == ["own-calm", "swapped-calm"]


def test_without_a_bound_everything_stays() -> None:
    assert kept(FillSettings(fluency=True)) == (ITEMS["id"].to_pylist(), {})
