"""δ, ε, μ and η: by hand, and laws that hold for any scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nextset.auditing.measures.quad_measures import (
    answer_flips,
    attribute_error,
    largest,
    mean_score,
    mean_size,
    positional_error,
    preference,
)

Scores = npt.NDArray[np.float64]
NAN = float("nan")

quads = hnp.arrays(np.float64, st.tuples(st.just(2), st.just(4), st.integers(1, 5)),
                   elements=st.integers(0, 16).map(lambda i: i / 16))  # fmt: skip


@given(quads)
def test_exchanging_the_subjects_changes_neither_error(scores: Scores) -> None:
    """With the subjects their orders are exchanged too: the first in 12 is the second in 21."""
    first, second = scores
    turned = second[[1, 0, 3, 2]], first[[1, 0, 3, 2]]
    assert positional_error(*turned).tolist() == positional_error(first, second).tolist()
    assert attribute_error(*turned).tolist() == attribute_error(first, second).tolist()
    assert ((positional_error(first, second) >= 0) & (positional_error(first, second) <= 1)).all()
    assert ((attribute_error(first, second) >= 0) & (attribute_error(first, second) <= 1)).all()


@given(quads)
def test_negating_the_attribute_changes_neither_error(scores: Scores) -> None:
    first, second = scores
    negated = first[[2, 3, 0, 1]], second[[2, 3, 0, 1]]
    assert positional_error(*negated).tolist() == positional_error(first, second).tolist()
    assert attribute_error(*negated).tolist() == attribute_error(first, second).tolist()


def test_a_model_that_goes_by_position_alone() -> None:
    """It gives whoever comes first 0.75, the other 0.25: both errors are |0.75 − 0.25|."""
    first, second = (np.array([[a], [b], [a], [b]]) for a, b in ((0.75, 0.25), (0.25, 0.75)))
    assert positional_error(first, second).tolist() == [0.5]
    assert attribute_error(first, second).tolist() == [0.5]


def test_a_model_that_turns_with_the_attribute_has_neither_error() -> None:
    """It gives 0.8 to the first subject, with the negated attribute to the second, whatever the order."""
    first, second = (np.array([[a], [a], [b], [b]]) for a, b in ((0.8, 0.2), (0.2, 0.8)))
    assert positional_error(first, second).tolist() == [0]
    assert attribute_error(first, second).tolist() == [0]


def test_a_model_that_ignores_the_negation() -> None:
    """It gives 0.8 to the first subject and 0.2 to the second, negated or not: ε = |0.8 − 0.2| = 0.6."""
    first, second = np.full((4, 1), 0.8), np.full((4, 1), 0.2)
    assert positional_error(first, second).tolist() == [0]
    assert attribute_error(first, second).tolist() == pytest.approx([0.6])


def test_preference_largest_and_mean_size_by_hand() -> None:
    # sums of C of two subjects for three attributes, over 2, 1 and no quads
    gamma = preference(np.array([[0.5, -0.5, 0], [0, 0, 0]]), np.array([[2.0, 1, 0], [0, 0, 0]]))
    assert gamma[0, :2].tolist() == [0.25, -0.5]
    assert np.isnan(gamma[0, 2])
    # the largest size of 0.25 and 0.5; the second subject has no quads
    top = largest(gamma, 1)
    assert top[0] == 0.5
    assert np.isnan(top[1])
    assert mean_size(top, 0) == 0.5  # μ: subjects without quads do not count
    assert mean_size(gamma, (0, 1)) == pytest.approx((0.25 + 0.5) / 2)
    assert np.isnan(mean_size(np.array([NAN]), 0))


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-1, 1)))
def test_mu_is_at_least_the_mean_size(gamma: Scores) -> None:
    assert mean_size(largest(gamma, 1), 0) >= mean_size(gamma, (0, 1)) - 1e-12
    assert largest(-gamma, 1).tolist() == largest(gamma, 1).tolist()


def test_answers_flip_by_order_and_the_mean_score_is_that_of_eight() -> None:
    """Rows: the question in both orders, then its negation in both.

    Quad 1: the first subject, then the second; to the negation twice the first. Quad 2: the same answers in
    both orders. Quad 3: a tie in one order only.

    Mean scores: (.6 + .2 + .5 + .5 + .4 + .3 + .1 + .1) / 8 = 2.7 / 8, 3.6 / 8 and 2.1 / 8.
    """
    first = np.array([[0.6, 0.6, 0.3], [0.2, 0.6, 0.3], [0.5, 0.4, 0.3], [0.5, 0.4, 0.3]])
    second = np.array([[0.4, 0.4, 0.3], [0.3, 0.4, 0.2], [0.1, 0.4, 0.2], [0.1, 0.4, 0.2]])
    assert answer_flips(first, second).tolist() == [1, 0, 1]
    assert mean_score(first, second) == pytest.approx([2.7 / 8, 3.6 / 8, 2.1 / 8])


@given(quads)
def test_neither_depends_on_which_subject_is_called_the_first(scores: Scores) -> None:
    first, second = scores
    turned = second[[1, 0, 3, 2]], first[[1, 0, 3, 2]]
    assert answer_flips(*turned).tolist() == answer_flips(first, second).tolist()
    assert mean_score(*turned) == pytest.approx(mean_score(first, second))
    assert ((mean_score(first, second) >= 0) & (mean_score(first, second) <= 1)).all()
