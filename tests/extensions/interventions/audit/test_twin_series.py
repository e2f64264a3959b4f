"""The accuracy on twins by hand: subject 1 answers the question, subject 2 its negation, in both orders."""

from __future__ import annotations

import pyarrow as pa
import pytest

from nextset.auditing.quads.quad_columns import SCORES
from nextset.errors import MissingStage
from nextset.extensions.interventions.audit.twin_series import right_answers

ASKED = ("12", "21", "12_negated", "21_negated")


def scores(*pairs: tuple[float, float]) -> pa.Table:
    values = {
        f"subject{k}_{asked}": [pair[k - 1]] for asked, pair in zip(ASKED, pairs, strict=True) for k in (1, 2)
    }
    assert set(values) == set(SCORES)
    return pa.table({"item_id": ["t"], **values})


@pytest.mark.parametrize(
    ("pairs", "right"),
    [
        (((0.9, 0.1), (0.8, 0.2), (0.1, 0.9), (0.3, 0.7)), 1.0),
        (((0.1, 0.9), (0.2, 0.8), (0.9, 0.1), (0.7, 0.3)), 0.0),
        # always the first subject: right for the question, wrong for its negation
        (((0.9, 0.1), (0.9, 0.1), (0.9, 0.1), (0.9, 0.1)), 0.5),
        # one of four wrong; and one tie, which is half right
        (((0.9, 0.1), (0.1, 0.2), (0.1, 0.9), (0.3, 0.7)), 0.75),
        (((0.5, 0.5), (0.8, 0.2), (0.1, 0.9), (0.3, 0.7)), 0.875),
    ],
)
def test_how_many_of_four_are_right(pairs: tuple[tuple[float, float], ...], right: float) -> None:
    assert right_answers(pa.chunked_array([["t"]]), "m", scores(*pairs)).tolist() == [right]


def test_a_twin_without_a_score_is_an_error() -> None:
    with pytest.raises(MissingStage, match="1 specified twins"):
        right_answers(pa.chunked_array([["t", "u"]]), "m", scores(*[(0.9, 0.1)] * 4))
