from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import StudyError
from nextset.study.validation_settings import Order
from nextset.validation.plan.unit_priority import units_by_priority


def table(**columns: list[float | None]) -> pa.Table:
    n = len(next(iter(columns.values())))
    return pa.table({"unit_id": [f"u{i}" for i in range(n)], **columns})


@pytest.mark.parametrize(
    ("order", "column", "expected"),
    [
        ("disagreement_first", "disagreement", ["u1", "u0", "u3", "u2"]),
        ("disagreement_last", "disagreement", ["u3", "u0", "u1", "u2"]),
        ("fluent_first", "fluency", ["u1", "u0", "u3", "u2"]),
        ("fluent_last", "fluency", ["u3", "u0", "u1", "u2"]),
        ("likely_valid_first", "p_valid", ["u1", "u0", "u3", "u2"]),
        ("uncertain_first", "p_valid", ["u0", "u1", "u3", "u2"]),
    ],
)
def test_what_is_wanted_first(order: Order, column: str, expected: list[str]) -> None:
    # |0.6 - 0.5| = 0.1, |0.9 - 0.5| = 0.4, |0.05 - 0.5| = 0.45; what is not known is last
    assert list(units_by_priority(table(**{column: [0.6, 0.9, None, 0.05]}), order, 0)) == expected


@pytest.mark.parametrize("order", ["disagreement_first", "fluent_last", "uncertain_first"])
def test_an_order_by_what_nobody_knows_is_refused(order: Order) -> None:
    for units in (table(other=[1.0]), table(disagreement=[None], fluency=[None], p_valid=[float("nan")])):
        with pytest.raises(StudyError, match="which no unit has") as e:
            units_by_priority(units, order, 0, Path("study.yaml"))
        assert str(e.value).startswith("study.yaml: ")
        assert "choose a different validate.session.order" in e.value.remedy
    assert units_by_priority(units.slice(0, 0), order, 0) == ()


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), max_size=20), st.randoms(), st.integers(0, 3))
def test_the_order_of_rows_does_not_matter(
    values: list[float | None], shuffle: random.Random, seed: int
) -> None:
    units = table(disagreement=[1.0, *values])
    rows = list(range(units.num_rows))
    shuffle.shuffle(rows)
    for order in ("shuffled", "disagreement_first"):
        wanted = units_by_priority(units, order, seed)
        assert wanted == units_by_priority(units.take(rows), order, seed)
        assert sorted(wanted) == sorted(units["unit_id"].to_pylist())


def test_another_seed_breaks_ties_in_another_way() -> None:
    units = table(disagreement=[0.5] * 20)
    assert len({units_by_priority(units, "disagreement_first", seed) for seed in range(5)}) == 5
    assert len({units_by_priority(units, "shuffled", seed) for seed in range(5)}) == 5
