"""The measures of models on two versions of a dataset, and the interval of their change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.nli.answer_counts import MEASURES, measured
from nextset.auditing.nli.item_counts import ItemCounts, ItemSet, count_items
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.nli_audit import set_changes
from nextset.auditing.version_change import MeasureChange, measure_changes
from nextset.cluster_bootstrap import DRAWS, level_weights
from nextset.records.nli_items import LABELS

E, N, C = LABELS


def items(rows: Sequence[tuple[str, str, str | None]], **columns: list[Any]) -> pa.Table:
    """Items from id, stance and counterpart; the template is the id's digits, so that pairs share one."""
    ids, stance, counterparts = zip(*rows, strict=True) if rows else ((), (), ())
    n = len(ids)
    data = {
        "id": pa.array(ids, pa.string()),
        "label": pa.array([E if s == "test" else N for s in stance], pa.string()),
        "domain": pa.array(["d"] * n, pa.string()),
        "stereotype": pa.array(["s"] * n, pa.string()),
        "stance_design": pa.array(stance, pa.string()),
        "names_group": pa.array([True] * n),
        "template_id": pa.array(["t" + i.lstrip("pqtrs") for i in ids], pa.string()),
        "hypothesis": pa.nulls(n, pa.string()),
        "premise": pa.array(["A premise."] * n, pa.string()),
        "bindings": pa.nulls(n, pa.string()),
        "counterpart_id": pa.array(counterparts, pa.string()),
    }
    return pa.table(data | {k: pa.array(v, pa.string()) for k, v in columns.items()})


def scores(
    answers: Mapping[str, str], model: str = "m", revision: str = "1", two_way: bool = False
) -> pa.Table:
    """The answers of a model by item."""
    n = len(answers)
    columns: dict[Any, Any] = {name: [0.8 if a == name else 0.1 for a in answers.values()] for name in LABELS}
    if two_way:
        columns |= {N: [None] * n, C: [None] * n}
    fixed = {
        "item_id": list(answers),
        "model": [model] * n,
        "revision": [revision] * n,
        "role": ["audit"] * n,
    }
    types = {name: pa.float64() for name in LABELS}
    return pa.table({**fixed, **{k: pa.array(v, types[k]) for k, v in columns.items()}})


def by_measure(rows: list[MeasureChange]) -> dict[str, MeasureChange]:
    return {row.measure: row for row in rows}


def test_the_values_by_hand() -> None:
    """Before: a pair, answered (e, n), and one control, right. After: a second pair, answered (e, e).

    Accuracy: 1 of 2, then 1 of 4; the gap of the test item, which is right, is 1/2, then 3/4.
    Pro: 1 of 2 (e to pro), then 2 of 4. Anti: 0 of 2, then 1 of 4 (e to anti).
    Aggregate: (2·1/1 − 1)·(1 − 1/2) = 1/2, then (2·2/3 − 1)·(1 − 1/4) = 1/3·3/4 = 1/4.
    Pairs: (e, n) counts 1 as pro of 2 items; with (e, e), 1 of 4 is pro and 2 of 4 are errors.
    """
    one = [("p", "pro", "q"), ("q", "anti", "p"), ("t", "test", None)]
    two = [*one, ("r", "pro", "s"), ("s", "anti", "r")]
    answers = {"p": E, "q": N, "t": E, "r": E, "s": E}
    before = {k: v for k, v in answers.items() if k in "pqt"}
    found = by_measure(measure_changes(items(one), scores(before), items(two), scores(answers)))
    values = {name: (row.before, row.after, row.change) for name, row in found.items()}
    right = {
        "accuracy": (0.5, 0.25, -0.25),
        "accuracy_controls": (1.0, 1.0, 0.0),
        "test_accuracy_gap": (0.5, 0.75, 0.25),
        "aggregate": (0.5, 0.25, -0.25),
        "pro": (0.5, 0.5, 0.0),
        "anti": (0.0, 0.25, 0.25),
        "counterfactual_pro": (0.5, 0.25, -0.25),
        "counterfactual_anti": (0.0, 0.0, 0.0),
        "counterfactual_error": (0.0, 0.5, 0.5),
        "counterfactual_misprediction": (0.5, 0.75, 0.25),
    }
    assert values.keys() == right.keys()
    for name, row in right.items():
        assert values[name] == pytest.approx(row, abs=1e-12)
    assert (found["accuracy"].n_before, found["accuracy"].n_after) == (2, 4)


def test_the_same_version_changes_nothing_and_has_no_spread() -> None:
    """Drawn apart, the interval of 40 pairs at one half would be about ±0.15; drawn together it is 0."""
    rows = [r for i in range(40) for r in ((f"p{i}", "pro", f"q{i}"), (f"q{i}", "anti", f"p{i}"))]
    answers = {name: (E, N)[int(name[1:]) % 2] for name, _, _ in rows}
    found = measure_changes(items(rows), scores(answers), items(rows), scores(answers))
    for row in found:
        if row.before is not None:
            assert (row.change, row.low, row.high, row.p_corrected) == (0, 0, 0, 1)
    assert {row.measure for row in found if row.before is None} == {"accuracy_controls", "test_accuracy_gap"}


