"""What is planted in made-up collections is found, and nothing if nothing is planted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.planted_retrieval import Planted, planted_reader, planted_retrieval
from nextset.extensions.ambiguity.retrieval.amplification import amplification
from nextset.extensions.ambiguity.retrieval.found_shares import group_tests

PLANTED = Planted(people=300, questions=30, occupations=30, first=30, share=0.4)
TIMES = 60
MOST = 8
"""A test at 5 % finds more than this in 60 null collections once in 300 times."""


def found(planted: Planted, pull: float) -> tuple[int, int, int]:
    """How often the published test, that with the design effect, and a reader's change are significant."""
    random = np.random.default_rng(1)
    counts = [0, 0, 0]
    for _ in range(TIMES):
        retrieved = planted_retrieval(planted, random)
        (test,) = group_tests(retrieved, ("all",))
        change = next(amplification(retrieved, planted_reader(retrieved, pull, random)))
        assert test.p is not None
        assert test.p_design is not None
        assert change.p is not None
        counts[0] += test.p < 0.05
        counts[1] += test.p_design < 0.05
        counts[2] += change.p < 0.05
    return counts[0], counts[1], counts[2]


@pytest.mark.slow
def test_nothing_is_found_if_nothing_is_planted() -> None:
    published, design, change = found(PLANTED, 0.0)
    assert design <= MOST
    assert change <= MOST
    assert published > design  # people that many questions find make it too sure


@pytest.mark.slow
def test_what_is_planted_is_found() -> None:
    _, design, change = found(replace(PLANTED, pull=1.0), 2.0)
    assert design >= TIMES * 0.8
    assert change >= TIMES * 0.8
