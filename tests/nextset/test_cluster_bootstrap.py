"""Templates and pairs are drawn, and a number has one interval everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.auditing.measures_without_study import measure_table
from nextset.cluster_bootstrap import (
    DRAWS,
    Clusters,
    crossed_clusters,
    level_weights,
    pair_clusters,
    template_clusters,
)
from nextset.filtering.held_out_gap import gap
from nextset.interval import wilson
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem, NliScore
from tests.filtering.scores import answers, column, wrong_or_right
from tests.records import ITEM

IDS = [f"{i:03}" for i in range(400)]


def by_template(templates: list[str]) -> Clusters:
    same = column(["s"] * len(templates))
    return template_clusters(pa.table({"stereotype": same, "template_id": column(templates)}))


def interval_of_the_audit(
    templates: list[str], right: list[bool], ids: list[str] = IDS
) -> tuple[float, float]:
    """The interval of an accuracy as the audit reports it; rows come in another order than in the filter."""
    rows = list(zip(ids, templates, right, strict=True))[::-1]
    items = [
        replace(ITEM, id=i, stereotype="s", template_id=name, label="neutral", stance_design="pro")
        for i, name, _ in rows
    ]
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
    row = measure_table(table_of(items, NliItem), table_of(scores, NliScore)).to_pylist()[0]
    assert row["measure"] == "accuracy"
    return row["low"], row["high"]


def test_the_audit_and_the_filter_report_give_one_interval() -> None:
    # half of the templates are hard, so that items of a template are alike
    templates = [f"t{i % 10}" for i in range(len(IDS))]
    right = [i % 10 < 5 or i % 7 == 0 for i in range(len(IDS))]
    said = answers({"m": wrong_or_right([not r for r in right])})
    held_out = answers({"h": wrong_or_right([False] * len(IDS))})
    rows = gap(said, held_out, np.ones(len(IDS), np.bool_), by_template(templates))
    (before,) = [row for row in rows if row.measure == "filter_before"]
    assert (before.drawn, before.n) == ("templates", 10)
    assert interval_of_the_audit(templates, right) == (before.low, before.high)


def test_what_is_measured_on_kept_items_has_the_interval_of_an_audit_of_them() -> None:
    # 10 templates of 40 items; t9 is rejected, so that the audit has 9 templates to draw from
    templates = [f"t{i % 10}" for i in range(len(IDS))]
    right = [i % 10 < 5 or i % 7 == 0 for i in range(len(IDS))]
    keep = np.array([name != "t9" for name in templates])
    said = answers({"m": wrong_or_right([not r for r in right])})
    held_out = answers({"h": wrong_or_right([False] * len(IDS))})
    rows = {row.measure: row for row in gap(said, held_out, keep, by_template(templates))}
    assert (rows["filter_before"].n, rows["filter_after"].n) == (10, 9)
    kept = [i for i in range(len(IDS)) if keep[i]]
    audited = interval_of_the_audit(
        [templates[i] for i in kept], [right[i] for i in kept], [IDS[i] for i in kept]
    )
    assert audited == (rows["filter_after"].low, rows["filter_after"].high)


def test_the_interval_of_alike_items_is_wider_than_of_independent_ones() -> None:
    templates = [f"t{i % 10}" for i in range(len(IDS))]
    low, high = interval_of_the_audit(templates, [i % 10 < 7 for i in range(len(IDS))])
    # ten clusters of a share of 0.7: 0.7 ± 1.96 √(0.21 / 10) = 0.28, and wider with 9 degrees of
    # freedom; of 400 items √(0.21 / 400) gives 0.045
    assert 0.5 < high - low < 0.75
    alone = wilson(280, 400)
    assert alone is not None
    assert alone.high - alone.low < 0.1


def test_a_template_is_drawn_within_its_stereotype() -> None:
    found = template_clusters(
        pa.table({"stereotype": column(["b", "a", "a", None]), "template_id": column(["t", "t", "u", "t"])})
    )
    assert (found.n, found.units, found.drawn) == (4, 4, "templates")
    # sorted by stereotype, then by template: none, a t, a u, b t
    assert found.codes.tolist() == [3, 1, 2, 0]


def test_pairs_of_subjects_have_no_order_and_cross_the_templates() -> None:
    found = pair_clusters(column(["t", "t", "u", "u"]), column(["A", "B", "A", "C"]), column("BACA"))
    # the cells are (t, A B), (u, A C); the third quad is A and C, the fourth C and A
    assert found.codes.tolist() == [0, 0, 1, 1]
    assert [level.tolist() for level in found.levels] == [[0, 1], [0, 1]]
    assert (found.sizes, found.units) == ((2, 2), 2)
    with_bar = pair_clusters(column(["t"] * 2), column(["A\tB", "A"]), column(["C", "B\tC"]))
    assert with_bar.units == 2


def test_the_first_row_counts_all_once_and_each_draw_has_as_many_levels_as_there_are() -> None:
    templates, pairs = level_weights((4, 7))
    assert templates.shape == (1 + DRAWS + 4, 4)
    assert pairs.shape == (1 + DRAWS + 4, 7)
    for weights, n in ((templates, 4), (pairs, 7)):
        assert (weights[0] == 1).all()
        assert (weights[1 : 1 + DRAWS].sum(axis=1) == n).all()
        # each count is Binomial(n, 1/n) with mean 1 and a variance below 1; the mean of 1,000 varies by 0.03
        assert weights[1 : 1 + DRAWS].mean(axis=0) == pytest.approx(1, abs=0.13)
    # then each template is left out once, with all pairs
    assert (templates[1 + DRAWS :] == 1 - np.eye(4)).all()
    assert (pairs[1 + DRAWS :] == 1).all()
    # templates and pairs are drawn independently of each other
    assert (level_weights((7, 7))[0][1 : 1 + DRAWS] != level_weights((7, 7))[1][1 : 1 + DRAWS]).any()


def test_one_template_is_neither_drawn_nor_left_out() -> None:
    templates, pairs = level_weights((1, 6))
    assert templates.shape == (1 + DRAWS, 1)
    assert (templates == 1).all()
    assert pairs[1:].std() > 0
    (alone,) = level_weights((3,))
    assert alone.shape == (1 + DRAWS, 3)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=12))
def test_sums_are_those_of_copied_rows(rows: list[tuple[int, int, int]]) -> None:
    """A row that is drawn twice by its template and three times by its pair is there six times."""
    known = [sorted({row[i] for row in rows}) for i in range(2)]
    codes = [np.array([known[i].index(row[i]) for row in rows]) for i in range(2)]
    clusters = crossed_clusters(codes[0], len(known[0]), codes[1], len(known[1]))
    amounts = np.bincount(clusters.codes, [row[2] for row in rows], minlength=clusters.n)
    found = clusters.sums(np.array([amounts, np.bincount(clusters.codes, minlength=clusters.n)]))
    templates, pairs = level_weights(clusters.sizes)
    assert found.shape == (len(templates), 2)
    for draw in (0, 1, 2, 3, DRAWS, len(templates) - 1):
        copies = [
            row[2]
            for row, a, b in zip(rows, codes[0].tolist(), codes[1].tolist(), strict=True)
            for _ in range(int(templates[draw, a]) * int(pairs[draw, b]))
        ]
        assert found[draw].tolist() == [sum(copies), len(copies)]


def test_rows_in_portions_are_the_same() -> None:
    clusters = crossed_clusters(np.array([0, 0, 1]), 2, np.array([0, 1, 1]), 2)
    whole = np.concatenate(list(clusters.weights()))
    assert (np.concatenate(list(clusters.weights(64))) == whole).all()
    assert whole.shape == (1 + DRAWS + 2, 3)


def test_some_rows_have_the_clusters_of_these_rows() -> None:
    clusters = crossed_clusters(np.array([0, 1, 2, 2]), 3, np.array([0, 1, 1, 0]), 2)
    found = clusters.of_rows(np.array([1, 2]))
    assert (found.sizes, found.n, found.codes.tolist()) == ((2, 1), 2, [0, 1])
    assert [level.tolist() for level in found.levels] == [[0, 1], [0, 0]]


def test_the_order_of_rows_makes_no_difference_and_the_seed_is_fixed() -> None:
    templates = [f"t{i % 10}" for i in range(len(IDS))]
    right = [i % 10 < 5 or i % 7 == 0 for i in range(len(IDS))]
    first = interval_of_the_audit(templates, right)
    order = np.random.default_rng(1).permutation(len(IDS)).tolist()
    mixed = ([templates[i] for i in order], [right[i] for i in order], [IDS[i] for i in order])
    assert interval_of_the_audit(*mixed) == first
    # the draws themselves: a change of numpy or of the seed would change every published interval
    assert [row.tolist() for row in level_weights((5,))[0][1:4]] == [
        [1, 0, 0, 0, 4], [2, 2, 0, 1, 0], [1, 2, 1, 0, 1],
    ]  # fmt: skip
