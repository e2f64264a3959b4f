"""Batches: every row in one, none too large, and memory that runs out costs no row and no label."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.batches import Budget, in_batches, planned

LENGTHS = st.lists(st.integers(1, 60), max_size=80)


@given(lengths=LENGTHS, tokens=st.integers(1, 400))
def test_every_row_is_in_one_batch_that_keeps_to_the_budget(lengths: list[int], tokens: int) -> None:
    batches = list(planned(lengths, tokens))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[row] for row in batch)
        assert len(batch) == 1 or len(batch) * longest <= tokens
    # the long ones come first: if memory does not suffice, that shows at once
    assert [max(lengths[r] for r in b) for b in batches] == sorted(
        (max(lengths[r] for r in b) for b in batches), reverse=True
    )


def test_a_batch_that_is_half_full_ends_where_the_length_changes() -> None:
    # 4 × 10 tokens are more than half of 60: the rows of length 9 go without padding into the next
    assert list(planned([10, 10, 10, 10, 9, 9], 60)) == [[0, 1, 2, 3], [4, 5]]
    assert list(planned([10, 9, 8], 60)) == [[0, 1, 2]]


@pytest.fixture(scope="module")
def frozen_heap() -> Iterator[None]:
    """What is there already is not gone through again whenever memory runs out."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen_heap")
@given(lengths=st.lists(st.integers(1, 60), min_size=1, max_size=40), room=st.integers(60, 300))
def test_memory_that_runs_out_costs_no_row(lengths: list[int], room: int) -> None:
    budget = Budget(1000)

    def run(rows: list[int]) -> np.ndarray:  # type: ignore[type-arg]
        if len(rows) * max(lengths[r] for r in rows) > room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return np.array([[float(r), lengths[r]] for r in rows])

    found = in_batches(lengths, 2, budget, run, "m")
    assert found.tolist() == [[float(i), n] for i, n in enumerate(lengths)]
    whole = sum(lengths) * 0 + len(lengths) * max(lengths)
    assert budget.tokens == 1000 or budget.tokens <= max(room, whole)


def test_a_row_that_alone_is_too_much_is_an_error() -> None:
    def run(rows: list[int]) -> np.ndarray:  # type: ignore[type-arg]
        raise MemoryError

    with pytest.raises(ModelError, match="not enough memory for m to read a text of 9 tokens"):
        in_batches([3, 9], 1, Budget(100), run, "m")


def test_other_errors_are_not_taken_for_lack_of_memory() -> None:
    def run(rows: list[int]) -> np.ndarray:  # type: ignore[type-arg]
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="mat1"):
        in_batches([3, 9], 1, Budget(100), run, "m")


def test_what_ran_out_of_memory_holds_none_while_it_is_tried_again() -> None:
    class Activations:
        pass

    seen: list[weakref.ref[Activations]] = []

    def run(rows: list[int]) -> np.ndarray:  # type: ignore[type-arg]
        assert not any(held() for held in seen)
        reckoned = Activations()
        seen.append(weakref.ref(reckoned))
        if len(rows) > 1:
            raise MemoryError
        return np.zeros((1, 1))

    in_batches([5] * 4, 1, Budget(100), run, "m")
    assert len(seen) > 4
