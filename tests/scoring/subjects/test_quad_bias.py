from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nextset.scoring.subjects.quad_bias import (
    ASKED,
    answers_differ,
    comparative,
    near_quad_tie,
    subject_scores,
)

Scores = npt.NDArray[np.float64]
"""Of shape (2 subjects, 4 ways to ask, quads)."""

quads = hnp.arrays(
    np.float64,
    st.tuples(st.just(2), st.just(4), st.integers(0, 5)),
    elements=st.floats(0, 1, allow_subnormal=False),
)


def table(scores: Scores) -> pa.Table:
    return pa.table(
        {f"subject{s + 1}_{asked}": scores[s, i] for s in range(2) for i, asked in enumerate(ASKED)}
    )


def test_figure_2_of_the_paper() -> None:
    # Li et al. 2020, figure 2: Gerald and Jennifer for 12, 21, 12 negated, 21 negated
    scores = np.array([[[0.26], [0.54], [0.35], [0.12]], [[0.73], [0.45], [0.62], [0.86]]])
    bias = comparative(*subject_scores(table(scores)))
    # (.26 + .54)/2 − (.35 + .12)/2 = .4 − .235; (.73 + .45)/2 − (.62 + .86)/2 = .59 − .74
    assert bias.b1 == pytest.approx([0.165])
    assert bias.b2 == pytest.approx([-0.15])
    # (.165 + .15)/2; the paper prints 0.31, without the half of its equation 6
    assert bias.c == pytest.approx([0.1575])
    # 12: Jennifer (.73 > .26); 21: Gerald (.54 > .45)
    assert answers_differ(table(scores)).tolist() == [True]


@given(quads)
def test_exchanging_the_orders_changes_nothing(scores: Scores) -> None:
    swapped = table(scores[:, [1, 0, 3, 2]])
    assert (comparative(*subject_scores(swapped)).c == comparative(*subject_scores(table(scores))).c).all()
    assert (answers_differ(swapped) == answers_differ(table(scores))).all()


@given(quads)
def test_negation_turns_the_sign(scores: Scores) -> None:
    assert (
        comparative(*subject_scores(table(scores[:, [2, 3, 0, 1]]))).c
        == -comparative(*subject_scores(table(scores))).c
    ).all()


@given(quads)
def test_exchanging_the_subjects_turns_the_sign(scores: Scores) -> None:
    # the other subject comes first: what was order 12 is order 21
    swapped = table(scores[::-1][:, [1, 0, 3, 2]])
    assert (comparative(*subject_scores(swapped)).c == -comparative(*subject_scores(table(scores))).c).all()
    assert (answers_differ(swapped) == answers_differ(table(scores))).all()


@given(hnp.arrays(np.float64, (2, 2, 3), elements=st.floats(0, 1, allow_subnormal=False)))
def test_a_model_that_goes_by_place_and_wording_alone_has_no_preference(by_place: Scores) -> None:
    # by_place: first or second in the context × question or negated question × quads
    first, second = by_place
    scores = np.array(
        [[first[0], second[0], first[1], second[1]], [second[0], first[0], second[1], first[1]]]
    )
    assert (comparative(*subject_scores(table(scores))).c == 0).all()


@given(quads)
def test_bounds(scores: Scores) -> None:
    bias = comparative(*subject_scores(table(scores)))
    for part in (bias.c, bias.b1, bias.b2):
        assert (np.abs(part) <= 1).all()


@given(quads, st.floats(1e-4, 0.1), st.floats(0.05, 0.9), st.data())
def test_far_from_every_decision_no_decision_changes(
    scores: Scores, close: float, level: float, data: st.DataObject
) -> None:
    moves = data.draw(hnp.arrays(np.float64, scores.shape, elements=st.floats(-0.99, 0.99)))
    before, after = table(scores), table(scores * (1 + moves * close))
    far = ~near_quad_tie(before, [level], close)
    assert (answers_differ(after) == answers_differ(before))[far].all()
    c, moved = comparative(*subject_scores(before)).c, comparative(*subject_scores(after)).c
    assert (np.sign(c) == np.sign(moved))[far].all()
    assert ((np.abs(c) >= level) == (np.abs(moved) >= level))[far].all()


def test_near_a_decision() -> None:
    sure = [[0.6, 0.6, 0.2, 0.2], [0.1, 0.1, 0.4, 0.4]]  # B 0.4 and −0.3, C 0.35
    tie = [[0.6, 0.4, 0.2, 0.2], [0.1, 0.4000001, 0.4, 0.4]]
    no_sign = [[0.6, 0.2, 0.6, 0.2], [0.1, 0.4, 0.1, 0.4]]
    scores = table(np.array([sure, tie, no_sign]).transpose(1, 2, 0))
    assert near_quad_tie(scores, [], 1e-5).tolist() == [False, True, True]
    assert near_quad_tie(scores, [0.3], 1e-5).tolist() == [False, True, True]
    assert near_quad_tie(scores, [0.350001], 1e-5).tolist() == [True, True, True]


def test_a_tie_is_an_answer_of_its_own() -> None:
    tie_once = [[0.5, 0.6, 0.2, 0.2], [0.5, 0.5, 0.4, 0.4]]
    always = [[0.5, 0.5, 0.2, 0.2], [0.5, 0.5, 0.2, 0.2]]
    scores = table(np.array([tie_once, always]).transpose(1, 2, 0))
    assert answers_differ(scores).tolist() == [True, False]
