"""The measures of models on two versions of a dataset, and the interval of their change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.nli.measure_table import MEASURES, measure
from nextset.auditing.version_change import (
    DRAWS,
    MeasureChange,
    _drawn,
    _Version,
    _weights,
    clusters,
    measure_changes,
)
from nextset.records.nli_items import LABELS

E, N, C = LABELS


def items(rows: Sequence[tuple[str, str, str | None]], **columns: list[Any]) -> pa.Table:
    """Items from id, stance and counterpart."""
    ids, stance, counterparts = zip(*rows, strict=True) if rows else ((), (), ())
    data = {
        "id": pa.array(ids, pa.string()),
        "label": pa.array([E if s == "test" else N for s in stance], pa.string()),
        "stereotype": pa.array(["s"] * len(ids), pa.string()),
        "stance_design": pa.array(stance, pa.string()),
        "names_group": pa.array([True] * len(ids)),
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

    Accuracy: 1 of 2, then 1 of 4. Pro: 1 of 2 (e to pro), then 2 of 4. Anti: 0 of 2, then 1 of 4 (e to anti).
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
        if row.measure != "accuracy_controls":
            assert (row.change, row.low, row.high) == (0, 0, 0)


def test_the_interval_by_hand() -> None:
    """100 items, all in both versions; 20 right answers become wrong, none the other way.

    Each draw changes accuracy by −k/100 with k from Binomial(100, 0.2): mean 0.2, standard deviation
    sqrt(0.2·0.8/100) = 0.04, so the 95 % interval is near −0.2 ± 1.96·0.04 = −0.278 to −0.122.
    """
    rows = [(f"{i:03d}", "pro", None) for i in range(100)]
    before = {name: N for name, _, _ in rows}
    after = {name: E if int(name) < 20 else N for name in before}
    found = by_measure(measure_changes(items(rows), scores(before), items(rows), scores(after)))["accuracy"]
    assert found.change == pytest.approx(-0.2)
    assert found.low == pytest.approx(-0.278, abs=0.015)
    assert found.high == pytest.approx(-0.122, abs=0.015)


def test_clusters_are_pairs_sets_and_what_was_superseded() -> None:
    a = items([("a", "pro", "b"), ("b", "anti", "a"), ("c", "pro", None)], set_id=[None, None, "s"])
    b = items([("a", "pro", None), ("d", "pro", None), ("e", "pro", None), ("f", "pro", None)],
              set_id=[None, None, "s", None], supersedes=[None, "b", None, None])  # fmt: skip
    codes_a, codes_b, n = clusters(a, b)
    # {a, b, d} by the pair and the replacement, {c, e} by the set, {f}
    assert (codes_a.tolist(), codes_b.tolist(), n) == ([0, 0, 1], [0, 0, 1, 2], 3)


def test_an_id_and_a_set_of_the_same_name_are_two_things() -> None:
    table = items([("a", "pro", None), ("b", "pro", None)], set_id=[None, "a"])
    assert clusters(table, table)[2] == 2


def test_why_a_model_is_not_compared() -> None:
    rows = [("a", "pro", None), ("b", "pro", None)]
    table, both = items(rows), {"a": E, "b": N}
    old = pa.concat_tables([scores(both, "one"), scores(both, "two", "1" * 64), scores({"a": E}, "three")])
    new = pa.concat_tables([scores(both, "two", "2" * 64), scores(both, "three"), scores(both, "four")])
    found = [(r.model, r.note) for r in measure_changes(table, old, table, new)]
    assert found == [
        ("four", "not compared: the old version has no scores by it"),
        ("one", "not compared: the new version has no scores by it"),
        ("three", "not compared: 1 of 2 items of the old version have no score"),
        ("two", "not compared: the new version has scores of another revision than 111111111111"),
        ("two", "not compared: the old version has scores of another revision than 222222222222"),
    ]


def test_an_unknown_role_is_said() -> None:
    table = items([("a", "pro", None)])
    known = scores({"a": E})
    odd = known.set_column(3, "role", pa.array(["<b>"]))
    (row,) = measure_changes(table, known, table, odd)
    assert row.note == "not compared: its role in the new version is not one of filter, held_out, audit"


def test_one_cluster_has_no_interval() -> None:
    table = items([("a", "pro", None)])
    row = by_measure(measure_changes(table, scores({"a": E}), table, scores({"a": N})))["accuracy"]
    assert (row.change, row.low, row.note) == (1.0, None, "no interval: there is only one cluster")


def test_a_measure_that_most_draws_lack_has_no_interval() -> None:
    """One control in three clusters: it is missing from (2/3)³ = 30 % of the draws."""
    table = items([("a", "pro", None), ("b", "pro", None), ("t", "test", None)])
    answers = scores({"a": E, "b": N, "t": E})
    row = by_measure(measure_changes(table, answers, table, answers))["accuracy_controls"]
    assert (row.change, row.low) == (0.0, None)
    assert row.note == "no interval: too many draws leave it undefined"


def test_a_model_with_two_labels() -> None:
    table = items([("a", "pro", None), ("b", "anti", None)])
    before, after = scores({"a": E, "b": N}, two_way=True), scores({"a": E, "b": E}, two_way=True)
    found = by_measure(measure_changes(table, before, table, after))
    assert (found["accuracy"].before, found["accuracy"].after) == (0.5, 0.0)
    assert found["accuracy"].low is not None
    assert found["pro"].note is not None
    assert found["pro"].note.startswith("needs contradiction")


def brute_force(versions: list[tuple[pa.Table, pa.Table]], seed: int) -> dict[str, list[float | None]]:
    """The change in every draw, by copying the clusters that were drawn and measuring the copies."""
    *codes, n = clusters(versions[0][0], versions[1][0])
    draws = next(_weights(n, seed))[:60].astype(int)
    found: dict[str, list[float | None]] = {name: [] for name in MEASURES}
    for weights in draws:
        values = []
        for (table, asked_before), code in zip(versions, codes, strict=True):
            rows, answers = [], []
            for copy in range(int(weights.max(initial=0))):
                for row, c in zip(table.to_pylist(), code.tolist(), strict=True):
                    if weights[c] > copy:
                        other = row["counterpart_id"] and f"{row['counterpart_id']}/{copy}"
                        rows.append(row | {"id": f"{row['id']}/{copy}", "counterpart_id": other})
                for answer in asked_before.to_pylist():
                    answers.append(answer | {"item_id": f"{answer['item_id']}/{copy}"})
            copied = pa.Table.from_pylist(rows, schema=table.schema)
            asked = pa.Table.from_pylist(answers, schema=asked_before.schema)
            values.append({r["measure"]: r["value"] for r in measure(copied, [asked]).to_pylist()})
        for name in MEASURES:
            a, b = (v.get(name) for v in values)
            found[name].append(None if a is None or b is None else b - a)
    return found


ANSWERS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS), st.booleans()), min_size=2, max_size=6
)


@pytest.mark.slow
@settings(max_examples=8)
@given(ANSWERS, ANSWERS, st.integers(0, 3))
def test_the_draws_are_those_of_brute_force(old: Any, new: Any, shift: int) -> None:
    """Version b begins ``shift`` pairs later, so that the two overlap in part."""
    versions = []
    for answers, start in ((old, 0), (new, shift)):
        rows: list[tuple[str, str, str | None]] = []
        given_answers: dict[str, str] = {}
        for i, (first, second, whole) in enumerate(answers, start):
            rows += [(f"p{i}", "pro", f"q{i}" if whole else None)]
            rows += [(f"q{i}", "anti", f"p{i}")] if whole else [(f"t{i}", "test", None)]
            given_answers |= {f"p{i}": first, ("q" if whole else "t") + str(i): second}
        versions.append((items(rows), scores(given_answers)))
    *codes, n = clusters(versions[0][0], versions[1][0])
    a, b = (_Version.of(t, s, code, n) for (t, s), code in zip(versions, codes, strict=True))
    (fast,), slow = _drawn([(a, b)], n, 5), brute_force(versions, 5)
    for name in MEASURES:
        right = [np.nan if v is None else v for v in slow[name]]
        assert fast[name][:60].tolist() == pytest.approx(right, abs=1e-12, nan_ok=True)


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


def test_every_draw_has_as_many_clusters_as_there_are() -> None:
    drawn = np.concatenate(list(_weights(7, 0)))
    assert drawn.shape == (DRAWS, 7)
    assert (drawn.sum(axis=1) == 7).all()
    # each count is Binomial(7, 1/7) with mean 1; the mean of 2,000 draws varies by about 0.02
    assert drawn.mean(axis=0) == pytest.approx(1, abs=0.1)
