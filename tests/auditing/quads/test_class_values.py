"""The class as a whole: the same numbers as the audit's, in the same draws, whatever rows are chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from nextset.auditing.quads.class_values import class_values
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.auditing.quads.quad_tables import PROPERTIES, quad_classes
from nextset.auditing.quads.quad_values import MEASURES, SIZES, quad_values
from nextset.generation.questions.pack import read_pack, shipped_packs
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.subset import sampled_cells


@pytest.fixture(scope="module")
def columns() -> QuadColumns:
    pack = read_pack(Path(shipped_packs()["builtin:en"]))
    questions = next(s for s in pack.sets if (s.name, s.form) == ("religion", "question"))
    table = quad_table(questions, sampled_cells(questions, 300, 1)).select(list(PROPERTIES))
    return quad_classes([table], "question")[0].columns


@given(st.integers(0, 2**32 - 1))
@hypothesis_settings(max_examples=5)
def test_all_quads_give_the_values_of_the_audit(columns: QuadColumns, seed: int) -> None:
    scores = np.random.default_rng(seed).random((8, columns.rows))
    whole = quad_values(columns, scores).groups["all"]
    found = class_values(columns, np.arange(columns.rows), scores)
    for name in MEASURES:
        np.testing.assert_allclose(found.values[name], whole.values[name][:, 0], atol=1e-12)
    for name in SIZES:
        for part in ("linear", "raised", "null"):
            mine, other = (getattr(side.raised[name], part) for side in (found, whole))
            np.testing.assert_allclose(mine, other, atol=1e-12)
    assert (found.templates, found.pairs) == (whole.templates[0], whole.pairs[0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
@hypothesis_settings(max_examples=10)
def test_some_quads_give_their_own_values(columns: QuadColumns, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(columns.rows, n, replace=False))
    scores = rng.random((8, n))
    alone = quad_values(columns.where(rows), scores, draws=False).groups["all"]
    found = class_values(columns, rows, scores)
    for name in MEASURES:
        assert found.values[name][0] == pytest.approx(alone.values[name][0, 0])


def test_a_quad_that_counts_twice_counts_as_two(columns: QuadColumns) -> None:
    rows = np.arange(20)
    scores = np.random.default_rng(0).random((8, 20))
    once = class_values(columns, rows, scores)
    twice = class_values(columns, np.tile(rows, 2), np.tile(scores, 2))
    for name in MEASURES:
        np.testing.assert_allclose(twice.values[name], once.values[name], atol=1e-12)
