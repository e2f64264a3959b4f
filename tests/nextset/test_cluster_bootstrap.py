"""Intervals of shares of items: whole stereotypes are drawn, and a number has one interval everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from nextset.auditing.nli.measure_table import measure
from nextset.cluster_bootstrap import ItemClusters, cluster_draws, share_ends
from nextset.filtering.held_out_gap import gap
from nextset.interval import wilson
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem, NliScore
from tests.filtering.scores import answers, column, wrong_or_right
from tests.records import ITEM

IDS = [f"{i:03}" for i in range(400)]


def interval_of_the_audit(
    stereotypes: list[str], right: list[bool], ids: list[str] = IDS
) -> tuple[float, float]:
    """The interval of an accuracy as the audit reports it; rows come in another order than in the filter."""
    rows = list(zip(ids, stereotypes, right, strict=True))[::-1]
    items = [replace(ITEM, id=i, stereotype=s, label="neutral", stance_design="pro") for i, s, _ in rows]
    scores = [
        NliScore(
            item_id=i,
            model="m",
            revision="0",
            role="filter",
            precision="float32",
            mode="canonical",
            truncated=False,
            entailment=0.1 if r else 0.8,
            neutral=0.8 if r else 0.1,
            contradiction=0.1,
        )
        for i, _, r in rows
    ]
    row = measure(table_of(items, NliItem), [table_of(scores, NliScore)]).to_pylist()[0]
    assert row["measure"] == "accuracy"
    return row["low"], row["high"]


@pytest.mark.parametrize(("n", "drawn"), [(10, "stereotypes"), (2, "items")])
def test_the_audit_and_the_filter_report_give_one_interval(n: int, drawn: str) -> None:
    # half of the stereotypes are hard, so that items of a stereotype are alike
    stereotypes = [f"s{i % n}" for i in range(len(IDS))]
    right = [i % n < n // 2 or i % 7 == 0 for i in range(len(IDS))]
    clusters = ItemClusters.of("stereotypes", column(stereotypes), column(IDS))
    said = answers({"m": wrong_or_right([not r for r in right])})
    rows = gap(
        said, answers({"h": wrong_or_right([False] * len(IDS))}), np.ones(len(IDS), np.bool_), clusters
    )
    (before,) = [row for row in rows if row.measure == "filter_before"]
    assert before.drawn == drawn
    assert interval_of_the_audit(stereotypes, right) == (before.low, before.high)


def test_what_is_measured_on_kept_items_has_the_interval_of_an_audit_of_them() -> None:
    # 10 stereotypes of 40 items; s9 is rejected, so that the audit has 9 stereotypes to draw from
    stereotypes = [f"s{i % 10}" for i in range(len(IDS))]
    right = [i % 10 < 5 or i % 7 == 0 for i in range(len(IDS))]
    keep = np.array([s != "s9" for s in stereotypes])
    clusters = ItemClusters.of("stereotypes", column(stereotypes), column(IDS))
    said = answers({"m": wrong_or_right([not r for r in right])})
    rows = {
        row.measure: row
        for row in gap(said, answers({"h": wrong_or_right([False] * len(IDS))}), keep, clusters)
    }
    assert (rows["filter_before"].n, rows["filter_after"].n) == (10, 9)
    kept = [i for i in range(len(IDS)) if keep[i]]
    audited = interval_of_the_audit(
        [stereotypes[i] for i in kept], [right[i] for i in kept], [IDS[i] for i in kept]
    )
    assert audited == (rows["filter_after"].low, rows["filter_after"].high)


def test_the_interval_of_alike_items_is_wider_than_of_independent_ones() -> None:
    stereotypes = [f"s{i % 10}" for i in range(len(IDS))]
    low, high = interval_of_the_audit(stereotypes, [i % 10 < 7 for i in range(len(IDS))])
    # ten clusters of a share of 0.7: 0.7 ± 1.96 √(0.21 / 10) = 0.28; of 400 items √(0.21 / 400) gives 0.045
    assert 0.4 < high - low < 0.65
    alone = wilson(280, 400)
    assert alone is not None
    assert alone.high - alone.low < 0.1


def test_blocks_of_items_are_drawn_if_stereotypes_are_few() -> None:
    values, ids = column(["s"] * 400), column(IDS)
    found = ItemClusters.of("stereotypes", values, ids).of_rows(slice(None))
    assert (found.drawn, found.units) == ("items", 400)
    assert 100 < found.n <= 200
    assert ItemClusters.of("attributes", values).of_rows(slice(None)).n == 1


def test_one_cluster_has_no_interval() -> None:
    one = ItemClusters.of("attributes", pa.chunked_array([["s", "s"]])).of_rows(slice(None))
    assert cluster_draws(1) is None
    assert share_ends(np.array([True, False]), one) == (None, None)
