"""Measures that are functions: the same values and intervals as nextset's own, and errors that name them."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.auditing.model_comparisons import compare_sets
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.nli_audit import set_changes
from nextset.auditing.own_measures.function_measure import (
    Columns,
    FunctionMeasure,
    function_measure,
    measure_identities,
)
from nextset.auditing.own_measures.function_tables import function_changes
from nextset.auditing.own_measures.item_rows import item_rows
from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import InputError
from nextset.records.nli_items import LABELS
from nextset.tables.table_measures import measure
from tests.toy_packages import install_toy, toys_on_path

RNG = np.random.default_rng(7)
SHOWN = ("value", "low", "high", "n", "clusters")


def nli_items(templates: int = 8, of_each: int = 6, start: int = 0) -> pa.Table:
    rows = [
        {
            "id": f"i{t}-{k}",
            "label": "entailment" if k == 5 else "neutral",
            "stance_design": ("pro", "anti", "pro", "anti", "pro", "test")[k],
            "domain": "gender" if t % 2 else "race",
            "stereotype": "s",
            "template_id": f"t{t}",
            "hypothesis": f"h{t}",
            "premise": "p",
            "names_group": True,
        }
        for t in range(start, start + templates)
        for k in range(of_each)
    ]
    return pa.Table.from_pylist(rows)


def answers(items: pa.Table, *models: str) -> pa.Table:
    rows = []
    for model, id_ in itertools.product(models, items["id"].to_pylist()):
        p = np.random.default_rng([ord(c) for c in model + id_]).dirichlet((1, 1, 1))
        rows.append({"id": id_, "model": model, **dict(zip(LABELS, p.tolist(), strict=True))})
    return pa.Table.from_pylist(rows)


def measure_table(items: pa.Table, predictions: pa.Table, measures: Any = (), by: str = "all") -> pa.Table:
    return measure(items, predictions, measures, by=by)["measures"]


def rows_of(table: pa.Table, measure: str) -> list[tuple[Any, ...]]:
    return [
        (r["model"], r["part"], *(r[name] for name in SHOWN))
        for r in table.to_pylist()
        if r["measure"] == measure
    ]


def right(items: Columns, predictions: Columns) -> float:
    return float(np.mean(items["label"] == predictions["label"]))


def lean(items: Columns, predictions: Columns) -> float:
    says = np.select([predictions["label"] == "entailment", predictions["label"] == "contradiction"], [1, -1])
    return float(np.mean(says * np.where(items["stance"] == "pro", 1, -1)))


RIGHT = FunctionMeasure(name="right", function=right, scale="share")
LEAN = FunctionMeasure(name="lean", function=lean, scale="difference")


@pytest.mark.parametrize("by", ["all", "domain"])
def test_functions_have_the_values_and_intervals_of_nextset_s_own_measures(by: str) -> None:
    items = nli_items()
    table = measure_table(items, answers(items, "a", "b"), ["accuracy", "aggregate", RIGHT, LEAN], by)
    assert len(rows_of(table, "right")) == 2 * (1 if by == "all" else 2)
    for mine, own in (("right", "accuracy"), ("lean", "aggregate")):
        for one, other in zip(rows_of(table, mine), rows_of(table, own), strict=True):
            assert one[:2] == other[:2]
            assert one[2:] == pytest.approx(other[2:])


def test_test_items_are_a_choice() -> None:
    items = nli_items()
    controls = FunctionMeasure(name="controls", function=right, scale="share", rows="test")
    table = measure_table(items, answers(items, "a"), ["accuracy_controls", controls])
    assert rows_of(table, "controls")[0][2:] == pytest.approx(rows_of(table, "accuracy_controls")[0][2:])


def test_two_sets_are_compared_in_the_same_draws() -> None:
    first, second = nli_items(), nli_items(start=3)
    tables = {"plain": first, "released": second}
    sets = [ItemSet(name, t.num_rows, functools.partial(list, [t])) for name, t in tables.items()]
    scored = [
        answers(t, "a")
        .rename_columns({"id": "item_id"})
        .append_column("role", pa.repeat("audit", t.num_rows))
        for t in (first, second)
    ]
    scored = [t.append_column("revision", pa.repeat("r", t.num_rows)) for t in scored]
    counts = [count_items(s, [t]) for s, t in zip(sets, scored, strict=True)]
    own = next(r for r in compare_sets(set_changes(counts[0], counts[1], "nli")) if r.measure == "accuracy")
    rows = [item_rows(s, [t], "nli") for s, t in zip(sets, scored, strict=True)]
    (mine,) = compare_sets(function_changes(rows[0], rows[1], [RIGHT]))
    assert (mine.difference, mine.low, mine.high) == pytest.approx((own.difference, own.low, own.high))


def quads() -> tuple[pa.Table, pa.Table]:
    subjects = [f"s{i}" for i in range(6)]
    rows, scores = [], []
    for t, (one, other), a in itertools.product(range(3), itertools.combinations(subjects, 2), ("x", "y")):
        id_ = f"{t}{one}{other}{a}"
        names = ("id", "subject_class", "template_id", "attribute", "subject1", "subject2", "question")
        row = dict(zip(names, (id_, "people", f"t{t}", a, one, other, "?"), strict=True))
        rows.append({**row, "attribute_cluster": "", "cluster1": "", "cluster2": ""})
        scores.append({"id": id_, "model": "m", **dict(zip(SCORES, RNG.random(8).tolist(), strict=True))})
    return pa.Table.from_pylist(rows), pa.Table.from_pylist(scores)


@pytest.mark.parametrize("by", ["all", "attribute", "subject", "template"])
def test_functions_of_quads_have_the_same_intervals_too(by: str) -> None:
    size = FunctionMeasure(name="size", scale="size", function=lambda items, p: float(np.abs(p["c"]).mean()))
    table = measure_table(*quads(), ["mean_c", size], by)
    mine, own = rows_of(table, "size"), rows_of(table, "mean_c")
    assert [r[1] for r in mine] == [r[1] for r in own]
    for one, other in zip(mine, own, strict=True):
        assert one[2:] == pytest.approx(other[2:])


def none_of(items: Columns, predictions: Columns) -> float:
    return 0.0


def first_template(items: Columns, predictions: Columns) -> float:
    return float(np.mean(items["template_id"] == "t0"))


def test_an_interval_stays_in_the_scale_of_its_measure() -> None:
    """No template carries a 0, so that its interval is as wide as Wilson's: it does not go below 0."""
    items, size = nli_items(), FunctionMeasure(name="size", function=none_of, scale="size")
    ((*_, low, high, _, _),) = rows_of(measure_table(items, answers(items, "a"), [size]), "size")
    assert low == 0 < high < 1
    # a t interval of three templates, of which one has 1 and two have 0, goes beyond both ends
    one = FunctionMeasure(name="one", function=first_template, scale="size")
    (row,) = measure_table(*quads(), [one]).to_pylist()
    assert (row["low"], row["high"]) == (0, 1)
    assert row["note"] == "3 templates: the interval is that of a t-test, and wide"


