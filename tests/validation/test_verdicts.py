from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nextset.records.arrow_schema import table_of
from nextset.records.content_ids import unit_ids
from nextset.records.judgment import Judgment
from nextset.records.nli_items import NliItem
from nextset.validation.verdicts import aggregate, judged
from tests.records import ITEM

BASE = replace(ITEM, stereotype="s", premise="A fact.", hypothesis="", question="")


def items(*rows: dict[str, Any]) -> pa.Table:
    return table_of((replace(BASE, id=str(i), **row) for i, row in enumerate(rows)), NliItem)


def vote(unit: str, judge: str, verdict: Any, stance: Any = None) -> Judgment:
    return Judgment(unit_id=unit, verdict=verdict, stance_judged=stance, judge=judge, annotation=None)


def test_the_most_frequent_verdict_counts_and_ties_give_none() -> None:
    votes = [
        vote("a", "1", "valid", "pro"), vote("a", "2", "valid", "pro"), vote("a", "3", "invalid"),
        vote("b", "1", "valid", "pro"), vote("b", "2", "invalid"),
        vote("c", "1", "valid", "pro"), vote("c", "2", "valid", "anti"),
        vote("elsewhere", "1", "valid", "pro"),
    ]  # fmt: skip
    found = aggregate(["a", "b", "c", "d"], votes)
    got = {u: (v.verdict, v.stance_judged, v.n_judgments) for u, v in found.by_unit.items()}
    assert got == {"a": ("valid", "pro", 3), "b": (None, None, 2), "c": ("valid", None, 2)}
    assert found.counts == {
        "valid": 2, "invalid": 0, "incoherent": 0, "tie": 1, "unjudged": 1, "valid, stance tied": 1,
        "adjudicated": 0,
    }  # fmt: skip
    assert found.undecided == ["b"]
    assert [(p.unit_id, p.label) for p in found.posteriors if p.probability > 0.6] == [("a", "valid pro")]


def test_adjudication_takes_precedence_over_votes() -> None:
    votes = [
        vote("a", "1", "valid", "pro"), vote("a", "2", "valid", "pro"),
        vote("b", "1", "valid", "pro"), vote("b", "2", "invalid"),
    ]  # fmt: skip
    judges = [
        vote("a", "9", "incoherent"), vote("b", "8", "valid", "anti"), vote("c", "9", "invalid"),
        vote("d", "8", "valid", "pro"), vote("d", "9", "invalid"), vote("elsewhere", "9", "invalid"),
    ]  # fmt: skip
    found = aggregate(["a", "b", "c", "d", "e"], votes, adjudications=judges)
    got = {u: (v.verdict, v.stance_judged, v.n_judgments, v.adjudicated) for u, v in found.by_unit.items()}
    assert got == {
        "a": ("incoherent", None, 2, True), "b": ("valid", "anti", 2, True),
        "c": ("invalid", None, 0, True), "d": (None, None, 0, True),
    }  # fmt: skip
    assert found.counts["adjudicated"] == 4
    assert found.counts["unjudged"] == 1
    # The posteriors are of the votes alone.
    assert {p.unit_id for p in found.posteriors} == {"a", "b"}


def test_without_votes_there_is_nothing_to_put_together() -> None:
    found = aggregate(["a"], [])
    assert (found.by_unit, found.posteriors, found.undecided) == ({}, (), [])
    assert found.counts["unjudged"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_models_sum_the_stances_of_a_verdict(method: Any) -> None:
    random = np.random.default_rng(2)
    truth = [("valid", "pro"), ("valid", "anti"), ("invalid", None), ("incoherent", None)]
    votes = [
        vote(f"u{i:02}", str(j), *(truth[i % 4] if random.random() < 0.9 else truth[random.integers(4)]))
        for i in range(40)
        for j in range(3)
    ]
    found = aggregate([f"u{i:02}" for i in range(40)], votes, method=method)
    right = [(found.by_unit[f"u{i:02}"].verdict, found.by_unit[f"u{i:02}"].stance_judged) for i in range(40)]
    assert sum(a == b for a, b in zip(right, truth * 10, strict=True)) >= 36
    assert found.fit.method == method
    assert {p.label for p in found.posteriors} == {"valid pro", "valid anti", "invalid", "incoherent"}


def test_verdicts_become_columns() -> None:
    table = items({"hypothesis": "x"}, {"hypothesis": "y"}, {"hypothesis": "x", "stance_design": "test"})
    x, y, _ = unit_ids(table, "hypothesis")
    found = judged(table, [x, y, None], aggregate([x, y], [vote(x, "a-1", "valid", "pro")]))
    assert found["verdict"].to_pylist() == ["valid", None, None]
    assert found["stance_judged"].to_pylist() == ["pro", None, None]
    assert found["judge"].to_pylist() == ["people", None, None]
    assert found["n_judgments"].to_pylist() == [1, 0, 0]
    assert found.schema.field("n_judgments").type == pa.int32()
    assert found["unit_id"].to_pylist() == [x, y, None]
