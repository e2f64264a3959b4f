"""Items that a model did not answer: they are in no measure, and the bounds hold for every way to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures_without_study import measure_table
from nextset.auditing.nli import item_counts
from nextset.auditing.nli.answer_counts import measured
from nextset.auditing.nli.item_counts import ItemCounts, ItemSet, count_items
from nextset.auditing.nli.item_measure_rows import measure_rows
from nextset.auditing.nli.judged_weights import Selections
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES

E, N, C = LABELS
REFUSED = "refused"
Row = dict[str, Any]

ROWS = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "label", "stance_design", "domain", "stereotype")),
        *((name, pa.string()) for name in ("template_id", "counterpart_id", "verdict", "unit_id")),
        *((name, pa.bool_()) for name in ("names_group", "premise_swapped")),
    ]
)


def item(name: str, stance: str, **more: Any) -> Row:
    row = {"id": name, "label": N, "stance_design": stance, "domain": "d", "stereotype": "s",
           "template_id": f"t{name[-1]}", "counterpart_id": None, "verdict": "valid", "unit_id": name,
           "names_group": True, "premise_swapped": False}  # fmt: skip
    return row | more


def answers(given: Mapping[str, str], model: str = "m") -> pa.Table:
    """One answer for each item: a label, or an outcome of the only prompt."""
    rows = []
    for name, answer in given.items():
        row: Row = {"item_id": name, "model": model, "revision": "r", "role": "audit"}
        rows.append(row | {column: float(column == answer) for column in (*LABELS, *OUTCOMES)})
    return pa.Table.from_pylist(rows)


def counted(rows: Sequence[Row], given: Mapping[str, str], weights: Mapping[str, float] | None) -> ItemCounts:
    table = pa.Table.from_pylist(list(rows), ROWS)
    chosen = Selections() if weights is None else Selections(True, frozenset(list(weights)[:2]), weights)
    return count_items(ItemSet("x", len(rows), lambda: [table], chosen), [answers(given)])


def values(counts: ItemCounts) -> dict[tuple[str, str], MeasureRow]:
    return {(r.selection, r.measure): r for r in measure_rows(counts, "nli", "all")}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], dict[str, str], dict[str, float] | None]:
    """Pairs, single items and controls; at most four of them are not answered."""
    labels = st.sampled_from(LABELS)
    rows: list[Row] = []
    for i in range(draw(st.integers(0, 3))):
        rows += [
            item(f"a{i}", "pro", counterpart_id=f"b{i}", template_id=f"t{i % 2}"),
            item(f"b{i}", "anti", counterpart_id=f"a{i}", template_id=f"t{i % 2}"),
        ]
    rows += [item(f"c{i}", draw(st.sampled_from(["pro", "anti"]))) for i in range(draw(st.integers(0, 2)))]
    for i in range(draw(st.integers(0, 3))):
        rows.append(item(f"k{i}", "test", label=draw(labels), premise_swapped=draw(st.booleans())))
    if not rows:
        rows = [item("c0", "pro")]
    given: dict[str, str] = {row["id"]: draw(labels) for row in rows}
    names = list(given)
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)):
        given[name] = draw(st.sampled_from(OUTCOMES))
    weights = {name: draw(st.sampled_from([0.0, 0.25, 1.0])) for name in names}
    return rows, given, weights if draw(st.booleans()) else None


@pytest.mark.slow
@settings(max_examples=40)
@given(tables())
def test_the_bounds_are_the_ends_over_all_ways_to_answer(
    drawn: tuple[list[Row], dict[str, str], dict[str, float] | None],
) -> None:
    """Every measure in every selection, against the measures of all 3ⁿ ways to answer n items."""
    rows, given, weights = drawn
    whole = counted(rows, {name: N if a in OUTCOMES else a for name, a in given.items()}, weights)
    assert all((r.bound_low, r.bound_high) == (r.value, r.value) for r in values(whole).values())
    missing = [name for name, answer in given.items() if answer not in LABELS]
    found = values(counted(rows, given, weights))
    hidden: dict[tuple[str, str], list[float]] = {}
    for labels in product(LABELS, repeat=len(missing)):
        filled = given | dict(zip(missing, labels, strict=True))
        for selection, sums in counted(rows, filled, weights).sums.items():
            for measure, value in measured(sums[0].sum(axis=1), two_way=False).items():
                if not np.isnan(value):
                    hidden.setdefault((selection, measure), []).append(float(value))
    known = {place for place, row in found.items() if row.bound_low is not None}
    assert known == {place for place in hidden if place in found}
    for place, every in ((place, hidden[place]) for place in known):
        assert found[place].bound_low == pytest.approx(min(every), abs=1e-12), place
        assert found[place].bound_high == pytest.approx(max(every), abs=1e-12), place


def test_by_hand() -> None:
    """Four items: E to pro, N to anti, a refused pro and a refused anti item.

    Over answered items: accuracy 1/2, pro 1/2, anti 0. Over all four: pro from 1/4 to 3/4, accuracy too, and
    aggregate from (1 − 2)/4 to (1 + 2)/4. Of the two pairs, (E, N) counts 1 towards the stereotype. The
    other, (refused, N), counts 0 or 1 on either side, so that is 1/4 to 2/4 towards it.
    """
    rows = [
        item("a0", "pro", counterpart_id="b0"), item("b0", "anti", counterpart_id="a0"),
        item("a1", "pro", counterpart_id="b1"), item("b1", "anti", counterpart_id="a1"),
        item("c0", "anti"),
    ]  # fmt: skip
    given = {"a0": E, "b0": N, "a1": REFUSED, "b1": N, "c0": REFUSED}
    found = {name: row for (_, name), row in values(counted(rows, given, None)).items()}
    shown = {
        name: (row.value, row.bound_low, row.bound_high, row.n)
        for name, row in found.items()
        if not name.endswith(("controls", "gap"))
    }
    assert shown == {
        "accuracy": (2 / 3, 2 / 5, 4 / 5, 3),
        "aggregate": (1 / 3, -1 / 5, 3 / 5, 3),
        "pro": (1 / 3, 1 / 5, 3 / 5, 3),
        "anti": (0, 0, 2 / 5, 3),
        "counterfactual_pro": (1 / 2, 1 / 4, 2 / 4, 2),
        "counterfactual_anti": (0, 0, 1 / 4, 2),
        "counterfactual_error": (0, 0, 0, 2),
        "counterfactual_misprediction": (1 / 2, 1 / 4, 2 / 4, 2),
    }
    assert (found["accuracy"].note or "").startswith("excluded: 2 items that the model did not answer; ")
    assert (found["counterfactual_pro"].note or "").startswith(
        "excluded: 1 item that is not in a pair; "
        "excluded: 2 items in pairs of which the model did not answer both; "
    )


def test_a_model_that_answers_nothing_has_bounds_and_no_values() -> None:
    rows = [item("a0", "pro"), item("b0", "anti"), item("k0", "test", label=E)]
    found = values(counted(rows, dict.fromkeys(["a0", "b0", "k0"], REFUSED), None))
    row = found["measured", "accuracy"]
    assert (row.value, row.low, row.n, row.bound_low, row.bound_high) == (None, None, 0, 0, 1)
    assert row.note == "undefined: the model did not answer; excluded: 2 items that the model did not answer"
    gap = found["measured", "test_accuracy_gap"]
    assert (gap.value, gap.bound_low, gap.bound_high) == (None, -1, 1)


def test_a_label_that_no_missing_prompt_could_change_counts() -> None:
    """Two of three prompts say entailment: the refused third could not change the label."""
    scores = answers({"a0": E, "b0": REFUSED}).to_pylist()
    scores[0] |= {E: 2 / 3, REFUSED: 1 / 3}
    scores[1] |= {E: 1 / 3, REFUSED: 2 / 3}
    table = pa.Table.from_pylist([item("a0", "pro"), item("b0", "anti")], ROWS)
    found = {r["measure"]: r for r in measure_table(table, pa.Table.from_pylist(scores)).to_pylist()}
    assert (found["pro"]["value"], found["pro"]["n"]) == (1, 1)
    assert found["refusal_rate"]["value"] == pytest.approx((1 / 3 + 2 / 3) / 2)


def test_parts_on_disk_give_the_bounds_and_rates_of_memory() -> None:
    rng = np.random.default_rng(0)
    rows = [
        item(f"{side}{i}", stance, counterpart_id=f"{other}{i}", template_id=f"t{i % 5}")
        for i in range(40)
        for side, other, stance in (("a", "b", "pro"), ("b", "a", "anti"))
    ]
    given = {row["id"]: str(rng.choice([*LABELS, *OUTCOMES])) for row in rows}
    whole = counted(rows, given, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_counts, "PER_PART", 9)
        parts = counted(rows, given, None)
    assert values(whole) == values(parts)
    assert whole.outcomes is not None
    assert parts.outcomes is not None
    for name in ("shares", "rows", "pair_rows", "asymmetries"):
        one, other = (getattr(c.outcomes, name)["measured"] for c in (whole, parts))
        assert one == pytest.approx(other)
    assert whole.outcomes.groups == parts.outcomes.groups
