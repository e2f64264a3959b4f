"""What chance adds to μ and η: nothing to clear preferences, everything to noise; complete pairs."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.array_types import Floats
from nextset.auditing.measures.quad_measures import largest, mean_size
from nextset.auditing.quads.chance import raised_values
from nextset.auditing.quads.quad_columns import QuadColumns
from nextset.cluster_bootstrap import DRAWS, level_weights


def mu(gamma: Floats, at: Floats | None) -> Floats:
    where = None if at is None else largest(at, 1)
    return mean_size(largest(gamma, 1, at), 0, where)[None]


def in_rows(of_templates: Floats) -> Floats:
    """The mean of preferences, shape (templates, subjects, attributes), in all rows of weights."""
    weights = level_weights((len(of_templates), 1))[0]
    return np.moveaxis(np.tensordot(weights / weights.sum(axis=1, keepdims=True), of_templates, 1), 0, -1)


def world(seed: int, size: float, noise: float, templates: int) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(0, size, (20, 6)) + rng.normal(0, noise, (templates, 20, 6))


def test_one_preference_without_noise_is_as_it_is() -> None:
    rows = in_rows(np.repeat(world(0, 0.1, 0, 1), 6, axis=0))
    found = raised_values(mu, rows, 6, complete=True)
    assert found.raised == pytest.approx(0, abs=1e-12)
    assert found.linear == pytest.approx(float(mu(rows[..., :1], None)[0, 0]))
    assert found.null == pytest.approx(0, abs=1e-12)


def test_noise_alone_is_all_that_there_is() -> None:
    """Without any preference, what chance gives is what was measured."""
    gaps = []
    for seed in range(10):
        rows = in_rows(world(seed, 0, 0.1, 8))
        found = raised_values(mu, rows, 8, complete=True)
        value = float(mu(rows[..., :1], None)[0, 0])
        assert value == pytest.approx(float(found.null.mean()), rel=0.3)
        gaps.append(float(found.raised.max()) / value)
    assert np.mean(gaps) == pytest.approx(1, abs=0.25)


def test_the_estimates_are_on_both_sides_of_what_chance_adds() -> None:
    """Preferences of a standard deviation of 0.1 and as much noise: the truth lies between, on average."""
    missing = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        own = rng.normal(0, 0.1, (20, 6))
        rows = in_rows(own + rng.normal(0, 0.28, (8, 20, 6)))
        found = raised_values(mu, rows, 8, complete=True)
        truth = float(mu(own[..., None], None)[0, 0])
        missing.append(float(mu(rows[..., :1], None)[0, 0]) - truth - found.raised[:, 0])
    first, second = np.mean(missing, axis=0)
    assert first > 0 > second - 0.01


@given(st.integers(0, 1000), st.integers(2, 12))
def test_the_draws_vary_as_templates_do(seed: int, templates: int) -> None:
    """The rows without one template give the variance of the mean; draws of n have (n − 1)/n of it."""
    of_templates = world(seed, 1.0, 0.05, templates)
    rows = in_rows(of_templates)
    found = raised_values(mu, rows, templates, complete=True)
    left_out = found.linear[1 + DRAWS :, 0]
    spread = (templates - 1) / templates * ((left_out - left_out.mean()) ** 2).sum()
    place = np.argmax(np.abs(rows[..., 0]), axis=1)
    at = np.arange(20), place
    signed = (np.sign(rows[..., 0][at]) * of_templates[:, at[0], at[1]]).mean(axis=1)
    assert spread == pytest.approx(signed.var(ddof=1) / templates)
    assert found.linear[1 : 1 + DRAWS, 0].var() == pytest.approx(
        spread * (templates - 1) / templates, rel=0.25
    )


def columns(pairs: list[tuple[int, int]], templates: int = 2, left_out: int = 0) -> QuadColumns:
    quads = list(product(pairs, range(templates), range(3)))
    quads = quads[left_out:]
    ends = np.array([pair for pair, _, _ in quads], np.int32).reshape(-1, 2)
    nothing = np.zeros(len(quads), np.int32)
    return QuadColumns(
        form="question", subject_class="club", subjects=tuple("ABCDEF"), attributes=tuple("abc"),
        attribute_clusters=("",) * 3, templates=tuple(map(str, range(templates))), clusters=("",),
        subject1=ends[:, 0], subject2=ends[:, 1], cluster1=nothing, cluster2=nothing,
        template=np.array([t for _, t, _ in quads], np.int32),
        attribute=np.array([a for _, _, a in quads], np.int32),
    )  # fmt: skip


def test_a_set_is_complete_if_no_partner_is_left() -> None:
    each_with_each = list(combinations(range(5), 2))
    assert columns(each_with_each).complete
    assert columns([(b, a) for a, b in each_with_each]).complete
    # three women with two men, and three groups of two
    assert columns(list(product((0, 1, 2), (3, 4)))).complete
    groups = [(a, b) for a, b in combinations(range(6), 2) if a // 2 != b // 2]
    assert columns(groups).complete
    # pairs are missing, or one question of one template
    assert not columns([pair for pair in each_with_each if pair not in ((0, 1), (1, 2))]).complete
    assert not columns(groups[1:]).complete
    assert not columns(each_with_each, left_out=1).complete
    # two pairs that never meet
    assert not columns([(0, 1), (2, 3)]).complete
