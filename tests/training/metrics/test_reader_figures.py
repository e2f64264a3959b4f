"""The figures of readers, and the best threshold: by hand, and by trying all thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.training.metrics.no_answer_threshold import best_threshold
from nextset.training.metrics.reader_figures import AnsweredQuestion, reader_figures


def test_the_figures_by_hand() -> None:
    answered = [
        AnsweredQuestion("Denver Broncos", ("the big Denver Broncos",), 0.1),  # EM 0, F1 0.8
        AnsweredQuestion("Paris", ("Paris",), 0.4),  # 1, 1
        AnsweredQuestion("London", (), 0.9),  # 0, 0
        AnsweredQuestion("", (), 0.8),  # 1, 1
    ]
    found = reader_figures(answered)
    assert found["em"] == pytest.approx(2 / 4)
    assert found["f1"] == pytest.approx(2.8 / 4)
    assert found["avna"] == pytest.approx(3 / 4)
    assert (found["has_answer_questions"], found["no_answer_questions"]) == (2, 2)
    assert (found["has_answer_em"], found["no_answer_em"]) == (1 / 2, 1 / 2)
    assert found["has_answer_f1"] == pytest.approx(0.9)
    # answering nothing is right twice; up to 0.4 both answers add 0.8 and 1, then 0.8 takes nothing, 0.9 one
    assert found["best_f1"] == pytest.approx((2 + 0.8 + 1) / 4)
    assert found["best_f1_threshold"] == 0.4
    assert found["best_em"] == pytest.approx(3 / 4)


def test_squad_1_has_no_breakdown_and_unknown_scores_no_threshold() -> None:
    assert set(reader_figures([AnsweredQuestion("a cat", ("cat",))])) == {"questions", "em", "f1", "avna"}
    assert "best_f1" not in reader_figures([AnsweredQuestion("", ()), AnsweredQuestion("x", ("x",), 1.0)])


QUESTIONS = st.lists(
    st.tuples(st.floats(0, 1), st.booleans(), st.booleans(), st.floats(0.01, 1)),
    min_size=1,
    max_size=8,
    unique_by=lambda q: q[3],
)


@given(QUESTIONS)
def test_no_threshold_is_better_than_the_best(questions: list[tuple[float, bool, bool, float]]) -> None:
    matches = [m if answerable else float(none) for m, none, answerable, _ in questions]
    none_given = [none for _, none, _, _ in questions]
    answerable = [a for _, _, a, _ in questions]
    scores = [s for *_, s in questions]

    def mean(threshold: float) -> float:
        values = [
            m if s <= threshold else float(not a) for m, a, s in zip(matches, answerable, scores, strict=True)
        ]
        return sum(values) / len(values)

    best = best_threshold(matches, none_given, answerable, scores)
    assert best.value == pytest.approx(max(mean(t) for t in (0.0, *scores)))
    assert mean(best.threshold) == pytest.approx(best.value)
