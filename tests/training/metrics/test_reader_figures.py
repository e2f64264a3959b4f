"""The figures of readers, and the best threshold: by hand, and by trying all thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.training.metrics.figure_text import figure_text
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


def test_empty_answers_are_no_answers() -> None:
    answered = [
        AnsweredQuestion("", ("",)),  # none is right, none is given
        AnsweredQuestion(" ", (" ", "")),
        AnsweredQuestion("Paris", ("", "Paris")),
    ]
    found = reader_figures(answered)
    assert (found["em"], found["f1"], found["avna"]) == (1, 1, 1)
    assert (found["has_answer_questions"], found["no_answer_questions"]) == (1, 2)


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


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "cat", "dog"]),
            st.sampled_from([(), ("cat",), ("dog", "a cat dog")]),
            st.one_of(st.floats(-50, 50), st.sampled_from([-1.0, 0.0, 2.0])),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_printed_threshold_gives_the_printed_figure(
    rows: list[tuple[str, tuple[str, ...], float]],
) -> None:
    """Also where only "nothing is answered" is best and scores are logarithms, and where scores are equal."""
    found = reader_figures([AnsweredQuestion(*row) for row in rows])
    for name in ("em", "f1"):
        if f"best_{name}" not in found:
            assert all(right for _, right, _ in rows)
            continue
        threshold = float(figure_text(f"best_{name}_threshold", found[f"best_{name}_threshold"]))
        at = {t: _applied(rows, t)[name] for t in (threshold, -1e9, *(score for *_, score in rows))}
        assert figure_text(name, at[threshold]) == figure_text(name, found[f"best_{name}"])
        assert at[threshold] == pytest.approx(max(at.values()))


def _applied(rows: list[tuple[str, tuple[str, ...], float]], threshold: float) -> dict[str, float]:
    return reader_figures(
        [AnsweredQuestion("" if score > threshold else text, right) for text, right, score in rows]
    )


def test_the_threshold_that_answers_nothing() -> None:
    wrong = [("x", ("cat",), -3.5), ("y", (), -2.0)]
    assert reader_figures([AnsweredQuestion(*row) for row in wrong])["best_f1_threshold"] == -5.0
    positive = [(text, right, score + 4) for text, right, score in wrong]
    assert reader_figures([AnsweredQuestion(*row) for row in positive])["best_f1_threshold"] == 0.0


def test_a_question_that_is_not_answered_is_wrong_in_its_group() -> None:
    found = reader_figures(
        [
            AnsweredQuestion("Rome", ("Rome",), 0.5),
            AnsweredQuestion(None, ("Anna",)),
            AnsweredQuestion(None, ()),
        ]
    )
    assert (found["em"], found["f1"], found["avna"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (found["has_answer_questions"], found["has_answer_em"]) == (2, 1 / 2)
    assert (found["no_answer_questions"], found["no_answer_em"], found["no_answer_f1"]) == (1, 0, 0)
    assert "best_em" not in found