def raises(items: Columns, predictions: Columns) -> float:
    return float(items["nothing"].mean())


WRONG: dict[str, Any] = {
    "raised KeyError: 'nothing; the columns are": raises,
    "returned NaN, and gives no reason": lambda items, predictions: float("nan"),
    "returned 40 values instead of one": lambda items, predictions: np.ones(items.rows),
    "returned 'many', which is not a number": lambda items, predictions: "many",
    "returned True, which is not a number": lambda items, predictions: True,
    "returned inf, which is not a finite number": lambda items, predictions: float("inf"),
}


@pytest.mark.parametrize("problem", WRONG)
def test_a_wrong_result_names_function_model_and_part(problem: str) -> None:
    items = nli_items()
    measure = FunctionMeasure(name="mine", function=WRONG[problem], source="own.py:mine")
    with pytest.raises(InputError, match="the measure mine") as error:
        measure_table(items, answers(items, "a"), [measure])
    assert problem in str(error.value)
    assert "(own.py:mine): it" in str(error.value)
    assert "for a and the part all" in str(error.value)


def test_a_value_out_of_its_scale_is_an_error() -> None:
    items = nli_items()
    with pytest.raises(InputError, match="it returned 2, but a share is between 0 and 1"):
        measure_table(
            items, answers(items, "a"), [FunctionMeasure(name="m", scale="share", function=lambda i, p: 2)]
        )


def test_a_documented_reason_makes_nan_an_undefined_value() -> None:
    items = nli_items()
    mine = FunctionMeasure(name="m", function=lambda i, p: float("nan"), undefined="no twins")
    (row,) = measure_table(items, answers(items, "a"), [mine]).to_pylist()
    assert (row["value"], row["low"], row["note"]) == (None, None, "undefined: no twins")


def test_names_are_usable_and_not_those_of_nextset() -> None:
    def accuracy(items: Columns, predictions: Columns) -> float:
        return 0.0

    with pytest.raises(InputError, match=r"'accuracy' .* is the name of a measure of nextset"):
        function_measure(accuracy)
    with pytest.raises(InputError, match="is not usable"):
        function_measure(lambda items, predictions: 0.0)
    with pytest.raises(InputError, match="is not a function"):
        function_measure(3)  # type: ignore[arg-type]


