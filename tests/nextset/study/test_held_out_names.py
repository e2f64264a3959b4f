"""Names that are held out: shares, the same side everywhere, and the same draw from the same key."""

from __future__ import annotations

import pytest

from nextset.study.held_out_names import held_out_names, held_out_number, held_out_together

NAMES = [f"n{i}" for i in range(10)]


@pytest.mark.parametrize(
    ("n", "share", "found"), [(0, 0.5, 0), (1, 0.5, 0), (2, 0.01, 1), (2, 0.99, 1), (10, 0.3, 3), (5, 0.5, 2)]
)
def test_about_the_share_at_least_one_and_never_all(n: int, share: float, found: int) -> None:
    assert held_out_number(n, share) == found  # round(2.5) is 2
    assert len(held_out_names(NAMES[:n], share, "key")) == found


def test_groups_that_share_names_have_their_share_each() -> None:
    groups = [NAMES[:6], NAMES[3:]]
    hidden = held_out_together(groups, lambda n: n // 2, "key")
    assert [len(hidden.intersection(group)) for group in groups] == [3, 3]
    assert hidden == held_out_together(groups, lambda n: n // 2, "key")
    assert hidden != held_out_together(groups, lambda n: n // 2, "other")


def test_the_smallest_group_decides() -> None:
    alone = held_out_together([NAMES[:4]], lambda n: n // 2, "key")
    both = held_out_together([NAMES, NAMES[:4]], lambda n: n // 2, "key")
    assert both.intersection(NAMES[:4]) == alone
    assert len(both) == 5
