from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.plan.reading_order import arrange

names = st.sampled_from("abcd")
group_sets = st.lists(st.sets(names, max_size=2).map(lambda s: tuple(sorted(s))), max_size=40)


@given(group_sets, st.integers(1, 4), st.integers(2, 12))
def test_no_run_is_too_long_and_rest_comes_in_time(
    groups: list[tuple[str, ...]], run: int, rest_every: int
) -> None:
    by_item = {f"i{n}": pair for n, pair in enumerate(groups)}
    order = arrange(list(by_item), by_item, run=run, rest_every=rest_every)
    assert sorted(x for x in order if x) == sorted(by_item)
    if order:
        assert order[0] is not None
        assert order[-1] is not None
    for begin, end in combinations(range(len(order) + 1), 2):
        together = order[begin:end]
        if None not in together:
            assert len(together) <= rest_every
            if len(together) > run:
                assert not set.intersection(*(set(by_item[x]) for x in together if x))
    assert (None, None) not in set(pairwise(order))


def test_others_break_a_run_before_rest_does() -> None:
    groups = {"a1": ("a",), "a2": ("a",), "a3": ("a",), "b1": ("b",), "b2": ("b",)}
    assert arrange(list(groups), groups, run=2, rest_every=10) == ["a1", "a2", "b1", "a3", "b2"]


def test_rest_breaks_what_nothing_else_can() -> None:
    groups = dict.fromkeys(("a1", "a2", "a3", "a4"), ("a", "b"))
    assert arrange(list(groups), groups, run=3, rest_every=10) == ["a1", "a2", "a3", None, "a4"]


def test_rest_comes_when_nothing_runs() -> None:
    assert arrange(["x", "y", "z"], {}, run=1, rest_every=2) == ["x", "y", None, "z"]
