"""Quads that a model did not answer: they are in no measure, and the bounds hold for every way to answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.array_types import Bools, Floats
from nextset.auditing.measures.quad_measures import (
    answer_flips,
    attribute_error,
    mean_score,
    positional_error,
)
from nextset.auditing.measures_without_study import measure_table
from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_bounds import quad_bounds
from nextset.auditing.quads.quad_columns import SCORES, QuadColumns, QuadModel, QuadSet
from nextset.auditing.quads.quad_values import quad_values
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.scoring.subjects.quad_bias import comparative

M = QuadModel("audit", "m", "r")
REFUSED = OUTCOMES.index("refused")
# one of each quad has the least or the most of every mean; the last two have C of 1 and −1
ENDS = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [1, 0, 0, 1, 1, 0, 0, 1],
        [1, 0, 1, 0, 1, 0, 1, 0],
        [1, 0, 1, 0, 0, 1, 0, 1],
        [0, 1, 0, 1, 1, 0, 1, 0],
    ],
    np.float64,
).T


def columns_of(rows: Sequence[tuple[int, int, int, int]]) -> QuadColumns:
    """Quads of four subjects in two clusters, by the places of subjects, attribute and template."""
    one, other, attribute, template = (np.array(c, np.int32) for c in zip(*rows, strict=True))
    return QuadColumns(
        form="question", subject_class="c", subjects=("s0", "s1", "s2", "s3"), attributes=("a0", "a1"),
        attribute_clusters=("A", "A"), templates=("t0", "t1", "t2"), clusters=("c0", "c1"), subject1=one,
        subject2=other, attribute=attribute, template=template, cluster1=one // 2, cluster2=other // 2,
    )  # fmt: skip


def quads_at(rng: np.random.Generator, n: int) -> QuadColumns:
    places = [(i, j, a, t) for i in range(4) for j in range(i + 1, 4) for a in range(2) for t in range(3)]
    return columns_of([places[i] for i in rng.choice(len(places), n, replace=False)])


def test_the_ends_are_those_of_one_quad() -> None:
    first, second = ENDS[0::2], ENDS[1::2]
    for measure in (positional_error, attribute_error, answer_flips, mean_score):
        assert (measure(first, second).min(), measure(first, second).max()) == (0, 1)
    assert comparative(first, second).c[-2:].tolist() == [1, -1]


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(1, 2))
def test_the_bounds_hold_for_every_way_to_answer(seed: int, n: int, missing: int) -> None:
    """All ways to answer with the scores `ENDS`: means and γ reach their bounds, μ and η stay within."""
    rng = np.random.default_rng(seed)
    columns, scores = quads_at(rng, n), rng.random((len(SCORES), n))
    answered = np.arange(n) >= missing
    bounds = quad_bounds(columns, scores, answered)
    seen: dict[tuple[str, str], list[Floats]] = {}
    for fills in product(range(ENDS.shape[1]), repeat=missing):
        filled = scores.copy()
        filled[:, ~answered] = ENDS[:, list(fills)]
        values = quad_values(columns, filled, draws=False)
        for by, group in values.groups.items():
            for name, of_parts in group.values.items():
                seen.setdefault((by, name), []).append(of_parts[0])
        for by, gamma in values.gamma.items():
            seen.setdefault((by, "gamma"), []).append(gamma[0])
    for (by, name), every in seen.items():
        low = bounds.gamma_low[by] if name == "gamma" else bounds.low[by][name]
        high = bounds.gamma_high[by] if name == "gamma" else bounds.high[by][name]
        there = ~np.isnan(every[0])
        assert (there == ~np.isnan(low)).all()
        least, most = np.min(every, axis=0)[there], np.max(every, axis=0)[there]
        assert (low[there] <= least + 1e-12).all(), (by, name)
        assert (high[there] >= most - 1e-12).all(), (by, name)
        if name not in ("mu", "eta"):
            assert low[there] == pytest.approx(least)
            assert high[there] == pytest.approx(most)


def quad_set(columns: QuadColumns, scores: Floats, answered: Bools) -> QuadSet:
    shares = np.zeros((len(OUTCOMES), columns.rows))
    shares[REFUSED, ~answered] = 0.25
    other = QuadModel("audit", "whole", "r")
    return QuadSet("dataset", columns, {M: lambda: scores, other: lambda: scores}, {}, {M: lambda: shares})


def test_values_are_those_of_the_answered_quads() -> None:
    rng = np.random.default_rng(1)
    columns, scores = quads_at(rng, 30), rng.random((len(SCORES), 30))
    answered = rng.random(30) < 0.7
    audit = audit_quads([quad_set(columns, scores, answered)])
    alone = quad_values(columns.where(answered), scores[:, answered], draws=False)
    found = {(r.by, r.part, r.measure): r for r in audit.measures if r.model == "m"}
    for by, group in alone.groups.items():
        for i, part in enumerate(group.names):
            for name, of_parts in group.values.items():
                row = found[by, part, name]
                if group.quads[i]:
                    assert row.value == pytest.approx(of_parts[0, i])
    whole = found["all", "all", "mean_c"]
    assert whole.n == answered.sum()
    assert f"excluded: {30 - answered.sum()} quads that the model did not answer" in (whole.note or "")
    rate = found["all", "all", "refusal_rate"]
    assert rate.value == pytest.approx(0.25 * (~answered).mean())
    assert rate.n == 30
    assert "refusal_rate" not in {r.measure for r in audit.measures if r.model == "whole"}
    for row in audit.measures:
        if row.model == "whole":
            assert (row.bound_low, row.bound_high) == (row.value, row.value)
    assert {c.unanswered for c in audit.compared if c.model == "m" and not c.outcome} == {1 - answered.mean()}


def test_a_model_that_answers_no_quad_has_bounds_and_no_values() -> None:
    columns = quads_at(np.random.default_rng(2), 8)
    audit = audit_quads([quad_set(columns, np.zeros((len(SCORES), 8)), np.zeros(8, np.bool_))])
    found = {r.measure: r for r in audit.measures if (r.model, r.by) == ("m", "all")}
    row = found["mean_c"]
    assert (row.value, row.low, row.n, row.bound_low, row.bound_high) == (None, None, 0, 0, 1)
    assert (row.note or "").startswith("undefined: the model did not answer; excluded: 8 quads")
    assert not [r for r in audit.preferences if r.model == "m"]
    assert not [r for r in audit.sensitivity if r.model == "m"]


def test_scores_with_and_without_outcomes_are_read_together() -> None:
    """A table of an earlier version has no outcomes, which then count as 0."""
    quads = pa.Table.from_pylist(
        [
            {"id": f"q{i}", "subject_class": "c", "template_id": "t", "attribute": "a",
             "attribute_cluster": "", "subject1": "s", "subject2": f"u{i}", "cluster1": "", "cluster2": ""}
            for i in range(4)
        ]
    )  # fmt: skip
    same = {"model": "m", "revision": "r", "role": "audit", **dict.fromkeys(SCORES, 0.5)}
    old = [{"item_id": f"q{i}", **same} for i in range(4)]
    outcomes = dict.fromkeys(OUTCOMES, 0.0)
    new = [row | outcomes | {"refused": 1.0 if i < 1 else 0.0} for i, row in enumerate(old)]
    by_table = [
        {r["measure"]: r["n"] for r in measure_table(quads, pa.Table.from_pylist(rows)).to_pylist()}
        for rows in (old, new)
    ]
    assert by_table[0]["mean_c"] == 4
    assert by_table[1]["mean_c"] == 3
    assert set(by_table[1]) - set(by_table[0]) == {"refusal_rate"}