def test_the_interval_by_hand() -> None:
    """100 items with a template each, all in both versions; 20 right answers become wrong, none right.

    Each draw changes accuracy by −k/100 with k from Binomial(100, 0.2): mean 0.2, standard deviation
    sqrt(0.2·0.8/100) = 0.04, so the 95 % interval is near −0.2 ± 1.99·0.04 = −0.280 to −0.120.
    """
    rows = [(f"{i:03d}", "pro", None) for i in range(100)]
    before = {name: N for name, _, _ in rows}
    after = {name: E if int(name) < 20 else N for name in before}
    found = by_measure(measure_changes(items(rows), scores(before), items(rows), scores(after)))["accuracy"]
    assert found.change == pytest.approx(-0.2)
    assert found.low == pytest.approx(-0.280, abs=0.015)
    assert found.high == pytest.approx(-0.120, abs=0.015)
    assert found.p_corrected is not None
    assert found.p_corrected < 0.05


def test_alike_items_of_a_template_widen_the_interval() -> None:
    """100 items of ten templates: if the 20 that change are two of them, the interval is about √10 wider."""
    rows = [(f"{i:03d}", "pro", None) for i in range(100)]
    ids = [name for name, _, _ in rows]
    of_ten = [f"t{int(i) // 10}" for i in ids]
    before, after = dict.fromkeys(ids, N), {i: E if int(i) < 20 else N for i in ids}
    alone, together = (
        by_measure(measure_changes(table, scores(before), table, scores(after)))["accuracy"]
        for table in (items(rows), items(rows, template_id=of_ten))
    )
    assert together.change == alone.change
    assert together.high - together.low > 2.5 * (alone.high - alone.low)  # type: ignore[operator]


def test_what_supersedes_an_item_is_drawn_with_it() -> None:
    """Ten items are replaced, with texts of other templates; drawn with theirs, nothing varies."""
    rows = [(f"{i}", "pro", None) for i in range(10)]
    new = [(f"{i}", "pro", None) for i in range(10, 20)]
    before = {name: (E, N)[int(name) % 2] for name, _, _ in rows}
    after = {name: (E, N)[int(name) % 2] for name, _, _ in new}
    replaced = items(new, supersedes=[name for name, _, _ in rows])
    drawn = by_measure(measure_changes(items(rows), scores(before), replaced, scores(after)))["accuracy"]
    assert (drawn.change, drawn.low, drawn.high) == (0, 0, 0)
    apart = by_measure(measure_changes(items(rows), scores(before), items(new), scores(after)))["accuracy"]
    assert apart.change == 0
    assert apart.high is not None
    assert apart.high > 0.2


def test_why_a_model_is_not_compared() -> None:
    rows = [("a", "pro", None), ("b", "pro", None)]
    table, both = items(rows), {"a": E, "b": N}
    old = pa.concat_tables([scores(both, "one"), scores(both, "two", "1" * 64), scores({"a": E}, "three")])
    new = pa.concat_tables([scores(both, "two", "2" * 64), scores(both, "three"), scores(both, "four")])
    found = [(r.model, r.note) for r in measure_changes(table, old, table, new)]
    assert found == [
        ("four", "not compared: the old version has no scores of this model"),
        ("one", "not compared: the new version has no scores of this model"),
        ("three", "not compared: 1 of 2 items of the old version have no score"),
        ("two", "not compared: the new version has scores of a revision other than 111111111111"),
        ("two", "not compared: the old version has scores of a revision other than 222222222222"),
    ]


def test_an_unknown_role_is_said() -> None:
    table = items([("a", "pro", None)])
    known = scores({"a": E})
    odd = known.set_column(3, "role", pa.array(["<b>"]))
    (row,) = measure_changes(table, known, table, odd)
    assert row.note == "not compared: its role in the new version is not one of filter, held_out, audit"


def test_few_templates_have_no_interval() -> None:
    table = items([(str(i), "pro", None) for i in range(4)])
    before, after = scores(dict.fromkeys("0123", E)), scores(dict.fromkeys("0123", N))
    row = by_measure(measure_changes(table, before, table, after))["accuracy"]
    assert (row.change, row.low, row.p_corrected) == (1.0, None, None)
    assert row.note == "no interval: at least 5 templates are needed in both versions"


