from __future__ import annotations

import math

import pytest

from nextset.validation.agreement.ratings import Rating
from nextset.validation.agreement.split_votes import Vote, disagreements


def ratings(**units: str) -> list[Rating]:
    return [Rating(u, str(j), label) for u, labels in units.items() for j, label in enumerate(labels)]


def test_those_without_a_majority_most_disagreed_first() -> None:
    found = disagreements(ratings(a="vv", b="vi", c="vic", d="vvi", e="v", f="vvii", g="vvic"))
    assert [d.unit_id for d in found] == ["c", "b", "f"]
    assert [d.entropy for d in found] == pytest.approx([math.log2(3), 1, 1])
    assert found[1].votes == (Vote("1", "i"), Vote("0", "v"))


def test_those_that_are_not_unanimous() -> None:
    found = disagreements(ratings(a="vv", b="vi", c="vvi", d="v", e="vvic"), "not_unanimous")
    # vvic: 1.5 bits; vi: 1 bit; vvi: 2/3 log 3/2 + 1/3 log 3 = 0.918 bits.
    assert [(d.unit_id, d.undecided) for d in found] == [("e", False), ("b", True), ("c", False)]
    assert [round(d.entropy, 3) for d in found] == [1.5, 1.0, 0.918]
