"""Measures of several models as one table: who is measured on what, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.measures_without_study import measure_table
from nextset.auditing.nli.answer_counts import COUNTS, MEASURES
from nextset.auditing.nli.item_counts import Cluster, CountedModel, ItemCounts
from nextset.auditing.nli.item_measure_rows import Series, measures_of
from nextset.auditing.nli.labels_by_model import labels_by_model, without_score
from nextset.errors import ArtifactError, MissingStage
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS, NliItem, NliScore
from nextset.scoring.predicted_labels import predicted

E, N, C = LABELS


def item(name: str, stance: str, **more: Any) -> dict[str, Any]:
    row = {
        "id": name, "language": "en", "domain": "gender", "stereotype": "man is to surgeon",
        "premise": "A surgeon works here.", "hypothesis": f"Hypothesis {name}.", "question": "",
        "label": N, "template_id": None, "stance_design": stance, "bindings": None,
        "premise_swapped": False, "names_group": True, "set_id": None,
        "parent_id": None, "supersedes": None, "premise_source": None,
    }  # fmt: skip
    return row | more


def items(rows: list[dict[str, Any]]) -> pa.Table:
    extra = [
        pa.field(n, pa.string())
        for n in ("verdict", "stance_judged", "judge", "counterpart_id")
        if any(n in r for r in rows)
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema([*arrow_schema(NliItem), *extra]))


def scores(
    said: Mapping[str, str], model: str = "m", role: str = "filter", revision: str = "r1"
) -> list[dict[str, Any]]:
    return [
        {"item_id": i, "model": model, "revision": revision, "role": role, "precision": "float32"}
        | {name: 0.8 if name == label else 0.1 for name in LABELS}
        for i, label in said.items()
    ]


def table(*parts: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist([r for p in parts for r in p], schema=arrow_schema(NliScore))


def values(found: pa.Table, model: str = "m", part: str = "all") -> dict[str, Any]:
    return {r["measure"]: r["value"] for r in found.to_pylist() if r["model"] == model and r["part"] == part}


RELEASED = [
    item("a", "pro", verdict="valid", stance_judged="pro", counterpart_id="b"),
    item("b", "anti", verdict="valid", stance_judged="anti", counterpart_id="a"),
    # people turned this pair round: designed as pro, judged anti
    item("c", "pro", domain="race", verdict="valid", stance_judged="anti", counterpart_id="d"),
    item("d", "anti", domain="race", verdict="valid", stance_judged="pro", counterpart_id="c"),
]


def test_by_hand_with_a_stance_that_people_turned_round() -> None:
    # a (pro) E, b (anti) C: pro 2. d (pro) E, c (anti) E: error 2. 4 items.
    found = values(measure_table(items(RELEASED), table(scores({"a": E, "b": C, "c": E, "d": E}))))
    assert found == {
        "accuracy": 0,
        "accuracy_controls": None,
        "test_accuracy_gap": None,
        "aggregate": pytest.approx(3 / 4 - 1 / 4),
        "pro": 3 / 4,
        "anti": 1 / 4,
        "counterfactual_pro": 2 / 4,
        "counterfactual_anti": 0,
        "counterfactual_error": 2 / 4,
        "counterfactual_misprediction": 1,
    }


def test_by_domain() -> None:
    found = measure_table(items(RELEASED), table(scores({"a": E, "b": C, "c": N, "d": N})), by="domain")
    assert found.column("part").to_pylist() == ["gender"] * len(MEASURES) + ["race"] * len(MEASURES)
    assert values(found, part="gender")["counterfactual_pro"] == 1
    assert values(found, part="race")["accuracy"] == 1


def test_controls_and_items_without_a_group_are_told_apart() -> None:
    rows = [
        item("a", "pro"),
        item("b", "anti", names_group=False),
        item("t", "test", label=C),
        item("u", "test", label=E),
    ]
    found = measure_table(items(rows), table(scores({"a": N, "b": E, "t": C, "u": N})))
    assert values(found)["accuracy"] == 1
    assert values(found)["accuracy_controls"] == 1 / 2
    first = found.to_pylist()[0]
    assert (first["n"], first["note"]) == (
        1, "excluded: 1 item that names no group; no interval: 1 template, and at least 5 are needed",
    )  # fmt: skip


def test_judged_away_items_are_left_out() -> None:
    rows = [*RELEASED, item("e", "pro", verdict="invalid", stance_judged=None)]
    found = measure_table(items(rows), table(scores({"a": N, "b": N, "c": N, "d": N, "e": E}))).to_pylist()[0]
    assert (found["value"], found["n"]) == (1, 4)
    assert found["note"].startswith("excluded: 1 item that was not judged valid; no interval: ")


def test_without_pairs_the_counterfactual_measures_say_why() -> None:
    found = measure_table(items([item("a", "pro")]), table(scores({"a": E}))).to_pylist()
    pair = next(r for r in found if r["measure"] == "counterfactual_error")
    assert (pair["value"], pair["n"]) == (None, 0)
    assert pair["note"] == "undefined: there are no counterfactual pairs"


def test_models_stand_by_role_then_name_whatever_the_order_of_rows() -> None:
    said = {"a": E, "b": C, "c": N, "d": N}
    all_scores = table(
        scores(said, "z"), scores(said, "b", "held_out"), scores(said, "a", "audit"), scores(said, "y")
    )
    found = measure_table(items(RELEASED), all_scores)
    assert found.schema == arrow_schema(MeasureRow)
    assert list(dict.fromkeys(found["model"].to_pylist())) == ["y", "z", "b", "a"]
    backwards = all_scores.take(list(range(all_scores.num_rows))[::-1])
    assert measure_table(items(RELEASED[::-1]), backwards).equals(found)


def test_a_filter_model_stays_one_when_the_audit_asks_it_again() -> None:
    both = table(scores({"a": E}, role="audit"), scores({"a": E}, role="filter"))
    assert [a.role for a in labels_by_model(items([item("a", "pro")]), [both])] == ["filter"]


def test_ties_resolve_in_the_order_of_the_labels() -> None:
    row = {"item_id": "a", "model": "m", "revision": "r", "role": "filter", "precision": "float32"}
    rows = [
        row | {E: 0.2, N: 0.4, C: 0.4},
        row | {E: 0.4, N: 0.4, C: 0.2},
        row | {E: 0.0, N: 0.0, C: 1.0},
    ]
    assert predicted(table(rows)).tolist() == [N, E, C]


def two_labels(said: Mapping[str, float], model: str = "two") -> list[dict[str, Any]]:
    """Scores of a model that gives entailment so much probability."""
    rows = scores(dict.fromkeys(said, E), model)
    return [row | {E: p, N: None, C: None} for row, p in zip(rows, said.values(), strict=True)]


def test_a_model_with_two_labels_has_accuracy_and_nothing_that_needs_contradiction() -> None:
    rows = [*RELEASED, item("t", "test", label=C), item("u", "test", label=E)]
    # right: a (neutral, not entailed), b likewise; wrong: c, d. controls: t (contradiction) right, u wrong;
    # the gap is 1/2 − 2/4
    both = table(
        two_labels({"a": 0.1, "b": 0.49, "c": 0.5, "d": 0.9, "t": 0.2, "u": 0.3}),
        scores({"a": N, "b": N, "c": N, "d": N, "t": C, "u": E}, "three"),
    )
    found = measure_table(items(rows), both)
    known = {"accuracy": 2 / 4, "accuracy_controls": 1 / 2, "test_accuracy_gap": 0}
    assert values(found, "two") == dict.fromkeys(MEASURES) | known
    assert values(found, "three")["counterfactual_error"] == 0
    refused = [r for r in found.to_pylist() if r["model"] == "two" and r["value"] is None]
    assert {r["note"] for r in refused} == {"needs contradiction, but two has only two labels"}
    assert {r["n"] for r in refused} == {4}


def test_the_gap_by_swapped_premises_is_there_if_test_items_have_some() -> None:
    rows = [item("t", "test", label=C), item("u", "test", label=E, premise_swapped=True)]
    found = measure_table(items(rows), table(scores({"t": C, "u": N})))
    (row,) = [r for r in found.to_pylist() if r["measure"] == "swapped_premise_gap"]
    assert (row["value"], row["n"], row["low"]) == (1, 2, None)
    assert "swapped_premise_gap" not in values(measure_table(items(rows[:1]), table(scores({"t": C}))))
    (only,) = [
        r
        for r in measure_table(items(rows[1:]), table(scores({"u": N}))).to_pylist()
        if r["measure"] == "swapped_premise_gap"
    ]
    assert (only["value"], only["note"]) == (None, "undefined: every test item has a swapped premise")


def test_two_labels_resolve_at_one_half() -> None:
    rows = two_labels({"a": 0.5, "b": 0.4999})
    assert predicted(table(rows, scores({"c": C}))).tolist() == [E, "not_entailment", C]


@pytest.mark.parametrize("lost", [E, N, C])
def test_one_missing_probability_is_no_model_with_two_labels(lost: str) -> None:
    broken = scores({"a": E})
    broken[0][lost] = None
    with pytest.raises(ArtifactError, match="the score of item a by m is not a number"):
        predicted(table(broken))


def test_a_missing_score_is_named() -> None:
    with pytest.raises(MissingStage, match="m has no score for 3 of 4 items, such as b"):
        measure_table(items(RELEASED), table(scores({"a": E})))


def test_two_revisions_are_not_mixed() -> None:
    mixed = table(scores({"a": E}), scores({"b": E}, revision="r2"))
    with pytest.raises(ArtifactError, match="two revisions of m are mixed: r1, r2"):
        measure_table(items(RELEASED), mixed)


def test_a_score_that_is_no_number_is_named() -> None:
    broken = scores({"a": E})
    broken[0][N] = float("nan")
    with pytest.raises(ArtifactError, match="the score of item a by m is not a number"):
        predicted(table(broken))


def test_a_counterpart_must_name_its_counterpart() -> None:
    rows = [*RELEASED[:1], RELEASED[1] | {"counterpart_id": None}]
    with pytest.raises(ArtifactError, match="the counterpart b of item a"):
        measure_table(items(rows), table(scores({"a": E, "b": E})))


def test_no_models_give_an_empty_table() -> None:
    assert measure_table(items(RELEASED), table()).num_rows == 0


def score_columns(piece: Sequence[tuple[str, str, str]]) -> pa.Table:
    """Scores of item, model and most probable label."""
    same = {"revision": ["r1"] * len(piece), "role": ["filter"] * len(piece)}
    texts = {"item_id": [i for i, _, _ in piece], "model": [model for _, model, _ in piece], **same}
    columns = {name: pa.array(column, pa.string()) for name, column in texts.items()}
    for name in LABELS:
        columns[name] = pa.array([float(name == label) for _, _, label in piece], pa.float64())
    return pa.table(columns)


@given(st.data())
def test_labels_are_those_of_a_plain_dictionary(data: st.DataObject) -> None:
    known = data.draw(st.lists(st.sampled_from("abcdé"), min_size=1), label="items, some of them twice")
    answers = st.tuples(st.sampled_from("abcdéxy"), st.sampled_from(["m", "n"]), st.sampled_from(LABELS))
    drawn = data.draw(st.lists(st.lists(answers, max_size=8), max_size=4), label="pieces of scores")
    asked = [(i, model, N) for model in ("m", "n") for i in dict.fromkeys(known)]
    pieces = [*drawn, asked]
    plain: dict[tuple[str, str], str] = {}
    for piece in pieces:
        for i, model, label in piece:
            plain.setdefault((model, i), label)
    tables = [score_columns(piece) for piece in pieces]
    only_ids = pa.table({"id": known})
    found = labels_by_model(only_ids, tables)
    assert {m.model: m.labels.tolist() for m in found} == {
        model: [plain[model, i] for i in known] for model in ("m", "n")
    }
    scored = {i for piece in drawn for i, _, _ in piece}
    left = without_score(only_ids, tables[:-1])["id"].to_pylist()
    assert left == [i for i in known if i not in scored]


def series_of(measure: str, **counts: Sequence[float]) -> Series:
    """A measure of one model, from its counts in each template."""
    n = len(next(iter(counts.values())))
    sums = np.array([counts.get(name, [0.0] * n) for name in COUNTS], np.float64)
    clusters = tuple(Cluster("s", f"t{i}", "d") for i in range(n))
    models = (CountedModel("m", "audit", "r", two_way=False),)
    found = ItemCounts("set", clusters, models, {"weighted": sums[None]}, np.zeros(n), np.zeros(n))
    return measures_of(found, "weighted", range(n))[0][measure]


def test_templates_count_by_the_weights_of_their_items() -> None:
    """Templates of four items, which weigh 1 in two and .05 in eight: 9.6² / (2 · 4² + 8 · .2²) = 2.85."""
    weights = [4.0] * 2 + [0.2] * 8
    support = series_of("accuracy", items=weights, rows=[4.0] * 10).support
    assert support.clusters == pytest.approx(9.6**2 / 32.32)
    # 9.6 items in all; a correlation of .3 in templates of 32.32 / 9.6 = 3.37 items
    assert support.rows == pytest.approx(9.6 / (1 + 0.3 * (32.32 / 9.6 - 1)))


def test_a_gap_of_two_kinds_has_the_templates_of_the_rarer_kind() -> None:
    """Eight templates with swapped premises only, and six others with true premises only, all right."""
    swapped, true = [2.0] * 8 + [0.0] * 6, [0.0] * 8 + [2.0] * 6
    series = series_of(
        "swapped_premise_gap",
        control_rows=[2.0] * 14, controls=[2.0] * 14, controls_right=true,
        swapped=swapped, unswapped=true, unswapped_right=true,
    )  # fmt: skip
    assert (series.values[0], series.clusters) == (1, 6)
    assert series.support.clusters == pytest.approx(6)
    # the kind that a template lacks counts as 0
    assert series.support.values.tolist() == pytest.approx([0] * 8 + [1] * 6)