def test_a_measure_that_few_templates_have_has_no_interval() -> None:
    """Ten templates, but one control: its accuracy has no interval, and is missing from 35 % of the draws."""
    rows = [*((str(i), "pro", None) for i in range(9)), ("t9", "test", None)]
    answers = scores({name: E for name, _, _ in rows})
    found = by_measure(measure_changes(items(rows), answers, items(rows), answers))
    assert (found["accuracy_controls"].change, found["accuracy_controls"].low) == (0.0, None)
    assert found["accuracy_controls"].note == "no interval: at least 5 templates are needed in both versions"
    assert found["accuracy"].low == 0


def test_a_model_with_two_labels() -> None:
    rows = [(str(i), ("pro", "anti")[i % 2], None) for i in range(6)]
    ids = [name for name, _, _ in rows]
    half = {name: (E, N)[int(name) % 2] for name in ids}
    before, after = scores(half, two_way=True), scores(dict.fromkeys(ids, E), two_way=True)
    found = by_measure(measure_changes(items(rows), before, items(rows), after))
    assert (found["accuracy"].before, found["accuracy"].after) == (0.5, 0.0)
    assert found["accuracy"].low is not None
    assert found["pro"].note is not None
    assert found["pro"].note.startswith("needs contradiction")


def counted(table: pa.Table, asked: pa.Table) -> ItemCounts:
    return count_items(ItemSet("x", table.num_rows, lambda: [table]), [asked])


def measured_by(measure: str, item: dict[str, Any]) -> bool:
    """Whether ``item`` is one that ``measure`` is based on."""
    if measure == "accuracy_controls":
        return bool(item["stance_design"] == "test")
    return not measure.startswith("counterfactual_") or item["counterpart_id"] is not None


def brute_force(versions: list[tuple[pa.Table, pa.Table]], rows: Sequence[int], measure: str) -> list[float]:
    """The change in some draws, by copying the templates that were drawn and measuring the copies."""
    all_items = [item for table, _ in versions for item in table.to_pylist()]
    names = sorted({item["template_id"] for item in all_items if measured_by(measure, item)})
    (weights,) = level_weights((len(names),))
    found: list[float] = []
    for row in rows:
        drawn = dict(zip(names, weights[row].astype(int).tolist(), strict=True))
        values = []
        for table, asked in versions:
            copies, answers = [], []
            said = {answer["item_id"]: answer for answer in asked.to_pylist()}
            for item in table.to_pylist():
                for copy in range(drawn.get(item["template_id"], 0)):
                    other = item["counterpart_id"] and f"{item['counterpart_id']}/{copy}"
                    name = f"{item['id']}/{copy}"
                    copies.append(item | {"id": name, "counterpart_id": other})
                    answers.append(said[item["id"]] | {"item_id": name})
            copied = pa.Table.from_pylist(copies, schema=table.schema)
            of_copies = pa.Table.from_pylist(answers, schema=asked.schema)
            sums = counted(copied, of_copies).sums[MEASURED].sum(axis=(0, 2))
            values.append(measured(sums, two_way=False))
        found.append(float(values[1][measure] - values[0][measure]))
    return found


ANSWERS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS), st.booleans()), min_size=2, max_size=6
)


@settings(max_examples=6)
@given(ANSWERS, ANSWERS, st.integers(0, 3), st.lists(st.integers(1, DRAWS), min_size=4, max_size=4))
def test_the_draws_are_those_of_brute_force(old: Any, new: Any, shift: int, draws: list[int]) -> None:
    """Version b begins ``shift`` templates later, so that the two overlap in part."""
    versions = []
    for answers, start in ((old, 0), (new, shift)):
        rows: list[tuple[str, str, str | None]] = []
        said: dict[str, str] = {}
        for i, (first, second, whole) in enumerate(answers, start):
            rows += [(f"p{i}", "pro", f"q{i}" if whole else None)]
            rows += [(f"q{i}", "anti", f"p{i}")] if whole else [(f"t{i}", "test", None)]
            said |= {f"p{i}": first, ("q" if whole else "t") + str(i): second}
        versions.append((items(rows), scores(said)))
    a, b = (counted(table, asked) for table, asked in versions)
    fast = {
        first.measure: second.drawn.values - first.drawn.values for first, second in set_changes(a, b, "nli")
    }
    for name in MEASURES:
        slow = brute_force(versions, draws, name)
        assert fast[name][draws].tolist() == pytest.approx(slow, abs=1e-12, nan_ok=True)


def test_the_order_of_rows_makes_no_difference() -> None:
    rows = [(f"{i:02d}", ("pro", "anti")[i % 2], None) for i in range(20)]
    a, b = (
        {r[0]: LABELS[i % 3] for i, r in enumerate(rows)},
        {r[0]: LABELS[i % 2] for i, r in enumerate(rows)},
    )
    table, before, after = items(rows), scores(a), scores(b)
    order = pa.array(range(19, -1, -1))
    turned = measure_changes(table.take(order), before.take(order), table, after.take(order))
    assert turned == measure_changes(table, before, table, after)
