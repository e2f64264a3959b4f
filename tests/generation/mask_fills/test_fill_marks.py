"""Marks of fills: probabilities with the groups swapped, and labels against plain hypotheses."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from nextset.generation.mask_fills.fill_marks import asked_fills, meaning_pairs, with_marks
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import Label, MaskedItem, NliItem
from nextset.scoring.masks.masked_text import Masked


def row(name: str, hypothesis: str, groups: tuple[str, str], words: list[str], **more: Any) -> dict[str, Any]:
    fills = [{"word": w, "rank": 1, "score": 0.1} for w in words]
    bindings = {"group1": groups[0], "group2": groups[1], "words": [], "fills": fills}
    return {
        "id": name, "language": "en", "stereotype": "s", "template_id": "t", "premise": "It rained.",
        "hypothesis": hypothesis, "bindings": bindings, **more,
    }  # fmt: skip


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=arrow_schema(NliItem))


MASKED = pa.Table.from_pylist(
    [
        row("m1", "{{MASK}} cats are {{MASK}}.", ("cats", "dogs"), [], rules=[]),
        row("m2", "{{MASK}} dogs are {{MASK}}.", ("dogs", "cats"), [], rules=[]),
    ],
    schema=arrow_schema(MaskedItem),
)
ITEM = table(row("i", "Old cats are calm.", ("cats", "dogs"), ["old", "calm"], parent_id="m1"))
OWN = ((Masked("{{MASK}} cats are calm."), "Old"), (Masked("Old cats are {{MASK}}."), "calm"))
SWAPPED = ((Masked("{{MASK}} dogs are calm."), "Old"), (Masked("Old dogs are {{MASK}}."), "calm"))


def marks(logs: dict[tuple[Masked, str], float | None], *labels: tuple[Label, Label]) -> list[str]:
    pairs = {"Old cats are calm.": [f"plain {n}." for n in range(len(labels))]}
    meanings = {(f"plain {n}.", "Old cats are calm."): both for n, both in enumerate(labels)}
    premise = any(masked.premise for masked, _ in logs)
    asked = asked_fills(ITEM, MASKED, premise=premise)
    (found,) = with_marks(ITEM, asked, logs, pairs, meanings)["fill_marks"].to_pylist()
    return list(found)


def logs(second: float) -> dict[tuple[Masked, str], float | None]:
    return {OWN[0]: -1.0, OWN[1]: -2.0, SWAPPED[0]: -1.5, SWAPPED[1]: second}


def test_every_word_is_asked_in_its_place_with_the_others_there() -> None:
    (asked,) = asked_fills(ITEM, MASKED, premise=False)
    assert (asked.own, asked.swapped, asked.alone) == (OWN, SWAPPED, ())
    (asked,) = asked_fills(ITEM, MASKED, premise=True)
    assert [m.premise for m, _ in asked.all] == ["It rained."] * 4 + ["", ""]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (-1.5, ["whatever the group"]),  # −3 and −3
        (-1.5 - math.log(1.24), ["whatever the group"]),
        (-1.5 - math.log(1.26), []),  # 1.26 times less probable
        (-1.5 + math.log(1.26), []),
    ],
)
def test_as_probable_within_a_quarter_with_the_groups_swapped(second: float, expected: list[str]) -> None:
    assert marks(logs(second)) == expected


def test_as_probable_without_the_premise() -> None:
    seen = {(Masked(m.sentence, "It rained."), w): log for (m, w), log in logs(-9.0).items()}
    assert marks({**seen, OWN[0]: -1.1, OWN[1]: -2.1}) == ["whatever the premise"]  # −3 and −3.2: 1.22 times
    assert marks({**seen, OWN[0]: -1.1, OWN[1]: -2.2}) == []  # −3 and −3.3: 1.35 times


def test_a_word_that_cannot_be_read_there_and_a_group_without_a_swap_get_no_mark() -> None:
    assert marks({**logs(-1.5), SWAPPED[0]: None}) == []
    asked = asked_fills(ITEM, MASKED.slice(0, 1), premise=False)
    assert asked[0].swapped == ()
    assert with_marks(ITEM, asked, dict(logs(-1.5)), {}, {})["fill_marks"].to_pylist() == [[]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([("entailment", "neutral")], []),
        ([("neutral", "entailment")], []),
        ([("neutral", "neutral")], ["another meaning"]),
        ([("neutral", "contradiction")], ["opposite meaning"]),
        ([("contradiction", "neutral"), ("neutral", "entailment")], []),
        ([("neutral", "neutral"), ("contradiction", "contradiction")], ["opposite meaning"]),
        ([], []),
    ],
)
def test_entailment_in_either_direction_is_the_same_meaning(
    labels: list[tuple[Label, Label]], expected: list[str]
) -> None:
    assert marks(logs(-9.0), *labels) == expected


def test_a_hypothesis_is_compared_with_the_plain_ones_of_its_groups_in_their_order() -> None:
    plain = {("en", "s", "cats", "dogs"): ["Cats idle."], ("en", "s", "dogs", "cats"): ["Dogs idle."]}
    assert meaning_pairs(ITEM, plain) == {"Old cats are calm.": ["Cats idle."]}