def test_labels_alone_are_enough_and_what_is_missing_is_named() -> None:
    items = nli_items().select(["id", "label"])
    labels = pa.table({"id": items["id"], "label": items["label"]})
    assert [(r["measure"], r["value"]) for r in measure_table(items, labels).to_pylist()] == [("accuracy", 1)]
    with pytest.raises(InputError, match="pro need the column stance_design"):
        measure_table(items, labels, ["pro"])
    with pytest.raises(InputError, match="no column id"):
        measure_table(items, labels.select(["label"]))
    with pytest.raises(InputError, match=r"'yes' in row 0 \(from 0\) is not one of"):
        measure_table(items, labels.set_column(1, "label", pa.repeat("yes", items.num_rows)))
    with pytest.raises(InputError, match="by='topic' is not a grouping"):
        measure_table(items, labels, by="topic")
    with pytest.raises(InputError, match="no installed package has a measure 'lean'"):
        measure_table(items, labels, ["lean"])


@pytest.mark.parametrize("column", ["stance", "stance_design", "domain", "stereotype", "names_group"])
def test_a_function_gets_only_the_columns_that_the_items_have(column: str) -> None:
    items = nli_items()
    reads = FunctionMeasure(name="reads", function=lambda items, predictions: float(len(items[column])))
    (row,) = measure_table(items, answers(items, "a"), [reads]).to_pylist()
    assert row["value"] == row["n"]
    missing = items.drop_columns(["stance_design" if column == "stance" else column])
    with pytest.raises(InputError, match=f"raised KeyError: '{column}; the columns are id, label") as error:
        measure_table(missing, answers(items, "a"), [reads])
    assert str(error.value).count(column) == 1


def test_a_function_of_test_items_needs_their_stance() -> None:
    items = nli_items()
    controls = FunctionMeasure(name="controls", function=right, rows="test")
    with pytest.raises(InputError, match="controls need the column stance_design"):
        measure_table(items.drop_columns(["stance_design"]), answers(items, "a"), [controls])


def test_a_function_of_other_rows_is_an_error() -> None:
    items = nli_items()
    of_quads = FunctionMeasure(name="of_quads", function=right, forms=("question",))
    with pytest.raises(InputError, match="of_quads is not defined for these rows") as error:
        measure_table(items, answers(items, "a"), ["accuracy", of_quads])
    assert error.value.remedy == "omit it, or add 'nli' to the forms of its FunctionMeasure"
    of_items = FunctionMeasure(name="of_items", function=right, forms=("nli",))
    with pytest.raises(InputError, match="of_items is not defined for these rows"):
        measure_table(*quads(), [of_items])


def exits(items: Columns, predictions: Columns) -> float:
    raise SystemExit(0)


def spoils(items: Columns, predictions: Columns) -> float:
    predictions["entailment"][:] = 7
    return 1.0


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (exits, "raised SystemExit: 0"),
        (spoils, "read-only"),
        (lambda items, predictions: 10**400, "not a finite number"),
        (lambda items, predictions: np.longdouble("1e4000"), "not a finite number"),
        (lambda items, predictions: np.timedelta64(5, "s"), "not a number"),
        (lambda items, predictions: np.ma.masked, "masked"),
    ],
)
def test_a_function_that_ends_the_program_or_spoils_columns_is_an_error(function: Any, problem: str) -> None:
    items = nli_items()
    with pytest.raises(InputError, match=problem):
        measure_table(items, answers(items, "a"), [FunctionMeasure(name="odd", function=function)])


def test_a_large_whole_number_is_a_number() -> None:
    items = nli_items()
    large = FunctionMeasure(name="large", function=lambda items, predictions: 10**30)
    assert set(measure_table(items, answers(items, "a"), [large])["value"].to_pylist()) == {1e30}


def test_a_changed_measure_of_a_package_has_a_different_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_points = "[nextset.measures]\nlean = toy_measures:lean\n"
    identities: list[dict[str, str]] = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        source = f"def lean(items, predictions):\n    return {len(identities)}\n"
        install_toy(folder, "toy_measures", "0.1", entry_points, source)  # an editable one keeps its version
        with monkeypatch.context() as patch, toys_on_path(folder, patch):
            identities += measure_identities(["lean"], Path)
    assert [one["package"] for one in identities] == ["toy_measures 0.1"] * 2
    assert identities[0]["module"] != identities[1]["module"]
