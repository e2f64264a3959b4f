from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import StudyError
from nextset.release.accompanying_data.k_anonymity import k_anonymity, require_k_anonymity

FILE = Path("people.csv")

THREE_GROUPS = [("18-30", "left")] * 3 + [("18-30", "right")] * 2 + [("31+", "right")]


def test_k_is_the_size_of_the_smallest_group() -> None:
    found = k_anonymity(THREE_GROUPS, ["age", "hand"])
    assert (found.k, found.sizes, found.people) == (1, (1, 2, 3), 6)
    # by hand alone 3 left and 3 right; by age alone 5 and 1
    assert found.without == {"age": 3, "hand": 1}


def test_without_people_nobody_can_be_identified() -> None:
    assert k_anonymity([], ["age"]).k is None
    assert require_k_anonymity([], ["age"], 5, FILE).sizes == ()


def test_a_field_that_has_one_value_hides_everybody() -> None:
    assert k_anonymity([("x",)] * 7, ["field"]).k == 7
    assert k_anonymity([("x",)] * 7, ["field"]).without == {"field": 7}


def test_too_small_groups_are_refused_by_their_sizes_alone() -> None:
    with pytest.raises(StudyError) as caught:
        require_k_anonymity(THREE_GROUPS, ["age", "hand"], 3, FILE)
    assert str(caught.value) == (
        "people.csv: the demographic fields (age, hand) could identify annotators; combinations of "
        "values that fewer than 3 of the 6 annotators share: 2 of 3 (sizes of the smallest groups: 1, 2)"
    )
    assert caught.value.remedy == (
        "coarsen age (without it the smallest group has 3), drop a field, or lower release.annotators.k"
    )
    assert "31+" not in str(caught.value)


def test_no_field_is_named_as_the_one_to_drop_if_that_is_not_enough() -> None:
    rows = [(str(i), str(i // 2)) for i in range(6)]  # six ages, three hands of two people each
    with pytest.raises(StudyError) as caught:
        require_k_anonymity(rows, ["age", "hand"], 3, FILE)
    assert caught.value.remedy == (
        "drop or coarsen several fields (if only age is dropped, the smallest group has 2), "
        "or lower release.annotators.k"
    )


def test_with_fewer_people_than_k_no_field_can_be_published() -> None:
    with pytest.raises(StudyError) as caught:
        require_k_anonymity([("x",)] * 4, ["field"], 5, FILE)
    assert caught.value.remedy.startswith("remove release.annotators.demographics")


def test_many_small_groups_are_not_all_listed() -> None:
    with pytest.raises(StudyError, match=r"9 of 9 .* 1, 1, 1, 1, 1, …\)"):
        require_k_anonymity([(str(i),) for i in range(9)], ["n"], 2, FILE)


def brute_force(rows: Sequence[tuple[str, ...]], places: Sequence[int]) -> int:
    """For each person the people who share the values at ``places``; the fewest."""
    return min(sum(all(a[i] == b[i] for i in places) for b in rows) for a in rows)


ROWS = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.tuples(*[st.sampled_from("ab")] * n), min_size=1, max_size=14)
)


@given(ROWS)
def test_it_is_the_definition_for_every_combination_of_fields(rows: list[tuple[str, ...]]) -> None:
    n = len(rows[0])
    fields = ["f0", "f1", "f2"][:n]
    found = k_anonymity(rows, fields)
    assert found.k == brute_force(rows, range(n))
    some = [chosen for size in range(n + 1) for chosen in combinations(range(n), size)]
    assert found.k == min(brute_force(rows, chosen) for chosen in some)
    assert found.without == {
        field: brute_force(rows, [j for j in range(n) if j != i]) for i, field in enumerate(fields)
    }
    assert sum(found.sizes) == len(rows)


@given(ROWS, st.integers(2, 5))
def test_it_is_refused_exactly_below_k(rows: list[tuple[str, ...]], k: int) -> None:
    fields = ["f0", "f1", "f2"][: len(rows[0])]
    if brute_force(rows, range(len(fields))) >= k:
        require_k_anonymity(rows, fields, k, FILE)
    else:
        with pytest.raises(StudyError):
            require_k_anonymity(rows, fields, k, FILE)
